import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../run/session';
import { bodyOf, checkFields, identityOf, type ForModel } from './fields';
import { parseJsonBody, type JsonBody } from './json';

/** The inputs of an item, checked. */
interface Inputs {
	/** The body to send; making it may upload files. */
	makeBody: () => Promise<JsonBody>;
	/** What is asked for, files by content: equal for equal requests, whatever their files are called or where they went up. */
	identity: () => Promise<unknown>;
}

/**
 * Checks the inputs of an item now, and makes the body later. `model` is undefined for a workflow.
 * @throws SegmindFailure naming the input, before any call
 */
export function readInputs(session: Session, itemIndex: number, model?: ForModel): Inputs {
	const options = session.context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	if (Object.hasOwn(options, 'requestBody')) {
		const body = parseJsonBody(options.requestBody, "Option 'Request Body'");
		return { makeBody: async () => body, identity: async () => [body.value, []] };
	}
	const fields = checkFields(session, itemIndex, model);
	return {
		makeBody: async () => await bodyOf(session, fields),
		identity: async () => await identityOf(session, fields),
	};
}
