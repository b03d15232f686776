import type { Session } from '../run/session';
import { bodyOf, checkFields } from './fields';
import { parseInputsJson, type JsonBody } from './json';

/**
 * Checks the inputs of an item now and returns how to make the body later, since that may upload files. `slug` is the model, for its own
 * parameter names; undefined for a workflow.
 * @throws SegmindFailure naming the input, before any call
 */
export function readInputs(
	session: Session,
	itemIndex: number,
	slug?: string,
): () => Promise<JsonBody> {
	if (session.context.getNodeParameter('inputMode', itemIndex, 'fields') === 'json') {
		const body = parseInputsJson(session.context.getNodeParameter('inputsJson', itemIndex, '{}'));
		return async () => body;
	}
	const fields = checkFields(session, itemIndex, slug);
	return async () => await bodyOf(session, fields);
}
