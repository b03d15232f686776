import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { wait } from '../base/clock';
import { SegmindFailure, stopped } from '../base/failure';
import type { RequestRef } from '../journal/lifecycle';
import { submissions } from '../journal/submissions';
import { rawBody, type Presentation } from '../output/finished';
import { showProgress, type Session } from '../run/session';
import { isObject, type RequestAnswer } from '../service/schemas';
import { noAnswer, refusal, unusable } from '../service/answerErrors';
import { READ_LIMIT_MS } from '../service/client';
import { assertTrusted } from '../service/origins';
import { expectationsOf } from './expectations';
import { assertCompleted, itemOf, requestItem } from './generation';
import { readPresentation } from './presentation';
import { parseRequest, resultUrl, statusUrl, withAddresses } from './requestRef';
import {
	RESULT_PATIENCE_MS,
	about,
	checkStatus,
	failedWith,
	fetchResult,
	fromHistory,
	lookFrom,
	missing,
	waitForRequest,
	type Awaited,
	type Look,
} from './wait';

/** A look that does not wait is over within some seconds, ms: it must not hold a worker. */
const SHORT_LOOK_MS = 8_000;
/** A 404 is looked at again after these, ms. */
const MISSING_AGAIN_MS = [2_000, 4_000];

const NEXT = 'submit it with Run or Submit';

/**
 * The parameter `request` of an item. An item that failed before hands its own error on.
 * @throws SegmindFailure before any call when it is no request
 */
export function readRequest(session: Session, itemIndex: number): RequestRef {
	const value: unknown = session.context.getNodeParameter('request', itemIndex);
	const earlier = isObject(value) && value.request_id === undefined ? value.error : undefined;
	if (isObject(earlier) && typeof earlier.message === 'string')
		throw new SegmindFailure({
			message: earlier.message,
			description: typeof earlier.description === 'string' ? earlier.description : '',
			...(typeof earlier.request_id === 'string' ? { requestId: earlier.request_id } : {}),
			...(typeof earlier.status === 'string' ? { status: earlier.status } : {}),
			...(typeof earlier.httpCode === 'number' ? { httpCode: earlier.httpCode } : {}),
		});
	return parseRequest(value, session.client.urls.baseUrl);
}

/** Operation `getStatus`: the status answer as it came; a FAILED request is a good item here. */
export async function reportStatus(
	session: Session,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const { client } = session;
	const ref = withAddresses(readRequest(session, itemIndex), client.urls.baseUrl);
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined) throw missing(ref, { isOver: false, historyOutOfReach: false }, false);
	const sent = await client.read(
		{
			method: 'GET',
			url: assertTrusted(url, client.urls.baseUrl, ref.request_id),
			limitMs: READ_LIMIT_MS,
		},
		{
			lane: 'statusCheck',
			deadline: client.clock.now() + RESULT_PATIENCE_MS,
			requestId: ref.request_id,
		},
	);
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about(ref, 'status'));
	const look = await lookFrom(client, ref, sent.answer, 'status');
	switch (look.kind) {
		case 'passing':
		case 'late':
			throw refusal(client, sent.answer, about(ref, 'status'));
		case 'unreadable':
			throw unusable(client, look.answer, about(ref, 'status'), 'acceptedIfCompletes');
		case 'missing': {
			const ended = await fromHistory(client, ref, false);
			if (ended.kind === 'missing') throw missing(ref, ended, false);
			if (ended.kind === 'completed') return statusItem(ref, ended.body);
			return statusItem(ref, { status: 'FAILED', error: ended.reason || undefined });
		}
		case 'failed': {
			const { reason } = await failedWith(client, ref, look);
			return statusItem(ref, { ...look.body, error: look.body.error ?? (reason || undefined) });
		}
		default:
			return statusItem(ref, look.body);
	}
}

function statusItem({ request_id }: RequestRef, body: RequestAnswer): INodeExecutionData {
	return { json: { request_id, ...rawBody(body) } };
}

