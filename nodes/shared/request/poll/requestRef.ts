import type { Clock } from '../../base/clock';
import { callRegister } from '../../journal/calls';
import { canFetch, type RequestRef } from '../../journal/entry';
import type { CallSubject } from '../../service/responseErrors';
import { READ_TIMEOUT_MS } from '../../service/client';
import type { HttpCall } from '../../service/http';
import { decodeSegment, isPathSegment, joinUrl, pathSegment } from '../../service/addresses';
import { isRequestId, submissionResponse } from '../../service/schemas';
import { timeOf } from '../../service/serviceTime';

/** Reads the reference in the response to a submission, with only the URLs that the service sent; undefined if it has neither an ID nor a URL with one. */
export function refFromSubmission(body: unknown): RequestRef | undefined {
	const parsed = submissionResponse.safeParse(body);
	if (!parsed.success) return undefined;
	const { request_id, poll_url, status_url, response_url } = parsed.data;
	const anyUrl = [response_url, status_url, poll_url].find((url) => url);
	const id = request_id || (anyUrl ? idSegmentOf(anyUrl) : undefined);
	if (!id) return undefined;
	return { request_id: id, poll_url, status_url, response_url };
}

/** Adds the canonical URLs if the reference has none. */
export function withUrls(ref: RequestRef, baseUrl: string): RequestRef {
	if (canFetch(ref) || !isPathSegment(ref.request_id)) return ref;
	return { ...ref, ...refFromId(ref.request_id, baseUrl) };
}

/** Returns the reference with the canonical v2 URLs of a request ID. */
export function refFromId(id: string, baseUrl: string): RequestRef {
	const response_url = joinUrl(baseUrl, `/v2/requests/${pathSegment(id, 'Request')}`);
	return { request_id: id.trim(), response_url, status_url: `${response_url}/status` };
}

/** How long after submission the service keeps a record of a request (docs/service.md S126). */
export const RECORD_LIFETIME_MS = 3_600_000;

/** Makes a GET call about a request. The client rejects a URL that isn't on an origin of the credential. */
export function makeGetCall(url: string, maxBytes: number): HttpCall {
	return { method: 'GET', url, timeoutMs: READ_TIMEOUT_MS, maxBytes };
}

/** Returns when the request was accepted, in ms since the epoch, according to its `submitted_at` or the register of calls; undefined if it's unknown. */
export function acceptanceTimeOf({ request_id, submitted_at }: RequestRef): number | undefined {
	return timeOf(submitted_at) ?? callRegister.claimedAt(request_id);
}

/** Whether the service must still have its record of a request, because the request was accepted less than an hour ago. */
export function isLiveRecord(ref: RequestRef, clock: Clock): boolean {
	const at = acceptanceTimeOf(ref);
	return at !== undefined && clock.now() - at < RECORD_LIFETIME_MS;
}

/** Returns what an error about a call for this request names. */
export function callSubjectOf(ref: RequestRef, purpose: 'status' | 'result'): CallSubject {
	return { purpose, subject: `request ${ref.request_id}`, requestId: ref.request_id };
}

/** Returns the decoded segments of a URL's path; [] if it isn't a URL, or a segment is invalid or contains a slash. */
function segmentsOf(url: string): string[] {
	if (!URL.canParse(url)) return [];
	const segments = new URL(url).pathname.split('/').filter((segment) => segment !== '');
	const names = segments.map((segment) => decodeSegment(segment) ?? '/');
	return names.some((name) => /[/\\]/.test(name)) ? [] : names;
}

/** Returns the ID that is the last path segment or the one before `/status`. */
function idSegmentOf(url: string): string | undefined {
	const segments = segmentsOf(url);
	if (segments.at(-1) === 'status') segments.pop();
	const id = segments.pop();
	return id && isRequestId(id) ? id : undefined;
}

/** Returns the ID in a URL that ends in `/request(s)/{id}` or `/request(s)/{id}/status`. A user or an agent may have written the URL. */
export function idFromRequestUrl(url: string): string | undefined {
	const segments = segmentsOf(url);
	const parent = segments.at(segments.at(-1) === 'status' ? -3 : -2) ?? '';
	// Fine-tune jobs have URLs like /finetune/request/list.
	const isFineTune = segments.includes('finetune');
	return /^requests?$/.test(parent) && !isFineTune ? idSegmentOf(url) : undefined;
}
