import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../run/session';
import { bodyOf, checkFields, identityOf, type CheckedFields } from './fields';
import type { TargetModel } from './ownFile';
import { assertExpressions, rawParameter } from './expressions';
import { parseJsonBody, type JsonBody } from './json';

/** The checked inputs of an item: a whole body, or fields that become one. */
export type Inputs = { body: JsonBody } | { fields: CheckedFields };

/**
 * Checks the inputs of an item. `model` is undefined for a workflow.
 * @throws SegmindFailure that names the input, before any call
 */
export function readInputs(session: Session, itemIndex: number, model?: TargetModel): Inputs {
	const { context } = session;
	const options = context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	if (!Object.hasOwn(options, 'requestBody'))
		return { fields: checkFields(session, itemIndex, model) };
	const label = "Option 'Request Body'";
	assertExpressions(session, itemIndex, [[label, rawParameter(session, 'options.requestBody')]]);
	return { body: parseJsonBody(options.requestBody, label) };
}

/** Makes the body to send. Called at the last moment, because it may upload files. */
export async function makeBody(session: Session, inputs: Inputs): Promise<JsonBody> {
	if ('body' in inputs) return inputs.body;
	const value = await bodyOf(session, inputs.fields);
	return { text: JSON.stringify(value), value };
}

/** Returns a value that is equal for equal requests. Files are compared by content, not by name or upload URL. */
export async function identityOfInputs(session: Session, inputs: Inputs): Promise<unknown> {
	return 'body' in inputs ? [inputs.body.value, []] : await identityOf(session, inputs.fields);
}