/** Operation `getResult`: waits for a request that was submitted elsewhere, or only looks at it, and gives its result. */
export async function fetchToEnd(
	session: Session,
	itemIndex: number,
	kind: 'model' | 'workflow',
): Promise<INodeExecutionData> {
	const presentation = readPresentation(session, itemIndex);
	const { options } = presentation;
	const request = readRequest(session, itemIndex);
	const label: IDataObject = request[kind] === undefined ? {} : { [kind]: request[kind] };
	const isOwn = submissions.isClaimed(request.request_id);
	session.requestIds.set(itemIndex, request.request_id);
	const waits = session.context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
	const told = waits
		? await waitFor(session, request, { itemIndex, isOwn, presentation })
		: await lookOnce(session, request, isOwn);
	if (
		told.kind === 'unfinished' ||
		(told.kind === 'timeout' && options.onTimeout === 'returnRequest')
	) {
		session.unfinished.add(itemIndex);
		if (told.kind === 'unfinished' && told.why)
			session.hints.add(
				`Item ${itemIndex}: request ${request.request_id} could not be looked at (${told.why}). It is given as unfinished; look again later.`,
			);
		const status = told.status ?? lastKnownStatus(session, itemIndex);
		return {
			json: unfinishedItem(
				request,
				status,
				label,
				told.kind === 'unfinished' ? told.body : undefined,
				presentation,
			),
		};
	}
	const completed = assertCompleted(told, request, options, { isOwn, next: NEXT });
	const isWorkflow = kind === 'workflow';
	return await itemOf(session, { itemIndex, request, label, isWorkflow, completed }, presentation);
}

async function waitFor(
	session: Session,
	request: RequestRef,
	{
		itemIndex,
		isOwn,
		presentation,
	}: { itemIndex: number; isOwn: boolean; presentation: Presentation },
): Promise<Awaited> {
	const { client } = session;
	const { timeoutMs, pollIntervalMs } = presentation.options;
	return await waitForRequest({ client, expectations: expectationsOf(session) }, request, {
		acceptedAt: client.clock.now(),
		isOwn,
		timeoutMs,
		pollIntervalMs,
		label: request.model ?? request.workflow ?? '',
		lookAtOnce: true,
		isBatch: session.items.length > 1,
		onStatus: (word) =>
			showProgress(session, itemIndex, `request ${request.request_id} is ${word}`),
	});
}

/** Not finished, or not told: `why` says why not, `body` is the status answer. */
interface Unfinished {
	kind: 'unfinished';
	status?: string;
	body?: RequestAnswer;
	why?: string;
}

/** One short look. A fault that a later look may get past leaves the request unfinished; nothing is waited for. */
async function lookOnce(
	session: Session,
	given: RequestRef,
	isOwn: boolean,
): Promise<Exclude<Awaited, { kind: 'timeout' }> | Unfinished> {
	const { client } = session;
	const ref = withAddresses(given, client.urls.baseUrl);
	const deadline = client.clock.now() + SHORT_LOOK_MS;
	const look = await lookAgainWhileMissing(session, ref, deadline);
	switch (look.kind) {
		case 'running':
			return { kind: 'unfinished', status: look.word, body: look.body };
		case 'failed':
			return await failedWith(client, ref, look);
		case 'missing': {
			const ended = await fromHistory(client, ref, !isOwn);
			if (ended.kind !== 'missing') return ended;
			// Accepted by this process within the hour: it is there, only not to be seen now.
			return isOwn ? { kind: 'unfinished', why: 'the service does not know it now' } : ended;
		}
		case 'completed':
			return await fetchResult(client, ref, look.body, { deadline, isOwn, isOver: false }).then(
				(result) => (result === 'running' ? { kind: 'unfinished' as const } : result),
				unfinishedFor,
			);
		default:
			return { kind: 'unfinished', why: 'the service could not answer' };
	}
}

/** A result that could not be read now is there next time. */
function unfinishedFor(error: unknown): Unfinished {
	const facts = error instanceof SegmindFailure ? error.facts : undefined;
	if (!facts?.passing || facts.haltsRun) throw error;
	return { kind: 'unfinished', why: facts.message };
}

async function lookAgainWhileMissing(
	{ client }: Session,
	ref: RequestRef,
	deadline: number,
): Promise<Look> {
	for (const pause of [...MISSING_AGAIN_MS, undefined]) {
		const look = await checkStatus(client, ref, { deadline, limitMs: SHORT_LOOK_MS });
		if (look.kind !== 'missing' || pause === undefined) return look;
		await wait(client.clock, pause, { signal: client.signal });
		if (client.signal?.aborted) throw stopped(ref.request_id);
	}
	return { kind: 'missing' };
}

/** The status the request came with; a result that could not be read yet does not count as finished. */
function lastKnownStatus(session: Session, itemIndex: number): string {
	const given: unknown = session.context.getNodeParameter('request', itemIndex);
	const word = isObject(given) && typeof given.status === 'string' ? given.status : 'QUEUED';
	return word.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : word;
}

/** All that is needed to look again, round after round, and what the status said besides. */
function unfinishedItem(
	request: RequestRef,
	status: string,
	label: IDataObject,
	body: RequestAnswer | undefined,
	{ simplify }: Presentation,
): IDataObject {
	const item = requestItem(request, status, label);
	if (body === undefined) return item;
	if (simplify)
		return isObject(body.metrics) ? { ...item, metrics: body.metrics as IDataObject } : item;
	return { ...item, ...rawBody(body), ...item };
}
