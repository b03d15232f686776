import type { IDataObject } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { isObject, parseJson } from '../service/schemas';
import type { HttpResponse } from '../service/http';
import { bareType, isMediaType, typeBySignature } from '../media/mediaTypes';
import { dropUndefined } from './finishedItem';
import type { InlineFile } from './inlineFiles';

/** The content of a v1 response: JSON, a file, or text. */
export type V1Content =
	| { kind: 'json'; body: Record<string, unknown> }
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
	const detectedType = typeBySignature(body);
	if (detectedType !== undefined) {
		const isSameKind = declaredType.split('/')[0] === detectedType.split('/')[0];
		return fileOf(isSameKind ? declaredType : detectedType);
	}
	const isFile = isMediaType(declaredType) || declaredType === 'application/octet-stream';
	const isJson =
		declaredType === 'application/json' || /^\s*[[{]/.test(body.toString('latin1', 0, 64));
	const parsed = isJson ? parseJson(body.toString('utf8')) : undefined;
	if (isObject(parsed)) return { kind: 'json', body: parsed };
	if (Array.isArray(parsed)) return { kind: 'json', body: { output: parsed } };
	if (isFile) return fileOf(declaredType);
	const text = declaredType === 'text/plain' ? body.toString('utf8') : parsed;
	return typeof text === 'string' ? { kind: 'text', text } : undefined;
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
