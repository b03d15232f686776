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
	const detectedType = typeBySignature(body);
	if (detectedType !== undefined && detectedType !== 'image/svg+xml')
		return {
			kind: 'file',
			file: {
				bytes: body,
				mimeType:
					isMediaType(declaredType) && isSameKind(declaredType, detectedType)
						? declaredType
						: detectedType,
			},
		};
	if (/^\s*[[{]/.test(body.toString('latin1', 0, 64))) {
		const parsed = parseJson(body.toString('utf8'));
		if (isObject(parsed)) return { kind: 'json', body: parsed };
		if (Array.isArray(parsed)) return { kind: 'json', body: { output: parsed } };
	}
	if (isMediaType(declaredType) || declaredType === 'application/octet-stream')
		return { kind: 'file', file: { bytes: body, mimeType: declaredType } };
	if (detectedType !== undefined)
		return { kind: 'file', file: { bytes: body, mimeType: detectedType } };
	if (declaredType === 'text/plain') return { kind: 'text', text: body.toString('utf8') };
	if (declaredType === 'application/json') {
		const parsed = parseJson(body.toString('utf8'));
		if (typeof parsed === 'string') return { kind: 'text', text: parsed };
	}
	return undefined;
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

function isSameKind(one: string, other: string): boolean {
	return one.split('/')[0] === other.split('/')[0];
}
