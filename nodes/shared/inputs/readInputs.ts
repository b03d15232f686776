import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../run/session';
import { bodyOf, checkFields, identityOf, type CheckedFields, type ForModel } from './fields';
import { parseJsonBody, type JsonBody } from './json';

/** The inputs of an item, checked: a body as it is, or fields that become one. */
export type Inputs = { body: JsonBody } | { fields: CheckedFields };

/**
 * Checks the inputs of an item. `model` is undefined for a workflow.
 * @throws SegmindFailure naming the input, before any call
 */
export function readInputs(session: Session, itemIndex: number, model?: ForModel): Inputs {
	const options = session.context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	return Object.hasOwn(options, 'requestBody')
		? { body: parseJsonBody(options.requestBody, "Option 'Request Body'") }
		: { fields: checkFields(session, itemIndex, model) };
}

/** The body to send; made only when it is really sent, since making it may upload files. */
export async function makeBody(session: Session, inputs: Inputs): Promise<JsonBody> {
	return 'body' in inputs ? inputs.body : await bodyOf(session, inputs.fields);
}

/** What is asked for, files by content: equal for equal requests, whatever their files are called or where they went up. */
export async function identityOfInputs(session: Session, inputs: Inputs): Promise<unknown> {
	return 'body' in inputs ? [inputs.body.value, []] : await identityOf(session, inputs.fields);
}
