import type { RequestRef } from '../../journal/entry';
import { badInput, type SegmindFailure } from '../../base/failure';
import { shown } from '../../base/redact';
import { isObject, isRequestId, parseJson, submitAnswer } from '../../service/schemas';
import { timeOf } from '../../service/timeText';
import { assertTrusted, decoded, isPathSegment, joinUrl, pathSegment } from '../../service/origins';

/** The address of the light status call, and of the result (docs/service.md S84, S85, S104). */
export function statusUrl(ref: RequestRef): string | undefined {
	return ref.status_url ?? ref.poll_url;
}

export function resultUrl(ref: RequestRef): string | undefined {
	return ref.response_url ?? ref.status_url?.replace(/\/status\/?(?=$|\?)/, '') ?? ref.poll_url;
}

/** A reference from a submission's answer; undefined when it names neither an id nor an address. Adds nothing the service did not say. */
export function refFromSubmission(body: unknown): RequestRef | undefined {
	const parsed = submitAnswer.safeParse(body);
	if (!parsed.success) return undefined;
	const { request_id, poll_url, status_url, response_url } = parsed.data;
	const known = [response_url, status_url, poll_url].find((url) => url);
	const id = request_id || (known ? idFromUrl(known) : undefined);
	if (!id) return undefined;
	return { request_id: id, poll_url, status_url, response_url };
}

/** The reference with the canonical addresses where the service gave none. */
export function withAddresses(ref: RequestRef, baseUrl: string): RequestRef {
	if ((statusUrl(ref) ?? resultUrl(ref)) !== undefined || !isPathSegment(ref.request_id))
		return ref;
	return { ...ref, ...refFromId(ref.request_id, baseUrl) };
}

/** The canonical v2 addresses of a bare id. */
export function refFromId(id: string, baseUrl: string): RequestRef {
	const response_url = joinUrl(baseUrl, `/v2/requests/${pathSegment(id, 'Request')}`);
	return { request_id: id.trim(), response_url, status_url: `${response_url}/status` };
}

/**
 * Reads the parameter `request`: an id, one of the returned URLs, or the output of `submit` (object or JSON text).
 * @throws SegmindFailure when it is none of these, or an address outside the credential's origin or of anything but a request; nothing was
 * called then
 */
export function parseRequest(value: unknown, baseUrl: string): RequestRef {
	if (typeof value === 'number') return parseRequest(String(value), baseUrl);
	if (typeof value === 'string') {
		const text = value.trim();
		if (text === '') throw notARequest('Request is empty');
		if (text.includes('{{') || text.startsWith('={')) {
			throw badInput(
				`Request contains the text of an expression: '${shown(text)}'`,
				'Switch the field from Fixed to Expression, so that n8n evaluates it.',
			);
		}
		if (text.startsWith('{') || text.startsWith('[')) {
			const parsed = parseJson(text);
			if (parsed === undefined)
				throw notARequest(
					`Request '${shown(text)}' is neither JSON, nor a request ID, nor an address`,
				);
			return parseRequest(parsed, baseUrl);
		}
		if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return refFromUrl(text, baseUrl);
		if (/[\s/?#]/.test(text) || !isRequestId(text))
			throw notARequest(`Request '${shown(text)}' is neither a request ID nor an address`);
		return refFromId(text, baseUrl);
	}
	if (!isObject(value))
		throw notARequest(Array.isArray(value) ? 'Request is a list' : 'Request is empty');
	const ref = refFromSubmission(value);
	if (!ref) throw notARequest('The object in Request has no request_id and no address');
	for (const url of [ref.poll_url, ref.status_url, ref.response_url]) {
		if (url === undefined) continue;
		assertTrusted(url, baseUrl, ref.request_id);
		// The key must not fetch whatever else the API has.
		if (idFromRequestUrl(url) !== ref.request_id.trim())
			throw notARequest(`The address '${shown(url)}' is not one of request ${ref.request_id}`);
	}
	if (timeOf(value.submitted_at) !== undefined) ref.submitted_at = String(value.submitted_at);
	if (typeof value.model === 'string') ref.model = value.model;
	if (typeof value.workflow === 'string') ref.workflow = value.workflow;
	return (statusUrl(ref) ?? resultUrl(ref))
		? ref
		: { ...ref, ...refFromId(ref.request_id, baseUrl) };
}

function notARequest(what: string): SegmindFailure {
	return badInput(
		what,
		'Give a request ID, one of the URLs that Segmind returned, or the whole item of a request as {{ $json }}.',
	);
}

function refFromUrl(url: string, baseUrl: string): RequestRef {
	assertTrusted(url, baseUrl);
	const request_id = idFromRequestUrl(url);
	if (!request_id) throw notARequest(`Request '${shown(url)}' names no request`);
	const path = new URL(url).pathname;
	if (/\/status\/?$/.test(path)) return { request_id, status_url: url };
	// The v2 result address has its light status twin; any other returned address serves both purposes itself.
	if (/\/v2\/requests\/[^/]+\/?$/.test(path))
		return {
			request_id,
			response_url: url,
			status_url: `${url.split('?', 1)[0].replace(/\/$/, '')}/status`,
		};
	return { request_id, poll_url: url };
}

/** The segments of an address's path, decoded; [] when it is none, or one is broken or hides a slash. */
function segmentsOf(url: string): string[] {
	if (!URL.canParse(url)) return [];
	const segments = new URL(url).pathname.split('/').filter((segment) => segment !== '');
	const names = segments.map((segment) => decoded(segment) ?? '/');
	return names.some((name) => /[/\\]/.test(name)) ? [] : names;
}

/** The last path segment, or the one before `/status`. */
function idFromUrl(url: string): string | undefined {
	const segments = segmentsOf(url);
	if (segments.at(-1) === 'status') segments.pop();
	const id = segments.pop();
	return id && isRequestId(id) ? id : undefined;
}

/** The id in an address that ends in `/request(s)/{id}`, or in that and `/status`: a person or an agent may have written it. */
function idFromRequestUrl(url: string): string | undefined {
	const segments = segmentsOf(url);
	const before = segments.at(segments.at(-1) === 'status' ? -3 : -2) ?? '';
	return /^requests?$/.test(before) ? idFromUrl(url) : undefined;
}
