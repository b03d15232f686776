import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { systemClock, wait } from '../../base/clock';
import { SegmindFailure } from '../../base/failure';
import { stopped } from '../../errors/failures';
import type { RequestRef } from '../../journal/entry';
import { calls } from '../../journal/calls';
import { rawBody, type Presentation } from '../../output/finished';
import { showProgress, type Session } from '../../run/session';
import { isObject, type RequestAnswer } from '../../service/schemas';
import { noAnswer, refusal, unusable } from '../../service/answerErrors';
import { readAnswer } from '../../service/answers';
import type { Client } from '../../service/client';
import type { HttpAnswer } from '../../service/http';
import { timeOf } from '../../service/timeText';
import { readPresentation } from '../presentation';
import { fromHistory } from '../recover/fromHistory';
import { MissingChecks } from '../wait/missingChecks';
import type { Ended, Waited } from '../wait/outcome';
import { checkStatus, failedWith, readStatus, type CheckedStatus } from '../wait/statusCheck';
import { RECORD_LIFETIME_MS, waitFor } from '../wait/wait';
import { RESULT_PATIENCE_MS, fetchResult } from './fetchResult';
import { about, getCall } from './requestCalls';
import { finishedOf, missing } from './requestErrors';
import { parseRequest, resultUrl, statusUrl, withAddresses } from './requestRef';
import { itemOf, unfinishedItem } from './resultItem';

/** A check that does not wait must not hold a worker, ms: its status check, and all its calls together. */
const SHORT_CHECK_MS = 8_000;
const WHOLE_CHECK_MS = 15_000;

/**
 * The parameter `request` of an item. An item that failed before hands its own error on.
 * @throws SegmindFailure before any call when it is no request
 */
function readRequest(session: Session, itemIndex: number): RequestRef {
	const value: unknown = session.context.getNodeParameter('request', itemIndex);
	const earlier =
		isObject(value) && value.request_id === undefined ? earlierError(value) : undefined;
	if (earlier) throw earlier;
	return parseRequest(value, session.client.urls.baseUrl);
}

/** The error that a node before left in an item: an object of ours, or the text that most nodes of n8n leave. */
function earlierError({ error }: Record<string, unknown>): SegmindFailure | undefined {
	if (typeof error === 'string' && error !== '')
		return new SegmindFailure('badInput', {
			message: error,
			description: 'An earlier node failed.',
		});
	if (!isObject(error) || typeof error.message !== 'string') return undefined;
	const { message, description, request_id, status, httpCode } = error;
	return new SegmindFailure('badInput', {
		message,
		description: typeof description === 'string' ? description : 'An earlier node failed.',
		...(typeof request_id === 'string' ? { requestId: request_id } : {}),
		...(typeof status === 'string' ? { status } : {}),
		...(typeof httpCode === 'number' ? { httpCode } : {}),
	});
}

/** Operation `getStatus`: the status answer as it came; a FAILED request is a good item here. */
export async function reportStatus(
	session: Session,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const { client } = session;
	const ref = withAddresses(readRequest(session, itemIndex), client.urls.baseUrl);
	const url = statusUrl(ref) ?? resultUrl(ref);
	const isOwn = isKnownToLive(ref);
	if (url === undefined) throw missing(ref, { isExpired: false, history: 'none' }, isOwn);
	const sent = await client.read(getCall(client, url, ref), {
		purpose: 'statusCheck',
		deadline: client.clock.now() + RESULT_PATIENCE_MS,
		requestId: ref.request_id,
		isUsable: (answer) => saysState(answer, ref.request_id),
	});
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about(ref, 'status'));
	const checked = await readStatus(client, ref, sent.answer, 'status');
	switch (checked.kind) {
		case 'transient':
		case 'late':
			throw refusal(client, sent.answer, about(ref, 'status'));
		case 'unreadable':
		case 'maybeFailed':
			throw unusable(client, sent.answer, about(ref, 'status'), { charge: 'acceptedIfCompletes' });
		case 'missing': {
			const ended = await fromHistory(client, ref, false);
			if (ended.kind === 'missing' && ended.history === 'withoutFile')
				return statusItem(ref, { status: 'COMPLETED' });
			if (ended.kind === 'missing') throw missing(ref, ended, isOwn);
			if (ended.kind === 'finished') return statusItem(ref, ended.body);
			return statusItem(ref, { status: 'FAILED', error: ended.reason || undefined });
		}
		case 'failed': {
			const { reason } = await failedWith(client, ref, checked);
			return statusItem(ref, {
				...checked.body,
				error: checked.body.error ?? (reason || undefined),
			});
		}
		default:
			return statusItem(ref, checked.body);
	}
}

