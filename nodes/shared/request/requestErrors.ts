import { SegmindFailure } from '../base/failure';
import type { RequestRef } from '../journal/lifecycle';
import type { Options } from '../run/options';
import { noAnswer, refusal, unusable } from '../service/answerErrors';
import { failureReason } from '../service/answers';
import type { Client } from '../service/client';
import { isSuccess } from '../service/http';
import type { Sent } from '../service/retry';
import type { RequestAnswer } from '../service/schemas';
import type { Completed, Failed, InHistory, Missing, WaitOutcome } from './outcome';
import { about } from './requestCalls';

/** The failures of a request that was accepted. Each says what is certain about charging, and what a retry does. */

/** @throws SegmindFailure unless the request completed */
export function assertCompleted(
	awaited: WaitOutcome,
	request: RequestRef,
	options: Options,
	{ isOwn, madeBy, next }: { isOwn: boolean; madeBy?: string; next: string },
): Completed {
	switch (awaited.kind) {
		case 'completed':
			return awaited;
		case 'missing':
			throw missing(request, awaited, isOwn, madeBy);
		case 'failed':
			throw failedRequest(request, awaited, next);
		case 'timeout':
			throw new SegmindFailure({
				message: `Request ${request.request_id} was still ${awaited.status} after ${options.timeoutMs / 1_000} s`,
				description: `It runs on at Segmind. It is charged if it completes. A retry goes on waiting for it and does not submit it again; Get Result with its request ID fetches it for one hour after submission. Raise the option Timeout for slow models.`,
				requestId: request.request_id,
				status: awaited.status,
			});
	}
}

/** What to do about a failed request of Run. */
export const RETRY_SUBMITS = 'run it again: a retry submits it again';

/** The failure of a request that FAILED. `next`: what to do, without a full stop. */
export function failedRequest(
	{ request_id }: RequestRef,
	{ reason, httpCode }: Failed,
	next: string,
): SegmindFailure {
	return new SegmindFailure({
		message: `Request ${request_id} failed: ${reason || 'the service gave no reason'}`,
		charge: 'none',
		advice: `${reason === '' ? 'Check the inputs against the page of the model' : 'Change what the text names'}, then ${next}.`,
		httpCode,
		requestId: request_id,
		status: 'FAILED',
	});
}

const HISTORY_SAYS: Record<InHistory, string> = {
	none: 'The request history does not have it either.',
	outOfReach: 'The request history, which may still have its file, could not be read.',
	unfinished: 'The request history has it as unfinished.',
	withoutFile: 'The request history shows that it completed, and has no file of it.',
};

/** The failure for a request that the service does not know. `madeBy`: the credential that made it, when it is not the one in use. */
export function missing(
	{ request_id }: RequestRef,
	{ isExpired, history }: Omit<Missing, 'kind'>,
	isOwn: boolean,
	madeBy?: string,
): SegmindFailure {
	const said = HISTORY_SAYS[history];
	if (madeBy !== undefined && (history === 'none' || history === 'outOfReach'))
		return new SegmindFailure({
			message: `Request ${request_id} was made with the credential '${madeBy}' and is not known to the account of this one`,
			charge: 'acceptedIfCompletes',
			advice: `Choose that credential again and retry, or fetch it with Get Result and that credential. It is not submitted again.`,
			httpCode: 404,
			requestId: request_id,
		});
	if (isOwn && !isExpired)
		return new SegmindFailure({
			message: `Request ${request_id} is not known to the service now, although it was accepted`,
			charge: history === 'withoutFile' ? 'completed' : 'acceptedIfCompletes',
			advice: `${said} A retry asks for it again and does not submit again.`,
			httpCode: 404,
			requestId: request_id,
			transient: true,
		});
	if (history === 'withoutFile')
		return new SegmindFailure({
			message: `Request ${request_id} completed, but its result has expired`,
			charge: 'completed',
			advice: `Segmind keeps what is no file, such as a text, for one hour after submission. A retry does not submit it again; to send a new request, change an input or run the workflow again.`,
			httpCode: 404,
			requestId: request_id,
			status: 'COMPLETED',
		});
	return new SegmindFailure({
		message: `Request ${request_id} is not known to the service: it has expired, or it belongs to another account or is a workflow run`,
		description: `Segmind keeps the record of a request for one hour after submission. ${said} If it completed, it was charged and its file may still be found in the console (files are kept for 7 days). For a workflow run, give the poll_url that Submit returned instead of the bare ID. To send a new request, change an input or run the workflow again.`,
		httpCode: 404,
		requestId: request_id,
		status: 'EXPIRED',
		...(history === 'outOfReach' ? { transient: true as const } : {}),
	});
}

/** COMPLETED is charged, FAILED is not: when the service says both, nothing may be sent again. */
export function contradicted(
	client: Client,
	ref: RequestRef,
	{ httpStatus, body }: { httpStatus: number; body: RequestAnswer },
): SegmindFailure {
	const reason = client.redact(failureReason(body)) || 'it gave no reason';
	return new SegmindFailure({
		message: `Request ${ref.request_id} completed, but its result says that it failed: ${reason}`,
		description:
			'Whether it was charged is unknown. A retry asks for the result again and does not submit again; the request history in the Segmind console shows what it cost.',
		httpCode: isSuccess(httpStatus) ? undefined : httpStatus,
		requestId: ref.request_id,
		status: 'COMPLETED',
	});
}

export function resultUnreadable(client: Client, ref: RequestRef, sent: Sent): SegmindFailure {
	const failure =
		sent.kind !== 'answer'
			? noAnswer(client, sent, about(ref, 'result'))
			: isSuccess(sent.answer.status)
				? unusable(client, sent.answer, about(ref, 'result'), 'completed')
				: refusal(client, sent.answer, about(ref, 'result'));
	return completedWithoutResult(ref, failure.facts.message, failure.facts);
}

export function completedWithoutResult(
	{ request_id }: RequestRef,
	message: string,
	facts: { httpCode?: number; fatal?: true } = {},
): SegmindFailure {
	return new SegmindFailure({
		message: message.includes(request_id)
			? message
			: `Request ${request_id} completed, but ${message}`,
		charge: 'completed',
		advice: `Its result could not be read. A retry fetches it and does not submit again; Get Result with its request ID does the same for one hour after submission.`,
		httpCode: facts.httpCode,
		fatal: facts.fatal,
		requestId: request_id,
		status: 'COMPLETED',
		transient: true,
	});
}
