import { SegmindFailure } from '../../base/failure';
import { badInput } from '../../errors/failures';
import { say, type Said } from '../../errors/say';
import { refFromId, refFromItem, refFromUrl, type RequestRef } from '../../service/requestRef';
import type { Item } from '../../run/item';
import { showProgress } from '../../run/run';
import { assertOwnUrl, type ServiceUrls } from '../../service/addresses';
import { isObject, isRequestId, parseJson } from '../../service/schemas';
import { timeOf } from '../../service/serviceTime';
import { AcceptedRequest } from '../poll/acceptedRequest';

/**
 * Reads the parameter `request` of an item: a request that something else has sent. If an earlier node left an error in the item, throws that error again.
 * @throws SegmindFailure before any call if it isn't a request
 */
export function readRequestParameter({ run, index, parameters }: Item): AcceptedRequest {
	const value = parameters.value('request');
	if (isObject(value) && value.request_id === undefined) assertNoEarlierError(value);
	return new AcceptedRequest(parseRequest(value, run.client.urls), {
		status: statusIn(typeof value === 'string' ? parseJson(value) : value),
		show: (text) => showProgress(run, index, text),
	});
}

/** Returns the status in the item of a request. */
function statusIn(request: unknown): string | undefined {
	return isObject(request) ? textOf(request.status) : undefined;
}

/** Throws the error that an earlier node may have left in the item: an object, as our nodes do, or a string, as most nodes of n8n do. */
function assertNoEarlierError({ error }: Record<string, unknown>): void {
	const { message, description, httpCode, ...more } = isObject(error) ? error : { message: error };
	if (typeof message !== 'string' || message === '') return;
	throw new SegmindFailure('badInput', {
		message,
		next: textOf(description) ?? 'An earlier node failed.',
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
 * @throws SegmindFailure before any call if it is none of these
 */
export function parseRequest(value: unknown, urls: ServiceUrls): RequestRef {
	if (typeof value === 'number') return readText(String(value), urls);
	if (typeof value === 'string') return readText(value.trim(), urls);
	if (isObject(value)) return readItem(value, urls);
	throw notARequest(Array.isArray(value) ? say`is a list` : say`is empty`);
}

function readText(text: string, urls: ServiceUrls): RequestRef {
	if (text === '') throw notARequest(say`is empty`);
	if (text.startsWith('{') || text.startsWith('[')) {
		const parsed = parseJson(text);
		if (parsed !== undefined) return parseRequest(parsed, urls);
		throw notARequest(say`is neither JSON, nor a request ID, nor a URL: '${text}'`);
	}
	if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
		const ref = refFromUrl(text, urls);
		if (ref) return ref;
		assertOwnUrl(text, urls);
		throw notARequest(say`is a URL without a request ID: '${text}'`);
	}
	if (/[\s/?#]/.test(text) || !isRequestId(text))
		throw notARequest(say`is neither a request ID nor a URL: '${text}'`);
	return refFromId(text, urls.baseUrl);
}

function readItem(json: Record<string, unknown>, urls: ServiceUrls): RequestRef {
	const ref = refFromItem(json, urls);
	if (!ref) throw notARequest(say`is an object without a request_id or a URL of a request`);
	if (timeOf(json.submitted_at) !== undefined) ref.submitted_at = String(json.submitted_at);
	if (typeof json.model === 'string') ref.model = json.model;
	if (typeof json.workflow === 'string') ref.workflow = json.workflow;
	return ref;
}

function notARequest(fault: Said): SegmindFailure {
	return badInput(
		say`Request ${fault}`,
		say`Enter a request ID, one of the URLs that Segmind returned, or the whole item of a request as {{ $json }}.`,
	);
}
