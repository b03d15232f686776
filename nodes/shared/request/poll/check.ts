/** One call about a request, and what its response means. A call that was cut short says nothing about the request. */
import { stoppedFailure } from '../../errors/failures';
import { callSubjectOf, resultUrl, statusUrl, type RequestRef } from '../../service/requestRef';
import { READ_TIMEOUT_MS, type Client } from '../../service/client';
import { MAX_RESPONSE_BYTES, type HttpCall } from '../../service/http';
import { callFailure } from '../../service/responseErrors';
import { reasonIn } from '../../service/errorBody';
import {
	hasResult,
	readResponse,
	type FailedResponse,
	type ResponseMeaning,
} from '../../service/responses';
import type { FailedRequest } from './requestEnd';

/** What a call about a request showed. `ref`: the reference to use from then on, if another URL than the first one answered. */
export type Check = ResponseMeaning & { ref?: RequestRef };

interface CheckRules {
	/** When to give up waiting for the rate limiter, in ms since the epoch. */
	deadline: number;
	/** Whether the call is repeated after transient faults, until the deadline. */
	repeats?: boolean;
}

interface AskRules extends CheckRules {
	priority: 'statusCheck' | 'result';
}

/**
 * Makes one status check.
 * @throws SegmindFailure if Segmind itself rejects the check, or it can't be sent, or when stopped
 */
export async function checkStatus(
	client: Client,
	ref: RequestRef,
	rules: CheckRules,
): Promise<Check> {
	const url = statusUrl(ref) ?? resultUrl(ref);
	if (url === undefined)
		return { kind: 'missing', isReported: true, outcome: { kind: 'unsent', reason: '' } };
	const check = await askAbout(client, ref, url, { priority: 'statusCheck', ...rules });
	const { kind, outcome } = check;
	if (kind === 'rejected' || outcome.kind === 'unsent')
		throw client.fatal.remember(callFailure(client, outcome, callSubjectOf(ref, 'status')));
	return check;
}

/**
 * Makes a call about a request. If its URL doesn't know the request, asks `poll_url` before anything is concluded (docs/service.md S154).
 * @throws SegmindFailure when stopped
 */
export async function askAbout(
	client: Client,
	ref: RequestRef,
	url: string,
	rules: AskRules,
): Promise<Check> {
	const first = await callAbout(client, ref, url, rules);
	const { poll_url } = ref;
	if (poll_url === undefined || poll_url === url || !isUnknownThere(first)) return first;
	const second = await callAbout(client, ref, poll_url, rules);
	// After COMPLETED, only the result is an answer.
	if (rules.priority === 'result' && second.kind === 'completed' && !hasResult(second.body))
		return first;
	const hasAnswered = ['running', 'completed', 'failed'].includes(second.kind);
	return { ...second, ...(hasAnswered && { ref: { ...ref, status_url: undefined } }) };
}

/** Whether a response shows that its URL doesn't know the request: 404, 405, or the 400 for an unknown path (docs/service.md S10, S195). */
function isUnknownThere({ kind, outcome }: Check): boolean {
	if (kind === 'missing') return true;
	return (
		kind === 'unreadable' && outcome.kind === 'response' && [400, 405].includes(outcome.status)
	);
}

/** Makes one call about a request, and reads its response. @throws SegmindFailure when stopped */
async function callAbout(
	client: Client,
	ref: RequestRef,
	url: string,
	{ repeats, ...rules }: AskRules,
): Promise<Check> {
	const { request_id: requestId } = ref;
	// The light status URL returns only the status, never the result.
	const isLight = url === ref.status_url && url !== resultUrl(ref);
	const maxBytes = isLight ? MAX_RESPONSE_BYTES.status : MAX_RESPONSE_BYTES.result;
	// The client rejects a URL that isn't on an origin of the credential.
	const call: HttpCall = { method: 'GET', url, timeoutMs: READ_TIMEOUT_MS, maxBytes };
	const outcome = repeats
		? await client.read(call, {
				...rules,
				requestId,
				// Even a 5xx response may report FAILED.
				isUsable: (response) =>
					!['transient', 'rateLimited'].includes(readResponse(response, requestId).kind),
			})
		: await client.callOnce(call, { ...rules, requestId });
	if (client.signal?.aborted) throw stoppedFailure(requestId);
	return readResponse(outcome, requestId, rules.priority === 'result');
}

/** Reads why a request failed, from the status response or, if the reason isn't there, from the result, where it's specified. */
export async function readFailedRequest(
	client: Client,
	ref: RequestRef,
	{ httpCode, body }: FailedResponse,
	deadline: number,
): Promise<FailedRequest> {
	let reason = reasonIn(body, client.redact);
	const url = resultUrl(ref)!;
	if (reason === '' && url !== statusUrl(ref)) {
		const result = await askAbout(client, ref, url, { priority: 'result', deadline });
		if (result.kind === 'failed') reason = reasonIn(result.body, client.redact);
	}
	return { kind: 'failed', body, reason, httpCode };
}
