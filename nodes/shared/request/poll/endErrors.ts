/** The errors of accepted requests. */
import type { FailureFacts, SegmindFailure } from '../../base/failure';
import {
	GET_RESULT,
	RESUMES,
	unusable,
	type ErrorRow,
	type UnusableResponse,
} from '../../errors/errorRows';
import { failureFrom } from '../../errors/failures';
import { say, whole, type Said } from '../../errors/say';
import { namedCauseIn } from '../../errors/statusTable';
import { callSubjectOf, resultUrl, type RequestRef } from '../../service/requestRef';
import { callFailure, unusableFailure } from '../../service/responseErrors';
import type { Client } from '../../service/client';
import type { CallOutcome } from '../../service/http';
import type { ResponseMeaning } from '../../service/responses';
import type { AcceptedRequest } from './acceptedRequest';
import type { Result } from '../../output/result';
import type { MissingFinding } from '../../service/history';
import type { FailedRequest, MissingRequest, RequestEnd, UnfinishedRequest } from './requestEnd';

/** How the node waited for a request. */
interface Waited {
	timeoutMs: number;
	/** Whether "Execute step" waits for the same request again. */
	resumesStep: boolean;
}

/** Returns the error of a request that ended without a result, or hasn't ended yet. */
export function endFailure(
	request: AcceptedRequest,
	end: Exclude<RequestEnd, Result>,
	waited: Waited,
): SegmindFailure {
	const { ref } = request;
	const requestId = ref.request_id;
	switch (end.kind) {
		case 'failed':
			return failedStatusFailure(ref, end);
		case 'contradicted': {
			const { reason, httpCode } = end;
			const facts = { requestId, httpCode, reason, status: 'COMPLETED' };
			return failureFrom('contradicted', contradicted(requestId, reason), facts);
		}
		case 'missing':
			return missingFailure(ref, end);
		case 'unfinished':
			return timeoutFailure(request, end, waited);
	}
}

function contradicted(requestId: string, reason: string): ErrorRow {
	return {
		what: say`Request ${requestId} completed, but its result says that it failed: ${reasonText(reason)}`,
		charge: 'inTodo',
		todo: say`It may have been charged. The request history in the Segmind console shows what it cost.`,
		retry: RESUMES,
	};
}

/** `reason`: Segmind's message, bounded; '' if there is none. */
function reasonText(reason: string): Said {
	return whole(reason || 'Segmind gave no reason');
}

const KEEPS_WAITING = say`A retry keeps waiting for this request instead of sending a new one, unless you change the inputs.`;

/** What to do in the editor. Comes first. */
export const EXECUTE_STEP = say`Click Execute step again: it waits for the same request, free.`;

/** Statuses of a request that is running (docs/service.md S94, S260). */
const KNOWN_STATUSES = new Set(['QUEUED', 'PROCESSING', 'PENDING']);

/** Returns the error of a request that hadn't ended when the timeout passed. Says only what is known of it. */
function timeoutFailure(
	{ ref: { request_id: requestId }, status }: AcceptedRequest,
	{ why, reason }: UnfinishedRequest,
	{ timeoutMs, resumesStep }: Waited,
): SegmindFailure {
	const seconds = timeoutMs / 1_000;
	const again = resumesStep ? say`${EXECUTE_STEP} ` : '';
	const facts = { requestId, status };
	if (status?.toUpperCase() === 'COMPLETED') {
		const row: ErrorRow = {
			what: say`Request ${requestId} completed, but its result could not be read within ${seconds} s: ${whole(why ?? 'Segmind did not return it')}`,
			charge: 'completed',
			todo: say`${again}${GET_RESULT}`,
			retry: KEEPS_WAITING,
		};
		return failureFrom('timedOut', row, facts);
	}
	if (why === undefined && status !== undefined && !KNOWN_STATUSES.has(status.toUpperCase())) {
		const row: ErrorRow = {
			what: say`Request ${requestId} had not ended after ${seconds} s: its status is '${status}', which the node doesn't know${reason ? say`: ${whole(reason)}` : ''}`,
			charge: 'ifCompletes',
			todo: say`${again}${GET_RESULT} The request history in the Segmind console may show what happened.`,
			retry: KEEPS_WAITING,
		};
		return failureFrom('timedOut', row, facts);
	}
	if (why === undefined) {
		const row: ErrorRow = {
			what: say`Request ${requestId} was still ${status ?? 'unfinished'} after ${seconds} s`,
			charge: 'ifCompletes',
			todo: say`${again}It is still running on Segmind. ${GET_RESULT} For slow models, increase the option Timeout (Seconds).`,
			retry: KEEPS_WAITING,
		};
		return failureFrom('timedOut', row, facts);
	}
	const known = status === undefined ? '' : say` Its last known status is ${status}.`;
	const row: ErrorRow = {
		what: say`The status of request ${requestId} could not be read when ${seconds} s had passed: ${whole(why)}`,
		charge: 'chargedIfCompletes',
		todo: say`${again}${GET_RESULT}${known}`,
		retry: KEEPS_WAITING,
	};
	return failureFrom('timedOut', row, { ...facts, isStatusOld: true });
}

function failedStatusFailure(
	{ request_id: requestId }: RequestRef,
	{ reason, httpCode }: FailedRequest,
): SegmindFailure {
	const row: ErrorRow = {
		what: say`Request ${requestId} failed: ${reasonText(reason)}`,
		charge: 'none',
		todo: adviceFor(reason),
	};
	return failureFrom('requestFailed', row, { requestId, httpCode, reason, status: 'FAILED' });
}

function adviceFor(reason: string): Said {
	if (reason === '') return say`Check the inputs, then run the node again.`;
	const named = namedCauseIn(reason);
	if (named !== undefined) return whole(named.todo);
	return say`Correct what is described above, then run the node again.`;
}

