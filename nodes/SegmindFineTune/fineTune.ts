import type { INodeProperties } from 'n8n-workflow';

import { readRequiredText } from '../shared/inputs/values';
import { readManaged } from '../shared/manage/managedCalls';
import type { Session } from '../shared/run/session';
import { unusableFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import type { HttpCall } from '../shared/service/http';
import { joinUrl } from '../shared/service/origins';
import { isObject } from '../shared/service/schemas';

export const fineTuneIdField: INodeProperties = {
	displayName: 'Fine-Tune',
	name: 'finetuneId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The fine-tune job',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose a job',
			typeOptions: { searchListMethod: 'searchFineTunes', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. 3f2b8c1a-5d7e-4a90-8b1c-2e6f9d0a7c43',
			hint: 'The finetune_id from the output of Submit Job or Get Many',
		},
	],
};

export function readFineTuneId({ context }: Session, itemIndex: number): string {
	return readRequiredText(context, itemIndex, 'finetuneId', 'Fine-Tune');
}

/** Returns the URL of a fine-tuning call (docs/service.md S340 to S346). */
export function fineTuneUrl(session: Session, path: string): string {
	return joinUrl(session.client.urls.baseUrl, `/finetune/request${path}`);
}

/**
 * Makes a GET call with a JSON body. GET is the default: with an explicit `method: 'GET'` n8n drops the body (docs/n8n.md N101).
 * @throws SegmindFailure unless the response is an object
 */
export async function getWithJsonBody(
	session: Session,
	path: string,
	body: Record<string, unknown>,
	subject: string,
): Promise<Record<string, unknown>> {
	const call: Omit<HttpCall, 'timeoutMs'> = {
		url: fineTuneUrl(session, path),
		headers: { 'content-type': 'application/json', accept: '*/*' },
		body: Buffer.from(JSON.stringify(body)),
	};
	const response = await readManaged(session, call, subject);
	const members = jsonOf(response);
	if (isObject(members)) return members;
	throw unusableFailure(session.client, response, { purpose: 'manage', subject });
}

/** Encodes a multipart form as bytes, because n8n drops FormData from a GET, but not bytes (docs/n8n.md N102). */
export async function encodeForm(
	fields: Record<string, string>,
): Promise<Pick<HttpCall, 'headers' | 'body'>> {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	const encoded = new Response(form);
	return {
		headers: { 'content-type': encoded.headers.get('content-type') ?? '', accept: '*/*' },
		body: Buffer.from(await encoded.arrayBuffer()),
	};
}

/** Fetches the object `finetune` in the response of GET /finetune/request/details; {} if the response has none (docs/service.md S341). */
export async function fetchJobDetails(
	session: Session,
	fineTuneId: string,
): Promise<Record<string, unknown>> {
	const { finetune } = await getWithJsonBody(
		session,
		'/details',
		{ request_id: fineTuneId },
		`fine-tune ${fineTuneId}`,
	);
	return isObject(finetune) ? finetune : {};
}
