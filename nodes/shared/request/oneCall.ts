/** POST {baseUrl}/v1/{model}: one call that responds with the output itself (docs/service.md S60). */
import type { IDataObject } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { callRegister } from '../journal/callRegister';
import { bareType, typeBySignature, typeOfFile } from '../media/mediaTypes';
import { dropUndefined } from '../output/outputFields';
import type { InlineFile } from '../output/inlineFiles';
import type { Result } from '../output/result';
import type { HttpResponse } from '../service/http';
import { hasResult, isOnlyError } from '../service/responses';
import { isObject, isRequestId, parseResult } from '../service/schemas';

/** The content of a v1 response: JSON, a file, or text. */
type V1Content =
	| { kind: 'json'; body: Record<string, unknown>; isText: boolean }
	| { kind: 'file'; file: InlineFile }
	| { kind: 'text'; text: string };

/**
 * Reads a successful v1 body by its first bytes, then by content type, which is sometimes wrong (docs/service.md S63). Pure.
 * Returns undefined if the body is empty or can't be recognized.
 */
export function readV1(response: HttpResponse): V1Content | undefined {
	const declaredType = bareType(response.headers['content-type']);
	const { body } = response;
	if (body.length === 0) return undefined;
	const fileOf = (mimeType: string) => ({ kind: 'file', file: { bytes: body, mimeType } }) as const;
	if (typeBySignature(body) !== undefined) return fileOf(typeOfFile(declaredType, [], body));
	const isDeclared = declaredType === 'application/json';
	const isJson = isDeclared || /^\s*[[{]/.test(body.toString('latin1', 0, 64));
	const parsed = isJson ? parseResult(body.toString('utf8')) : undefined;
	if (isObject(parsed)) return { kind: 'json', body: parsed, isText: !isDeclared };
	if (Array.isArray(parsed)) return { kind: 'json', body: { output: parsed }, isText: !isDeclared };
	const isText = /^text\/(?!html)/.test(declaredType);
	const text = isText ? body.toString('utf8') : parsed;
	if (typeof text === 'string') return { kind: 'text', text };
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
	const json = content?.kind === 'json' ? content : undefined;
	// A model may have written a text.
	if (json && !json.isText && isOnlyError(json.body)) return { requestId, error: json.body };
	// JSON with only a status isn't a result; the history may show the request.
	const isEmpty = json !== undefined && !hasResult(json.body);
	if (!content || isEmpty) return { requestId };
	return { result: resultOfV1(content, v1Headers(response.headers)), requestId };
}

function requestIdIn({ headers }: HttpResponse): string | undefined {
	const id = headers['x-request-id'] ?? '';
	return id !== '' && isRequestId(id) ? id : undefined;
}

/** A text is the output of its result, as in a v2 request. */
function resultOfV1(content: V1Content, headers: IDataObject): Result {
	const result = { kind: 'completed', from: 'oneCall', headers } as const;
	switch (content.kind) {
		case 'json':
			return { ...result, body: content.body, isText: content.isText, files: [] };
		case 'text':
			return { ...result, body: { output: content.text }, files: [] };
		case 'file':
			return { ...result, body: {}, files: [content.file] };
	}
}
