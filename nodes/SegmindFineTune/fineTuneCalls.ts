import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { unusable } from '../shared/errors/failures';
import { quoted, whole } from '../shared/errors/say';
import { readManaged } from '../shared/manage/managedCalls';
import type { Run } from '../shared/run/run';
import type { HttpCall } from '../shared/service/http';
import { joinUrl } from '../shared/service/addresses';
import { reasonIn } from '../shared/service/errorBody';
import { filterEntries, readAccountList } from '../shared/service/picker';
import { unusableFailure } from '../shared/service/responseErrors';
import { jsonOf } from '../shared/service/responses';
import { isObject } from '../shared/service/schemas';

/** Returns the URL of a fine-tuning call (docs/service.md S340 to S346). */
export function fineTuneUrl({ client }: Run, path: string): string {
	return joinUrl(client.urls.baseUrl, `/finetune/request${path}`);
}

/**
 * Makes a GET call with a JSON body. GET is the default: with an explicit `method: 'GET'` n8n drops the body (docs/n8n.md N101).
 * @throws SegmindFailure unless the response is an object
 */
export async function getWithJsonBody(
	run: Run,
	path: string,
	body: Record<string, unknown>,
	subject: string,
): Promise<Record<string, unknown>> {
	const headers = { 'content-type': 'application/json', accept: '*/*' };
	const encoded = Buffer.from(JSON.stringify(body));
	const call = { url: fineTuneUrl(run, path), headers, body: encoded };
	const response = await readManaged(run, call, subject);
	const members = jsonOf(response);
	if (isObject(members)) return members;
	throw unusableFailure(run.client, response, { purpose: 'manage', subject });
}

/**
 * Fetches the object `finetune` in the response of GET /finetune/request/details (docs/service.md S341).
 * @throws SegmindFailure unless the response has one
 */
export async function fetchJobDetails(
	run: Run,
	request_id: string,
): Promise<Record<string, unknown>> {
	const subject = `the call for fine-tune ${quoted(request_id)}`;
	const body = await getWithJsonBody(run, '/details', { request_id }, subject);
	if (isObject(body.finetune)) return body.finetune;
	const why = whole(reasonIn(body, run.client.redact) || 'it has no job');
	throw unusable(subject, why);
}

/** Encodes a multipart form as bytes, because n8n drops FormData from a GET, but not bytes. */
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

/** Lists the account's fine-tune jobs that match the filter, with base model and status, for a picker; empty if they can't be read. Never throws. */
export async function searchFineTunes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const jobs = await readAccountList(this, 'baseUrl', '/finetune/request/list');
	const results = jobs.flatMap((job) => {
		const value = textOfMember(job, 'finetune_id', 'id');
		const name = textOfMember(job, 'name') || value;
		const details = [textOfMember(job, 'base_model'), textOfMember(job, 'status')].filter(Boolean);
		const about = details.length > 0 ? ` (${details.join(', ')})` : '';
		return value === '' ? [] : [{ name: `${name}${about}`, value }];
	});
	return { results: filterEntries(results, filter) };
}