/** What the request history shows of an accepted request that Segmind can't find. */
const HISTORY_SAYS: Readonly<Record<MissingFinding, Said>> = {
	none: say`It isn't in the request history either.`,
	outOfReach: say`The request history, which may still have its file, could not be read.`,
	unfinished: say`The request history shows it as unfinished.`,
	completedWithoutFile: say`The request history shows it as completed, without a file.`,
};

/** Returns the error of a request that can't be found. */
export function missingFailure(
	{ request_id: requestId }: RequestRef,
	{ isReported, isLive, history }: Omit<MissingRequest, 'kind'>,
): SegmindFailure {
	const isCompleted = history === 'completedWithoutFile';
	const completion = { charge: 'completed', status: 'COMPLETED' } as const;
	const facts = { requestId, httpCode: 404, search: history, ...(isCompleted && completion) };
	if (!isReported) return unreportedFailure(facts);
	const found = HISTORY_SAYS[history];
	if (isLive)
		return failureFrom('missing', missingNow(requestId, found), { ...facts, transient: true });
	if (isCompleted) return failureFrom('missing', resultExpired(requestId), facts);
	return failureFrom('missing', missingForGood(requestId, found), {
		...facts,
		status: 'EXPIRED',
		...(history === 'outOfReach' && { transient: true }),
	});
}

const NEW_REQUEST = say`To send a new request, change an input of the node that sent it, or run the workflow again.`;

function missingNow(requestId: string, found: Said): ErrorRow {
	return {
		what: say`Segmind accepted request ${requestId}, but cannot find it at the moment`,
		charge: 'chargedIfCompletes',
		todo: say`${found} Check the credential: only the account that sent a request can see it.`,
		retry: RESUMES,
	};
}

function resultExpired(requestId: string): ErrorRow {
	return {
		what: say`Request ${requestId} completed, but its result has expired`,
		charge: 'completed',
		todo: say`Segmind keeps results other than files, such as texts, for one hour after submission. ${NEW_REQUEST}`,
		retry: say`A retry does not resend the request, unless you change the inputs.`,
	};
}

function missingForGood(requestId: string, found: Said): ErrorRow {
	return {
		what: say`Request ${requestId} was not found: its ID is wrong, or it has expired, belongs to another account, or is a workflow run`,
		charge: 'inTodo',
		todo: say`Segmind keeps a request for one hour after submission. ${found} If it completed, it was charged, and its file may still be in the console, which keeps files for 7 days. For a workflow run, enter its poll_url instead of the request ID. ${NEW_REQUEST}`,
	};
}

/** Returns the error of a request that somebody else than Segmind couldn't find: a proxy, or another server. It says nothing about the request. */
function unreportedFailure(
	facts: Pick<FailureFacts, 'httpCode' | 'charge' | 'status'> & {
		requestId: string;
		search: MissingFinding;
	},
): SegmindFailure {
	const { requestId, search } = facts;
	const row: ErrorRow = {
		what: say`The status of request ${requestId} could not be read: the response (HTTP 404) isn't from Segmind`,
		charge: 'chargedIfCompletes',
		todo: say`${HISTORY_SAYS[search]} Check the proxy or firewall between n8n and Segmind, and the addresses in the credential. Then get the result by its request ID with Get Result.`,
		retry: RESUMES,
	};
	return failureFrom('unreadable', row, { ...facts, responder: 'unknown', transient: true });
}

/** Returns the error of a request whose status can't be read. */
export function unreadStatusFailure(
	client: Client,
	ref: RequestRef,
	{ kind, outcome }: ResponseMeaning,
): SegmindFailure {
	const about = callSubjectOf(ref, 'status');
	if (outcome.kind === 'response' && kind === 'unreadable')
		return unusableFailure(client, outcome, about, { row: unusableStatus });
	return callFailure(client, outcome, about);
}

function unusableStatus(response: UnusableResponse): ErrorRow {
	return {
		...unusable(response),
		charge: 'chargedIfCompletes',
		todo: say`You can get the result by its request ID with Get Result.`,
		retry: RESUMES,
	};
}

/** Returns the error of a completed request whose result could not be read. `outcome`: of the last call for it. */
export function unreadResultFailure(
	client: Client,
	ref: RequestRef,
	outcome: CallOutcome,
): SegmindFailure {
	const exceededLimitBytes = outcome.kind === 'response' ? outcome.exceededLimitBytes : undefined;
	const { facts } = callFailure(client, outcome, callSubjectOf(ref, 'result'));
	const row = exceededLimitBytes
		? resultTooLarge(ref, exceededLimitBytes / 1_000_000)
		: resultUnread(ref, facts.message);
	return failureFrom('unreadable', row, {
		requestId: ref.request_id,
		httpCode: facts.httpCode,
		responder: facts.responder,
		responseShape: facts.responseShape,
		fatal: exceededLimitBytes ? undefined : facts.fatal,
		status: 'COMPLETED',
		transient: true,
	});
}

function resultUnread({ request_id: requestId }: RequestRef, why: string): ErrorRow {
	return {
		what: say`Request ${requestId} completed, but its result could not be read: ${whole(why)}`,
		charge: 'completed',
		todo: GET_RESULT,
		retry: RESUMES,
	};
}

function resultTooLarge(ref: RequestRef, megabytes: number): ErrorRow {
	return {
		what: say`Request ${ref.request_id} completed, but its result is larger than ${megabytes} MB`,
		charge: 'completed',
		todo: say`For one hour after submission, you can download the result from ${whole(resultUrl(ref) ?? 'its URL')} with the HTTP Request node and this credential.`,
		retry: RESUMES,
	};
}
