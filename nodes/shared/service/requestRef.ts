import type { CallSubject } from './responseErrors';
import {
	decodeSegment,
	isOwnUrl,
	isPathSegment,
	joinUrl,
	originOf,
	pathSegment,
	type ServiceUrls,
} from './addresses';
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
export function resultUrl({ response_url, status_url, poll_url }: RequestRef): string | undefined {
	if (response_url !== undefined) return response_url;
	const isUsual = status_url !== undefined && STATUS_ENDING.test(status_url);
	return isUsual ? status_url.replace(STATUS_ENDING, '') : poll_url;
}

const STATUS_ENDING = /\/status\/?(?=$|[?#])/;

/** Whether any URL is known for a status check or for the result. */
export function canFetch(ref: RequestRef | undefined): boolean {
	return ref !== undefined && (statusUrl(ref) ?? resultUrl(ref)) !== undefined;
}

/** Whether a request is a workflow's: its slug or one of its URLs says so (docs/service.md S153). An ID alone doesn't. */
export function isOfWorkflow({ workflow, ...ref }: RequestRef): boolean {
	const urls = [ref.poll_url, ref.status_url, ref.response_url];
	return workflow !== undefined || urls.some((url) => segmentsOf(url ?? '').includes('workflows'));
}

/** Reads the reference in the response to a submission; undefined if it has neither an ID nor a URL with one. */
export function refFromSubmission(body: unknown, urls: ServiceUrls): RequestRef | undefined {
	const ref = refIn(body, idSegmentOf);
	return ref && callableRef(ref, urls);
}

/**
 * Reads the reference in an object that somebody else than the service wrote; undefined if it has neither an ID nor a URL with one.
 * @throws SegmindFailure if no URL can be made of the ID
 */
export function refFromItem(json: unknown, urls: ServiceUrls): RequestRef | undefined {
	const ref = refIn(json, (url) => idInUrl(url, urls));
	return ref && withCallableUrls(ref, urls, 'others');
}

/** Reads the reference in a URL that somebody else than the service wrote; undefined if it contains no ID. */
export function refFromUrl(url: string, urls: ServiceUrls): RequestRef | undefined {
	const request_id = idInUrl(url, urls);
	if (request_id === undefined) return undefined;
	const callable = callableUrl(url, request_id, urls, 'others');
	if (callable === undefined) return refFromId(request_id, urls.baseUrl);
	const { pathname } = new URL(callable);
	if (STATUS_ENDING.test(pathname)) return { request_id, status_url: callable };
	// A v2 result URL has a light status URL. Any other returned URL serves both purposes.
	if (/\/v2\/requests\/[^/]+\/?$/.test(pathname))
		return {
			request_id,
			response_url: callable,
			status_url: `${callable.split(/[?#]/, 1)[0].replace(/\/$/, '')}/status`,
		};
	return { request_id, poll_url: callable };
}

/** Returns the reference with the canonical v2 URLs of a request ID. @throws SegmindFailure if the ID can't be part of a path */
export function refFromId(id: string, baseUrl: string): RequestRef {
	const response_url = joinUrl(baseUrl, `/v2/requests/${pathSegment(id, 'Request')}`);
	return { request_id: id.trim(), response_url, status_url: `${response_url}/status` };
}

/** Returns a reference of the service, which may be an earlier attempt's, with the URLs that this credential calls for it. */
export function callableRef(ref: RequestRef, urls: ServiceUrls): RequestRef {
	return withCallableUrls(ref, urls, 'service');
}

/** Who wrote a URL: the service in a response (also one in the journal), or others (an item, a user, an agent). */
type UrlWriter = 'service' | 'others';

/** Replaces each URL by the one to call, and adds the canonical URLs if that leaves none for the result. */
function withCallableUrls(ref: RequestRef, urls: ServiceUrls, writer: UrlWriter): RequestRef {
	const request_id = ref.request_id.trim();
	const decide = (url: string | undefined) =>
		url === undefined ? undefined : callableUrl(url, request_id, urls, writer);
	const decided = {
		...ref,
		poll_url: decide(ref.poll_url),
		status_url: decide(ref.status_url),
		response_url: decide(ref.response_url),
	};
	if (resultUrl(decided) !== undefined) return decided;
	if (writer === 'service' && !isPathSegment(request_id)) return decided;
	const { status_url, ...canonical } = refFromId(request_id, urls.baseUrl);
	return { ...decided, ...canonical, status_url: decided.status_url ?? status_url };
}

/**
 * Decides what is called for a URL of a request (docs/service.md S84): the URL itself, the same path at Base URL, or neither (undefined). The key goes
 * only to the credential's origins. There, the service's own URLs are called whatever their path; those of others only if they certainly name this request.
 */
function callableUrl(
	url: string,
	requestId: string,
	urls: ServiceUrls,
	writer: UrlWriter,
): string | undefined {
	const hasPublishedForm = idInPublishedUrl(url) === requestId;
	if (isOwnUrl(url, urls)) {
		if (writer === 'service' || hasPublishedForm) return url;
		const isAtBaseUrl = originOf(url) === originOf(urls.baseUrl);
		return isAtBaseUrl && idsInPath(url).includes(requestId) ? url : undefined;
	}
	// A proxy as Base URL passes on URLs with Segmind's address.
	if (!hasPublishedForm) return undefined;
	const { pathname, search } = new URL(url);
	return joinUrl(urls.baseUrl, `${pathname}${search}`);
}

/** Returns what an error about a call for this request names. */
export function callSubjectOf(ref: RequestRef, purpose: 'status' | 'result'): CallSubject {
	const subject = purpose === 'status' ? 'the status check' : 'the call for the result';
	return { purpose, subject, requestId: ref.request_id };
}

/** Returns the ID and the URLs in a response or an item. `idOf` finds the ID in a URL, if the ID itself is missing. */
function refIn(body: unknown, idOf: (url: string) => string | undefined): RequestRef | undefined {
	const parsed = submissionResponse.safeParse(body);
	if (!parsed.success) return undefined;
	const { request_id, poll_url, status_url, response_url } = parsed.data;
	const named = [response_url, status_url, poll_url].map((url) => url && idOf(url));
	const id = request_id?.trim() || named.find(Boolean);
	return id ? { request_id: id, poll_url, status_url, response_url } : undefined;
}

/** Returns the ID in a URL that others wrote: anything, as published, or else what has the form of the service's IDs. Elsewhere, only the form counts. */
function idInUrl(url: string, urls: ServiceUrls): string | undefined {
	const published = isOwnUrl(url, urls) ? idInPublishedUrl(url) : undefined;
	return published ?? idsInPath(url).at(-1);
}

/** Returns the ID in a URL that ends in `/request(s)/{id}` or `/request(s)/{id}/status`: the form of all published URLs. */
function idInPublishedUrl(url: string): string | undefined {
	const segments = segmentsOf(url);
	const parent = segments.at(segments.at(-1) === 'status' ? -3 : -2) ?? '';
	return /^requests?$/.test(parent) && !isOfFineTunes(segments) ? idSegmentOf(url) : undefined;
}

/** The form of the service's IDs: 32 hexadecimal digits, or a UUID (docs/service.md S86). */
const ID_FORM = /^([0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** Returns the segments of a URL's path that have the form of an ID. */
function idsInPath(url: string): string[] {
	const segments = segmentsOf(url);
	return isOfFineTunes(segments) ? [] : segments.filter((segment) => ID_FORM.test(segment));
}

/** Fine-tune jobs have URLs like `/finetune/request/list`, and IDs of the same form. */
function isOfFineTunes(segments: string[]): boolean {
	return segments.some((segment) => segment.toLowerCase() === 'finetune');
}

/** Returns the ID that is the last path segment or the one before `/status`. */
function idSegmentOf(url: string): string | undefined {
	const segments = segmentsOf(url);
	if (segments.at(-1) === 'status') segments.pop();
	const id = segments.pop();
	return id && isRequestId(id) ? id : undefined;
}

/** Returns the decoded segments of a URL's path; [] if it isn't a URL, or a server may read a segment as a part of another path. */
function segmentsOf(url: string): string[] {
	if (!URL.canParse(url)) return [];
	const segments = new URL(url).pathname.split('/').filter((segment) => segment !== '');
	const names = segments.map((segment) => decodeSegment(segment) ?? '/');
	return names.some((name) => AMBIGUOUS.test(name)) ? [] : names;
}

/** Characters that an encoded segment may hide: separators, and the sign of a second encoding. */
const AMBIGUOUS = /[/\\%?#;\p{Cc}]/u;
