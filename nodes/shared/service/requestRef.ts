import type { CallSubject } from './responseErrors';
import { decodeSegment, isPathSegment, joinUrl, pathSegment } from './addresses';
import { isRequestId, submissionResponse } from './schemas';

/** Where a request can be looked up. Member names are the service's, except for `submitted_at`. */
export interface RequestRef {
	request_id: string;
	poll_url?: string;
	status_url?: string;
	response_url?: string;
	/** Slug of the model; undefined if it's unknown. */
	model?: string;
	workflow?: string;
	/** ISO time of the submission, as far as this package knows it. The service keeps its record of the request for an hour from then on. */
	submitted_at?: string;
}

/** Returns the URL for status checks: the light one (`status_url`) if there is one (docs/service.md S84, S85). */
export function statusUrl(ref: RequestRef): string | undefined {
	return ref.status_url ?? ref.poll_url;
}

/** Returns the URL of the result (docs/service.md S104). */
export function resultUrl(ref: RequestRef): string | undefined {
	return ref.response_url ?? ref.status_url?.replace(/\/status\/?(?=$|\?)/, '') ?? ref.poll_url;
}

/** Whether any URL is known for a status check or for the result. */
export function canFetch(ref: RequestRef | undefined): boolean {
	return ref !== undefined && (statusUrl(ref) ?? resultUrl(ref)) !== undefined;
}

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
