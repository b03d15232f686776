import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { redact, type Redact } from '../shared/base/redact';
import { jsonOf } from '../shared/service/answers';
import { Client, SEGMIND_API, readCredential } from '../shared/service/client';
import { excerpt, reasonIn } from '../shared/service/errorBody';
import { isSuccess, type HttpCall } from '../shared/service/http';
import { joinUrl, originOf } from '../shared/service/origins';
import { memberText } from '../shared/service/picker';
import { firstList, isObject } from '../shared/service/schemas';

/** Time limit of one call, ms. */
const CALL_LIMIT_MS = 15_000;

/** What the API said about a job: its status, or why there is none. `transient`: the next call may get another answer; `final`: it will not. */
export type JobAnswer =
	| { kind: 'job'; status: string; job: IDataObject }
	| { kind: 'transient' | 'final'; why: string; isUnknown?: true };

/**
 * A client for the node's credential. Must be made before the delivery is answered: n8n may no longer evaluate expressions after that, so the
 * client carries the credential as it was read.
 * @returns undefined when Base URL in the credential is not an http(s) address
 */
export async function readClient(context: IWebhookFunctions): Promise<Client | undefined> {
	const { data, ...read } = await readCredential(context);
	if (originOf(read.urls.baseUrl) === undefined) return undefined;
	const { id = null, name = SEGMIND_API } = context.getNode().credentials?.[SEGMIND_API] ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type: SEGMIND_API, data };
	return new Client({ ...read, context, additional: { credentialsDecrypted } });
}

/** Reads a job (docs/service.md S341: a GET with a JSON body). Never throws; `deadline` in ms since the epoch. */
export async function fetchJob(
	client: Client,
	jobId: string,
	deadline: number,
): Promise<JobAnswer> {
	const answer = await call(client, deadline, {
		// No `method`: n8n drops the body of a request that is named GET (docs/n8n.md N101).
		url: joinUrl(client.urls.baseUrl, '/finetune/request/details'),
		headers: { 'content-type': 'application/json', accept: 'application/json' },
		body: Buffer.from(JSON.stringify({ request_id: jobId })),
	});
	if ('why' in answer) return { kind: 'transient', why: answer.why };
	return jobAnswer(answer.status, answer.body, jobId, client.redact);
}

/**
 * Reads the jobs of the account (docs/service.md S342). Never throws; `deadline` in ms since the epoch.
 * @returns `isWhole` when every job is certainly among them; `why` when there is no list
 */
export async function fetchJobList(
	client: Client,
	deadline: number,
): Promise<{ jobs: IDataObject[]; isWhole: boolean } | { why: string }> {
	const answer = await call(client, deadline, {
		method: 'GET',
		url: joinUrl(client.urls.baseUrl, '/finetune/request/list'),
		headers: { accept: 'application/json' },
	});
	if ('why' in answer) return answer;
	const { status, body } = answer;
	if (status !== 200 || typeof body !== 'object')
		return { why: `Segmind gave no list (HTTP ${status})` };
	// Only a bare list is what Segmind documents; a list within an object may be one page of it.
	return { jobs: firstList(body).filter(isObject) as IDataObject[], isWhole: Array.isArray(body) };
}

/** One call, through the credential's rate limiter, where calls for paid requests come first. */
async function call(
	client: Client,
	deadline: number,
	request: Omit<HttpCall, 'limitMs'>,
): Promise<{ status: number; body: unknown } | { why: string }> {
	const unanswered = (reason: string) => ({
		why: excerpt(`no answer from Segmind: ${reason}`, client.redact),
	});
	try {
		const sent = await client.attempt(
			{ ...request, limitMs: CALL_LIMIT_MS },
			{ purpose: 'statusCheck', deadline: Math.max(deadline, client.clock.now() + 1) },
		);
		if (sent.kind === 'answer') return { status: sent.answer.status, body: jsonOf(sent.answer) };
		if (sent.kind === 'late') return { why: 'calls to Segmind had to wait too long' };
		return unanswered(sent.fault.reason);
	} catch (error) {
		return unanswered(error instanceof Error ? error.message : 'unknown fault');
	}
}

/** What an answer of the details call means; `clean` removes secrets from the reason. Pure. */
export function jobAnswer(
	status: number,
	body: unknown,
	asked: string,
	clean: Redact = redact,
): JobAnswer {
	const reason = reasonIn(body, clean);
	const answered = reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}`;
	if (status === 404)
		return { kind: 'final', why: `Segmind knows no such job (${answered})`, isUnknown: true };
	if (status === 401 || status === 403)
		return { kind: 'final', why: `the API key of the credential was not accepted (${answered})` };
	if (status === 429 || status >= 500)
		return { kind: 'transient', why: `Segmind could not answer (${answered})` };
	if (!isSuccess(status))
		return { kind: 'final', why: `Segmind refused to look for the job (${answered})` };
	const job = isObject(body) && isObject(body.finetune) ? body.finetune : body;
	if (!isObject(job) || typeof job.status !== 'string')
		return { kind: 'transient', why: "Segmind's answer names no status" };
	if (!idsOf(job).includes(asked))
		return { kind: 'transient', why: "Segmind's answer is not about this job" };
	return { kind: 'job', status: excerpt(job.status, clean), job: job as IDataObject };
}

/** Every id by which the API may name the job. */
export function idsOf(job: Record<string, unknown>): string[] {
	return ['finetune_id', 'id', 'request_id'].flatMap((name) => {
		const id = memberText(job, name);
		return id === '' ? [] : [id];
	});
}
