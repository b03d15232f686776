import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../shared/base/clock';
import { redact, type Redact } from '../shared/base/redact';
import { jsonOf } from '../shared/service/answers';
import { Client, SEGMIND_API, readCredential } from '../shared/service/client';
import { excerpt, reasonIn } from '../shared/service/errorBody';
import type { HttpCall } from '../shared/service/http';
import { joinUrl, originOf } from '../shared/service/origins';
import { memberText } from '../shared/service/picker';
import { firstList, isObject } from '../shared/service/schemas';
import { hasHappened } from './events';

/** A delivery is asked about so long after it came, ms: longer than the window of a rate limit, so that each is asked about once at least. */
export const CONFIRM_FOR_MS = 90_000;
/** One call takes at most so long, ms. */
const CALL_LIMIT_MS = 15_000;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LONGEST_MS = 10_000;

/** What the API said about a job: its state, `passing` for what may be otherwise soon, `final` for what will not. */
export type JobAnswer =
	| { kind: 'job'; status: string; job: IDataObject }
	| { kind: 'passing' | 'final'; why: string; isUnknown?: true };

export type Verdict = { job: IDataObject } | { why: string };

/**
 * Asks until the event is confirmed, certainly never will be, or the time is up; `until` gives that, ms since the epoch. A status that lies
 * before the event is asked again too: the webhook may be a moment ahead of the API.
 */
export async function confirmation(
	event: string,
	ask: () => Promise<JobAnswer>,
	until: () => number,
	clock: Clock,
): Promise<Verdict> {
	let why = 'its time was up before Segmind could be asked';
	for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_LONGEST_MS)) {
		if (clock.now() >= until()) return { why };
		const answer = await ask();
		if (answer.kind === 'job' && hasHappened(event, answer.status)) return { job: answer.job };
		why = answer.kind === 'job' ? `the job's status is ${answer.status}` : answer.why;
		if (answer.kind === 'final' || clock.now() + pause >= until()) return { why };
		await wait(clock, pause);
	}
}

/** A client for a credential that was read. */
export type Asker = Client;

/**
 * Reads the credential. Must come before the answer: n8n may put away what it evaluates expressions with once a response has ended, so that
 * the credential is handed on as read.
 * @returns undefined when the credential's address is none
 */
export async function readAsker(context: IWebhookFunctions): Promise<Asker | undefined> {
	const { data, ...read } = await readCredential(context);
	if (originOf(read.urls.baseUrl) === undefined) return undefined;
	const { id = null, name = SEGMIND_API } = context.getNode().credentials?.[SEGMIND_API] ?? {};
	const credentialsDecrypted = { id: id ?? '', name, type: SEGMIND_API, data };
	return new Client({ ...read, context, additional: { credentialsDecrypted } });
}

/** Reads a job (docs/service.md, Fine-tuning: a GET with a JSON body). Never throws; `deadline` in ms since the epoch. */
export async function askForJob(
	client: Asker,
	jobId: string,
	deadline: number,
): Promise<JobAnswer> {
	const answer = await ask(client, deadline, {
		// No `method`: n8n drops the body of a request that is named GET (docs/n8n.md N101).
		url: joinUrl(client.urls.baseUrl, '/finetune/request/details'),
		headers: { 'content-type': 'application/json', accept: 'application/json' },
		body: Buffer.from(JSON.stringify({ request_id: jobId })),
	});
	if ('why' in answer) return { kind: 'passing', why: answer.why };
	return jobAnswer(answer.status, answer.body, jobId, client.redact);
}

/** The jobs of the account (docs/service.md, Fine-tuning), `isWhole` when every job is among them; or why there is no list. Never throws. */
export async function askForList(
	client: Asker,
	deadline: number,
): Promise<{ jobs: IDataObject[]; isWhole: boolean } | { why: string }> {
	const answer = await ask(client, deadline, {
		method: 'GET',
		url: joinUrl(client.urls.baseUrl, '/finetune/request/list'),
		headers: { accept: 'application/json' },
	});
	if ('why' in answer) return answer;
	const { status, body } = answer;
	if (status !== 200 || typeof body !== 'object')
		return { why: `Segmind gave no list (HTTP ${status})` };
	// Only a bare list is the one that Segmind documents; what stands in an object may be a page of it.
	return { jobs: firstList(body).filter(isObject) as IDataObject[], isWhole: Array.isArray(body) };
}

/** Takes its turn among the other calls of the credential, after those that are paid for. */
async function ask(
	client: Asker,
	deadline: number,
	call: Omit<HttpCall, 'limitMs'>,
): Promise<{ status: number; body: unknown } | { why: string }> {
	const unanswered = (reason: string) => ({
		why: excerpt(`no answer from Segmind: ${reason}`, client.redact),
	});
	try {
		const sent = await client.attempt(
			{ ...call, limitMs: CALL_LIMIT_MS },
			{ lane: 'statusCheck', deadline: Math.max(deadline, client.clock.now() + 1) },
		);
		if (sent.kind === 'answer') return { status: sent.answer.status, body: jsonOf(sent.answer) };
		if (sent.kind === 'late') return { why: 'calls to Segmind had to wait too long' };
		return unanswered(sent.fault.reason);
	} catch (error) {
		return unanswered(error instanceof Error ? error.message : 'unknown fault');
	}
}

/** What an answer of the details call means; `clean` takes secrets out of what is said of it. */
export function jobAnswer(
	status: number,
	body: unknown,
	asked: string,
	clean: Redact = redact,
): JobAnswer {
	const reason = reasonIn(body, clean);
	const told = reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}`;
	if (status === 404)
		return { kind: 'final', why: `Segmind knows no such job (${told})`, isUnknown: true };
	if (status === 401 || status === 403)
		return { kind: 'final', why: `the API key of the credential was not accepted (${told})` };
	if (status === 429 || status >= 500)
		return { kind: 'passing', why: `Segmind could not answer (${told})` };
	if (status < 200 || status >= 300)
		return { kind: 'final', why: `Segmind refused to look for the job (${told})` };
	const job = isObject(body) && isObject(body.finetune) ? body.finetune : body;
	if (!isObject(job) || typeof job.status !== 'string')
		return { kind: 'passing', why: "Segmind's answer names no status" };
	if (!idsOf(job).includes(asked))
		return { kind: 'passing', why: "Segmind's answer is not about this job" };
	return { kind: 'job', status: excerpt(job.status, clean), job: job as IDataObject };
}

/** Every id that a job of the API goes by. */
export function idsOf(job: Record<string, unknown>): string[] {
	return ['finetune_id', 'id', 'request_id'].flatMap((name) => {
		const id = memberText(job, name);
		return id === '' ? [] : [id];
	});
}
