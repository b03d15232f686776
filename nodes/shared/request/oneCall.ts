/** POST {baseUrl}/v1/{model}: one call that responds with the output itself (docs/service.md S60). */
import type { IDataObject } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { callRegister } from '../journal/callRegister';
import { bareType, typeBySignature, typeOfFile } from '../media/mediaTypes';
import { dropUndefined } from '../output/outputFields';
import type { Result } from '../output/result';
import type { HttpResponse } from '../service/http';
import { hasResult, isOnlyError } from '../service/responses';
import { isObject, isRequestId, parseResult } from '../service/schemas';

/** The content of a v1 response: JSON (only then, `isText` is set), a file, or a text, which is the output of its result as in a v2 request. */
type V1Content = Pick<Result, 'body' | 'isText' | 'files'>;

/**
 * Reads a successful v1 body by its first bytes, then by content type, which is sometimes wrong (docs/service.md S63). Pure.
 * Returns undefined if the body is empty or can't be recognized.
 */
export function readV1(response: HttpResponse): V1Content | undefined {
	const declaredType = bareType(response.headers['content-type']);
	const { body } = response;
	if (body.length === 0) return undefined;
	const fileOf = (mimeType: string) => ({ body: {}, files: [{ bytes: body, mimeType }] });
	if (typeBySignature(body) !== undefined) return fileOf(typeOfFile(declaredType, [], body));
	const isDeclared = declaredType === 'application/json';
	const isJson = isDeclared || /^\s*[[{]/.test(body.toString('latin1', 0, 64));
	const parsed = isJson ? parseResult(body.toString('utf8')) : undefined;
	if (isObject(parsed)) return { body: parsed, isText: !isDeclared, files: [] };
	if (Array.isArray(parsed)) return { body: { output: parsed }, isText: !isDeclared, files: [] };
	const isText = /^text\/(?!html)/.test(declaredType);
	const text = isText ? body.toString('utf8') : parsed;
	if (typeof text === 'string') return { body: { output: text }, files: [] };
	// A page is a gateway's. Anything else was paid.
	const isUnusable = isDeclared || ['', 'text/html'].includes(declaredType);
	return isUnusable ? undefined : fileOf(declaredType);
}

/** Returns the response headers of a v1 call under their output names; only those that were sent (docs/service.md S66). */
export function v1Headers(headers: Record<string, string>): IDataObject {
	return dropUndefined({
		cost: numberIn(headers['x-cost']),
		remaining_credits: numberIn(headers['x-remaining-credits']),
		generation_time: numberIn(headers['x-generation-time']),
		seed: headers['x-seed-value'] || undefined,
	});
}

/** What the response to a v1 call contains; each member is undefined if it has none. */
interface OneCall {
	result?: Result;
	requestId?: string;
	/** The error in place of a result. */
	error?: Record<string, unknown>;
}

/** Reads the response to a v1 call. */
export function readOneCall(response: HttpResponse): OneCall {
	const requestId = requestIdIn(response);
	// If another call already has this ID, a proxy has returned a stored response.
	if (requestId !== undefined && callRegister.isClaimed(requestId)) return {};
	const content = readV1(response);
	if (!content) return { requestId };
	const { body, isText, files } = content;
	// A model may have written a text.
	if (isText === false && isOnlyError(body)) return { requestId, error: body };
	// JSON with only a status isn't a result; the history may show the request.
	if (files.length === 0 && !hasResult(body)) return { requestId };
	const headers = v1Headers(response.headers);
	return { result: { kind: 'completed', from: 'oneCall', headers, ...content }, requestId };
}

function requestIdIn({ headers }: HttpResponse): string | undefined {
	const id = headers['x-request-id'] ?? '';
	return id !== '' && isRequestId(id) ? id : undefined;
}