/** When it was accepted, as it says itself or as this process knows, ms since the epoch. */
function acceptedAt({ request_id, submitted_at }: RequestRef): number | undefined {
	return timeOf(submitted_at) ?? calls.claimedAt(request_id);
}

/** It is known to have been accepted, and its hour has not passed: the service must know it. */
function isKnownToLive(ref: RequestRef): boolean {
	const at = acceptedAt(ref);
	return at !== undefined && systemClock.now() - at < RECORD_LIFETIME_MS;
}

/** FAILED may stand under a 5xx. */
function saysState(answer: HttpAnswer, requestId: string): boolean {
	return readAnswer(answer, requestId, 'status').kind !== 'transient';
}

function statusItem({ request_id }: RequestRef, body: RequestAnswer): INodeExecutionData {
	return { json: { request_id, ...rawBody(body) } };
}

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only checks it, and gives its result. */
export async function fetchToEnd(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const presentation = handingOn(session, itemIndex, readPresentation(session, itemIndex));
	const { options } = presentation;
	const request = readRequest(session, itemIndex);
	const label: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const isOwn = isKnownToLive(request);
	session.requestIds.set(itemIndex, request.request_id);
	const waits = session.context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
	const outcome = waits
		? await waitOrLeave(session, request, { itemIndex, isOwn, presentation })
		: await checkOnce(session, request, isOwn);
	if (outcome.kind === 'unfinished')
		return unfinished(session, { itemIndex, request, label, outcome, presentation });
	const finished = finishedOf(outcome, request, options, isOwn);
	const isWorkflow = kind === 'workflow';
	return await itemOf(
		session,
		{ itemIndex, ref: request, label, isWorkflow, finished },
		presentation,
	);
}

/** What the request carries along under `input` already goes on with it, round after round. */
function handingOn(session: Session, itemIndex: number, presentation: Presentation): Presentation {
	const { input, request_id } = session.items[itemIndex].json;
	return isObject(input) && typeof request_id === 'string'
		? { ...presentation, input: input as IDataObject }
		: presentation;
}

/** Waits for it; with When Time Is Up = Return the Request, what a later check may get past leaves it unfinished. */
async function waitOrLeave(
	session: Session,
	request: RequestRef,
	{
		itemIndex,
		isOwn,
		presentation,
	}: { itemIndex: number; isOwn: boolean; presentation: Presentation },
): Promise<Waited | Unfinished> {
	const { timeoutMs, pollIntervalMs, onTimeout } = presentation.options;
	let lastWord: string | undefined;
	const waiting = waitFor(session, request, {
		acceptedAt: acceptedAt(request) ?? session.clock.now(),
		isOwn,
		timeoutMs,
		pollIntervalMs,
		label: request.model ?? request.workflow ?? '',
		checkAtOnce: true,
		onStatus: (word) => {
			lastWord = word;
			showProgress(session, itemIndex, `request ${request.request_id} is ${word}`);
		},
	});
	if (onTimeout === 'error') return await waiting;
	const outcome = await waiting.catch(unfinishedFor);
	if (outcome.kind === 'missing') return unfinishedIfKnown(outcome, isOwn);
	return outcome.kind === 'timeUp' ? { kind: 'unfinished', status: lastWord } : outcome;
}

/** Not finished, or not known: `why` says why not, `body` is the status answer. */
interface Unfinished {
	kind: 'unfinished';
	status?: string;
	body?: RequestAnswer;
	why?: string;
}

