import type { IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { wait, type Clock } from '../shared/base/clock';
import { jsonOf } from '../shared/service/answers';
import { Client, SEGMIND_API, readCredential } from '../shared/service/client';
import { excerpt, reasonIn } from '../shared/service/errorBody';
import type { HttpCall } from '../shared/service/http';
import { joinUrl, originOf } from '../shared/service/origins';
import { isObject } from '../shared/service/schemas';
import { hasHappened } from './events';

/** A delivery is asked about so long after it came, ms. */
export const CONFIRM_FOR_MS = 60_000;
/** One call takes at most so long, ms. */
const CALL_LIMIT_MS = 15_000;
const PAUSE_FIRST_MS = 1_000;
const PAUSE_LONGEST_MS = 10_000;

/** What the API said about a job: its state, `passing` for what may be otherwise soon, `final` for what will not. */
export type JobAnswer =
	| { kind: 'job'; status: string; job: IDataObject }
	| { kind: 'passing' | 'final'; why: string };

export type Verdict = { job: IDataObject } | { why: string };

/**
 * Asks until the event is confirmed, certainly never will be, or `deadline` (ms since the epoch) is reached. A status that lies before the
 * event is asked again too: the webhook may be a moment ahead of the API.
 */
export async function confirmation(
	event: string,
	ask: () => Promise<JobAnswer>,
	deadline: number,
	clock: Clock,
): Promise<Verdict> {
	for (let pause = PAUSE_FIRST_MS; ; pause = Math.min(pause * 2, PAUSE_LONGEST_MS)) {
		const answer = await ask();
		if (answer.kind === 'job' && hasHappened(event, answer.status)) return { job: answer.job };
		const why = answer.kind === 'job' ? `the job's status is ${answer.status}` : answer.why;
		if (answer.kind === 'final' || clock.now() + pause >= deadline) return { why };
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

/**
 * Reads a job (docs/service.md, Fine-tuning: a GET with a JSON body). Takes its turn among the other calls of the credential, after those
 * that are paid for. Never throws.
 */
export async function askForJob(
	client: Asker,
	jobId: string,
	deadline: number,
): Promise<JobAnswer> {
	const hidden = (text: string) => excerpt(client.redact(text));
	const call: HttpCall = {
		// No `method`: n8n drops the body of a request that is named GET (docs/n8n.md N1).
		url: joinUrl(client.urls.baseUrl, '/finetune/request/details'),
		headers: { 'content-type': 'application/json', accept: 'application/json' },
		body: Buffer.from(JSON.stringify({ request_id: jobId })),
		limitMs: CALL_LIMIT_MS,
	};
	try {
		const sent = await client.attempt(call, {
			lane: 'statusCheck',
			deadline: Math.max(deadline, client.clock.now() + 1),
		});
		if (sent.kind === 'answer') return jobAnswer(sent.answer.status, jsonOf(sent.answer), hidden);
		if (sent.kind === 'late')
			return { kind: 'passing', why: 'calls to Segmind had to wait too long' };
		return { kind: 'passing', why: hidden(`no answer from Segmind: ${sent.fault.reason}`) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : 'unknown fault';
		return { kind: 'passing', why: hidden(`no answer from Segmind: ${reason}`) };
	}
}

/** What an answer of the details call means. */
export function jobAnswer(
	status: number,
	body: unknown,
	hidden: (text: string) => string = (text) => text,
): JobAnswer {
	const reason = hidden(reasonIn(body));
	const told = reason === '' ? `HTTP ${status}` : `HTTP ${status}: ${reason}`;
	if (status === 404) return { kind: 'final', why: `Segmind knows no such job (${told})` };
	if (status === 401 || status === 403)
		return { kind: 'final', why: `the API key of the credential was not accepted (${told})` };
	if (status === 429 || status >= 500)
		return { kind: 'passing', why: `Segmind could not answer (${told})` };
	if (status < 200 || status >= 300)
		return { kind: 'final', why: `Segmind refused to look for the job (${told})` };
	const job = isObject(body) && isObject(body.finetune) ? body.finetune : body;
	if (!isObject(job) || typeof job.status !== 'string')
		return { kind: 'passing', why: "Segmind's answer names no status" };
	return { kind: 'job', status: hidden(excerpt(job.status)), job: job as IDataObject };
}
