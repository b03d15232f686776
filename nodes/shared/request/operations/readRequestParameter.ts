import { SegmindFailure } from '../../base/failure';
import { badInput } from '../../errors/failures';
import { say, type Said } from '../../errors/say';
import {
	canFetch,
	idFromRequestUrl,
	refFromId,
	refFromSubmission as refFromFields,
	type RequestRef,
} from '../../service/requestRef';
import { expressionFailure, faultOfName } from '../../parameters/expressions';
import type { Item } from '../../run/item';
import { assertTrustedOrigin } from '../../service/addresses';
import { isObject, isRequestId, parseJson } from '../../service/schemas';
import { timeOf } from '../../service/serviceTime';

/**
 * Reads the parameter `request` of an item. If an earlier node left an error in the item, throws that error again.
 * @throws SegmindFailure before any call if it isn't a request
 */
export function readRequestParameter({ run, parameters }: Item): RequestRef {
	const value = parameters.value('request');
	if (isObject(value) && value.request_id === undefined) assertNoEarlierError(value);
	return parseRequest(value, run.client.urls.baseUrl);
}

/** Throws the error that an earlier node may have left in the item: an object, as our nodes do, or a string, as most nodes of n8n do. */
function assertNoEarlierError({ error }: Record<string, unknown>): void {
	const { message, description, httpCode, ...more } = isObject(error) ? error : { message: error };
	if (typeof message !== 'string' || message === '') return;
	throw new SegmindFailure('badInput', {
		message,
		description: textOf(description) ?? 'An earlier node failed.',
		requestId: textOf(more.request_id),
		status: textOf(more.status),
		httpCode: typeof httpCode === 'number' ? httpCode : undefined,
	});
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/**
 * Reads a request: an ID, one of the returned URLs, or the item of a request (object or JSON text).
 * @throws SegmindFailure before any call if it is none of these, or a URL outside the credential's origins or not of a request
 */
export function parseRequest(value: unknown, baseUrl: string): RequestRef {
	if (typeof value === 'number') return refFromText(String(value), baseUrl);
	if (typeof value === 'string') return refFromText(value.trim(), baseUrl);
	if (isObject(value)) return refFromItem(value, baseUrl);
	throw notARequest(Array.isArray(value) ? say`is a list` : say`is empty`);
}

function refFromText(text: string, baseUrl: string): RequestRef {
	if (text === '') throw notARequest(say`is empty`);
	const fault = faultOfName(text);
	if (fault) throw expressionFailure({ label: 'Request', isSecret: false }, fault);
	if (text.startsWith('{') || text.startsWith('[')) {
		const parsed = parseJson(text);
		if (parsed !== undefined) return parseRequest(parsed, baseUrl);
		throw notARequest(say`is neither JSON, nor a request ID, nor a URL: '${text}'`);
	}
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return refFromUrl(text, baseUrl);
	if (/[\s/?#]/.test(text) || !isRequestId(text))
		throw notARequest(say`is neither a request ID nor a URL: '${text}'`);
	return refFromId(text, baseUrl);
}

function refFromItem(json: Record<string, unknown>, baseUrl: string): RequestRef {
	const ref = refFromFields(json);
	if (!ref) throw notARequest(say`is an object without a request_id or a URL`);
	for (const url of [ref.poll_url, ref.status_url, ref.response_url])
		if (url !== undefined) assertOwnUrl(url, ref.request_id, baseUrl);
	if (timeOf(json.submitted_at) !== undefined) ref.submitted_at = String(json.submitted_at);
	if (typeof json.model === 'string') ref.model = json.model;
	if (typeof json.workflow === 'string') ref.workflow = json.workflow;
	return canFetch(ref) ? ref : { ...ref, ...refFromId(ref.request_id, baseUrl) };
}

/** The key must not be used for other URLs of the API. */
function assertOwnUrl(url: string, requestId: string, baseUrl: string): void {
	assertTrustedOrigin(url, baseUrl, requestId);
	if (idFromRequestUrl(url) === requestId.trim()) return;
	throw notARequest(say`contains a URL that does not belong to request ${requestId}: '${url}'`);
}

function notARequest(fault: Said): SegmindFailure {
	return badInput({
		what: say`Request ${fault}`,
		todo: say`Enter a request ID, one of the URLs that Segmind returned, or the whole item of a request as {{ $json }}.`,
	});
}

function refFromUrl(url: string, baseUrl: string): RequestRef {
	assertTrustedOrigin(url, baseUrl);
	const request_id = idFromRequestUrl(url);
	if (!request_id) throw notARequest(say`is a URL without a request ID: '${url}'`);
	const path = new URL(url).pathname;
	if (/\/status\/?$/.test(path)) return { request_id, status_url: url };
	// A v2 result URL has a light status URL. Any other returned URL serves both purposes.
	if (/\/v2\/requests\/[^/]+\/?$/.test(path))
		return {
			request_id,
			response_url: url,
			status_url: `${url.split('?', 1)[0].replace(/\/$/, '')}/status`,
		};
	return { request_id, poll_url: url };
}
