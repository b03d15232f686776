import type { ICredentialDataDecryptedObject, IDataObject, IWebhookFunctions } from 'n8n-workflow';

import { systemClock, wait, type Clock } from '../shared/base/clock';
import { redact, type Redact } from '../shared/base/redact';
import { digest } from '../shared/base/hash';
import { SEGMIND_API } from '../shared/run/session';
import { firstList, isObject } from '../shared/service/schemas';
import { excerpt, reasonIn } from '../shared/service/errorBody';
import { gateFor } from '../shared/service/rateLimiter';
import { callService, type HttpCall } from '../shared/service/http';
import { memberText } from '../shared/service/picker';
import { joinUrl, originOf } from '../shared/service/origins';
import { jsonOf } from '../shared/service/unusable';
import { hasHappened } from './events';

/** A delivery is asked about so long after it came, ms: longer than the window of a rate limit, so that each is asked about once at least. */
export const CONFIRM_FOR_MS = 90_000;
/** One call takes at most so long, ms. */
const CALL_TIMEOUT_MS = 15_000;
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

/** A credential that was read and can be used. */
export interface Asker {
	context: IWebhookFunctions;
	credential: ICredentialDataDecryptedObject;
	baseUrl: string;
}

/**
 * Reads the credential. Must come before the answer: n8n may put away what it evaluates expressions with once a response has ended.
 * @returns undefined when the credential's address is none
 */
export async function readAsker(context: IWebhookFunctions): Promise<Asker | undefined> {
	const credential = await context.getCredentials(SEGMIND_API);
	const baseUrl = String(credential.baseUrl ?? '').trim();
	return originOf(baseUrl) === undefined ? undefined : { context, credential, baseUrl };
}

/** The limit of the account as far as this process knows it, calls a minute. */
export function knownLimit(asker: Asker): number | undefined {
	return gateOf(asker).knownLimit;
}

/** Reads a job (specification, Fine-tuning: a GET with a JSON body). Never throws; `deadline` in ms since the epoch. */
export async function askForJob(asker: Asker, jobId: string, deadline: number): Promise<JobAnswer> {
	const outcome = await call(asker, deadline, {
		// No `method`: n8n drops the body of a request that is named GET (platform fact 1).
		url: joinUrl(asker.baseUrl, '/finetune/request/details'),
		headers: { 'content-type': 'application/json', accept: 'application/json' },
		body: Buffer.from(JSON.stringify({ request_id: jobId })),
	});
	if ('why' in outcome) return { kind: 'passing', why: outcome.why };
	return jobAnswer(outcome.status, outcome.body, jobId, hiding(asker));
}

/** The jobs of the account (specification, Fine-tuning), `isWhole` when every job is among them; or why there is no list. Never throws. */
export async function askForList(
	asker: Asker,
	deadline: number,
): Promise<{ jobs: IDataObject[]; isWhole: boolean } | { why: string }> {
	const outcome = await call(asker, deadline, {
		method: 'GET',
		url: joinUrl(asker.baseUrl, '/finetune/request/list'),
		headers: { accept: 'application/json' },
	});
	if ('why' in outcome) return outcome;
	if (outcome.status !== 200 || typeof outcome.body !== 'object')
		return { why: `Segmind gave no list (HTTP ${outcome.status})` };
	const jobs = firstList(outcome.body).filter(isObject) as IDataObject[];
	// Only a bare list is the one of the specification; what stands in an object may be a page of it.
	return { jobs, isWhole: Array.isArray(outcome.body) };
}

/** Takes its turn among the other calls of the credential, after those that are paid for. */
async function call(
	asker: Asker,
	deadline: number,
	request: Omit<HttpCall, 'timeoutMs'>,
): Promise<{ status: number; body: unknown } | { why: string }> {
	const { context, credential } = asker;
	const { id = null, name = SEGMIND_API } = context.getNode().credentials?.[SEGMIND_API] ?? {};
	const gate = gateOf(asker);
	const turn = await gate.enter('poll', Math.max(deadline, systemClock.now() + 1));
	if (turn !== 'go') return { why: 'calls to Segmind had to wait too long' };
	let status = 0;
	let headers: Record<string, string> = {};
	try {
		const outcome = await callService(
			context,
			SEGMIND_API,
			{ ...request, timeoutMs: CALL_TIMEOUT_MS },
			// Handed on as read: reading it again may need an expression evaluated.
			{ credentialsDecrypted: { id: id ?? '', name, type: SEGMIND_API, data: credential } },
		);
		if ('fault' in outcome)
			return { why: hiding(asker)(`no answer from Segmind: ${outcome.fault.reason}`) };
		({ status, headers } = outcome.answer);
		return { status, body: jsonOf(outcome.answer) };
	} catch (error) {
		const reason = error instanceof Error ? error.message : 'unknown fault';
		return { why: hiding(asker)(`no answer from Segmind: ${reason}`) };
	} finally {
		gate.done('poll', status, headers);
	}
}

function gateOf({ context, credential, baseUrl }: Asker) {
	const id = context.getNode().credentials?.[SEGMIND_API]?.id;
	return gateFor(`${id ?? digest(String(credential.apiKey ?? '').trim())}|${baseUrl}`);
}

function hiding({ credential }: Asker): Redact {
	const secrets = [String(credential.apiKey ?? '').trim()];
	return (text) => excerpt(text, (words) => redact(words, secrets));
}

/** What an answer of the details call means; `hidden` makes a text fit for the log. */
export function jobAnswer(
	status: number,
	body: unknown,
	asked: string,
	hidden: Redact = excerpt,
): JobAnswer {
	const reason = reasonIn(body, hidden);
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
	return { kind: 'job', status: hidden(job.status), job: job as IDataObject };
}

/** Every id that a job of the API goes by. */
export function idsOf(job: Record<string, unknown>): string[] {
	return ['finetune_id', 'id', 'request_id'].flatMap((name) => {
		const id = memberText(job, name);
		return id === '' ? [] : [id];
	});
}
