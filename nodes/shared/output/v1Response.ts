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
 * Reads a successful v1 body by its first bytes, then by content type: labels are sometimes wrong (docs/service.md S63). Pure.
 * Undefined if the body is empty or unknown.
 */
export function readV1(response: HttpResponse): V1Content | undefined {
	const label = bareType(response.headers['content-type']);
	const { body } = response;
	if (body.length === 0) return undefined;
	const signature = typeBySignature(body);
	if (signature !== undefined && signature !== 'image/svg+xml')
		return {
			kind: 'file',
			file: {
				bytes: body,
				mimeType: isMediaType(label) && isSameKind(label, signature) ? label : signature,
			},
		};
	if (/^\s*[[{]/.test(body.toString('latin1', 0, 64))) {
		const parsed = parseJson(body.toString('utf8'));
		if (isObject(parsed)) return { kind: 'json', body: parsed };
		if (Array.isArray(parsed)) return { kind: 'json', body: { output: parsed } };
	}
	if (isMediaType(label) || label === 'application/octet-stream')
		return { kind: 'file', file: { bytes: body, mimeType: label } };
	if (signature !== undefined) return { kind: 'file', file: { bytes: body, mimeType: signature } };
	if (label === 'text/plain') return { kind: 'text', text: body.toString('utf8') };
	if (label === 'application/json') {
		const parsed = parseJson(body.toString('utf8'));
		if (typeof parsed === 'string') return { kind: 'text', text: parsed };
	}
	return undefined;
}

/** The response headers of a v1 call under their output names; only those that were sent (docs/service.md S66). */
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
