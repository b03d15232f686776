import type { IDataObject } from 'n8n-workflow';

import type { Session } from '../run/session';
import { bodyOf, checkFields, identityOf, type CheckedFields, type TargetModel } from './fields';
import { isObject } from '../service/schemas';
import { assertExpressions, rawIn } from './expressions';
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
	const raw = rawIn(context.getNode().parameters, 'options.requestBody');
	assertExpressions(session, itemIndex, raw, label);
	return { body: parseJsonBody(options.requestBody, label) };
}

/** Makes the body to send. Called at the last moment, because it may upload files. */
export async function makeBody(session: Session, inputs: Inputs): Promise<JsonBody> {
	return 'body' in inputs ? inputs.body : await bodyOf(session, inputs.fields);
}

/** Returns a value that is equal for equal requests. Files are compared by content, not by name or upload URL. */
export async function identityOfInputs(session: Session, inputs: Inputs): Promise<unknown> {
	return 'body' in inputs ? [inputs.body.value, []] : await identityOf(session, inputs.fields);
}

/** A string of these characters counts as a file in base64 if it's long enough. */
const BASE64 = /^[\w+/=\r\n-]{200,}$/;

/** The beginning of a URL or of a data URL, anywhere in a text. */
const URL_BEGINNING = /\b(?:[a-z][\w+.-]{0,20}:\/\/|data:[a-z]+\/)/i;

/** Whether the inputs contain a file, its URL or its content. */
export function hasFile(inputs: Inputs): boolean {
	if ('body' in inputs) return hasFileInValue(inputs.body.value);
	const { files, values } = inputs.fields;
	return files.length > 0 || values.some(([, value]) => hasFileInValue(value));
}

function hasFileInValue(value: unknown): boolean {
	if (typeof value === 'string') return URL_BEGINNING.test(value) || BASE64.test(value.trim());
	if (Array.isArray(value)) return value.some(hasFileInValue);
	return isObject(value) && Object.values(value).some(hasFileInValue);
}
