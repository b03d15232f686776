import type { IDataObject } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { isObject, parseJson } from '../service/schemas';
import type { HttpAnswer } from '../service/http';
import { bareType, isMediaType, typeBySignature } from '../media/mediaTypes';
import { dropUndefined } from './finished';

/** A file that came inside a v1 answer. */
export interface InlineFile {
	bytes: Buffer;
	mimeType: string;
}

/** What a v1 answer holds: JSON (base64 media taken out), a file, or text. */
export type V1Content =
	| { kind: 'json'; body: Record<string, unknown>; files: InlineFile[] }
	| { kind: 'file'; file: InlineFile }
	| { kind: 'text'; text: string };

/** Shorter texts are never taken for base64 media. */
const SHORTEST_BASE64 = 64;

/**
 * Reads a successful v1 body by its first bytes, then by content type: labels are sometimes wrong (docs/service.md S63). Pure.
 * Undefined when the body is empty or nothing we know.
 */
export function readV1(answer: HttpAnswer): V1Content | undefined {
	const label = bareType(answer.headers['content-type']);
	const { body } = answer;
	if (body.length === 0) return undefined;
	const signature = typeBySignature(body);
	if (signature !== undefined && signature !== 'image/svg+xml')
		return {
			kind: 'file',
			file: {
				bytes: body,
				mimeType: isMediaType(label) && sameKind(label, signature) ? label : signature,
			},
		};
	if (/^\s*[[{]/.test(body.toString('latin1', 0, 64))) {
		const parsed = parseJson(body.toString('utf8'));
		if (isObject(parsed)) return withoutBase64(parsed);
		if (Array.isArray(parsed)) return withoutBase64({ output: parsed });
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

function sameKind(one: string, other: string): boolean {
	return one.split('/')[0] === other.split('/')[0];
}

/** Takes base64 media out of the first two levels of an answer, where models put it, and leaves the file's place empty. */
function withoutBase64(parsed: Record<string, unknown>): V1Content {
	const files: InlineFile[] = [];
	const take = (value: unknown, depth: number): unknown => {
		if (typeof value === 'string') {
			const file = fileInBase64(value);
			if (!file) return value;
			files.push(file);
			return `[${file.mimeType}, ${file.bytes.length} bytes: in binary]`;
		}
		if (depth >= 2 || typeof value !== 'object' || value === null) return value;
		if (Array.isArray(value)) return value.map((entry) => take(entry, depth + 1));
		return Object.fromEntries(
			Object.entries(value).map(([name, member]) => [name, take(member, depth + 1)]),
		);
	};
	return { kind: 'json', body: take(parsed, 0) as Record<string, unknown>, files };
}

function fileInBase64(text: string): InlineFile | undefined {
	const head = /^data:([^;,]{0,100})(?:;[^,]{0,100})?;base64,/.exec(text.slice(0, 300));
	const base64 = head ? text.slice(head[0].length) : text;
	// Nothing that base64 does not have, and its padding at the end.
	if (base64.length < SHORTEST_BASE64 || /[^A-Za-z0-9+/=\s]|=\s*[^=\s]/.test(base64))
		return undefined;
	const mimeType = typeBySignature(Buffer.from(base64.slice(0, 400), 'base64'));
	if (mimeType === undefined) return undefined;
	return { bytes: Buffer.from(base64, 'base64'), mimeType };
}