/** One short check. A fault that a later one may get past leaves the request unfinished; nothing is waited for. */
async function checkOnce(
	session: Session,
	request: RequestRef,
	isOwn: boolean,
): Promise<Ended | Unfinished> {
	const startedAt = session.client.clock.now();
	const client = session.client.until(startedAt + WHOLE_CHECK_MS);
	const deadline = startedAt + SHORT_CHECK_MS;
	// What is held back for longer than that is not waited for: all items of a batch would, one after the other.
	if (client.limiter.pauseEndsAt > deadline)
		return { kind: 'unfinished', why: 'the rate limit of the account is used up' };
	const ref = withAddresses(request, client.urls.baseUrl);
	const outcome = await checkedEnd(client, ref, { deadline, isOwn }).catch(unfinishedFor);
	if (client.signal?.aborted) throw stopped(ref.request_id);
	return outcome;
}

async function checkedEnd(
	client: Client,
	ref: RequestRef,
	{ deadline, isOwn }: { deadline: number; isOwn: boolean },
): Promise<Ended | Unfinished> {
	const checked = await checkAgainWhileMissing(client, ref, deadline);
	switch (checked.kind) {
		case 'running':
			return { kind: 'unfinished', status: checked.word, body: checked.body };
		case 'failed':
			return await failedWith(client, ref, checked);
		case 'missing':
			return unfinishedIfKnown(await fromHistory(client, ref, !isOwn), isOwn);
		case 'completed': {
			const result = await fetchResult(client, ref, checked.body, {
				deadline,
				isOwn,
				isExpired: !isOwn,
			});
			if (result === 'running') return { kind: 'unfinished' };
			return result.kind === 'missing' ? unfinishedIfKnown(result, isOwn) : result;
		}
		default:
			return { kind: 'unfinished', why: 'the service could not answer' };
	}
}

/** What is known to be there, only not to be seen now: by the history, or because this process had it accepted within the hour. */
function unfinishedIfKnown(ended: Ended, isOwn: boolean): Ended | Unfinished {
	if (ended.kind !== 'missing') return ended;
	const isThere = ended.history === 'unfinished' || (isOwn && !ended.isExpired);
	return isThere ? { kind: 'unfinished', why: 'the service does not know it now' } : ended;
}

/** A result that could not be read now is there next time. */
function unfinishedFor(error: unknown): Unfinished {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.transient || facts.fatal) throw error;
	return { kind: 'unfinished', why: facts.message };
}

async function checkAgainWhileMissing(
	client: Client,
	ref: RequestRef,
	deadline: number,
): Promise<CheckedStatus> {
	const { clock, signal } = client;
	const missing = new MissingChecks(false);
	for (;;) {
		const checked = await checkStatus(client, ref, { deadline, limitMs: SHORT_CHECK_MS });
		if (checked.kind !== 'missing' || !missing.checkAgain(clock.now())) return checked;
		await wait(clock, (missing.takeNext() ?? 0) - clock.now(), { signal });
		if (signal?.aborted) throw stopped(ref.request_id);
	}
}

/** The status the request came with. */
function lastKnownStatus(session: Session, itemIndex: number): string {
	const request: unknown = session.context.getNodeParameter('request', itemIndex);
	return isObject(request) && typeof request.status === 'string' ? request.status : 'QUEUED';
}

/** A loop in the workflow ends on COMPLETED: a request whose result could not be read yet does not count as finished. */
function unfinishedStatus(status: string): string {
	return status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : status;
}

/** All that is needed to check again, round after round, and what the status said besides. */
function unfinished(
	session: Session,
	{
		itemIndex,
		request,
		label,
		outcome: { status = lastKnownStatus(session, itemIndex), body, why },
		presentation,
	}: {
		itemIndex: number;
		request: RequestRef;
		label: IDataObject;
		outcome: Unfinished;
		presentation: Presentation;
	},
): INodeExecutionData {
	if (why)
		session.hints.add(
			`Item ${itemIndex}: request ${request.request_id} could not be checked (${why}). Its item says that it is unfinished; check again later.`,
		);
	const { json: item } = unfinishedItem(
		session,
		{ itemIndex, label },
		request,
		unfinishedStatus(status),
		presentation,
	);
	if (body === undefined) return { json: item };
	if (!presentation.simplify) return { json: { ...item, ...rawBody(body), ...item } };
	return {
		json: isObject(body.metrics) ? { ...item, metrics: body.metrics as IDataObject } : item,
	};
}
