import { SegmindFailure } from '../../shared/base/failure';
import type { RequestRef } from '../../shared/journal/lifecycle';
import { parseRequest } from '../../shared/request/requestRef';
import { isObject, parseJson } from '../../shared/service/schemas';

export interface RequestList {
	/** In the order given, once each. */
	refs: RequestRef[];
	/** A text for each entry that could not be read; it names the position. */
	bad: string[];
}

/**
 * Reads the parameter `requests`: a list, its JSON, or text with entries separated by line ends, commas, semicolons or spaces. An entry is an
 * id, a returned URL or an output of Submit; one entry alone is a list of one. Never throws.
 */
export function readRequestList(value: unknown, baseUrl: string): RequestList {
	const refs = new Map<string, RequestRef>();
	const bad: string[] = [];
	entriesOf(value).forEach((entry, index) => {
		try {
			const ref = parseRequest(entry, baseUrl);
			if (!refs.has(ref.request_id)) refs.set(ref.request_id, ref);
		} catch (error) {
			const { message, description = '' } =
				error instanceof SegmindFailure ? error.facts : { message: String(error) };
			bad.push(`Entry ${index + 1}: ${message}. ${description}`.trim());
		}
	});
	return { refs: [...refs.values()], bad };
}

function entriesOf(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	// A whole n8n item has the object under `json`.
	if (Array.isArray(value))
		return value.map((entry: unknown) =>
			isObject(entry) && isObject(entry.json) ? entry.json : entry,
		);
	if (typeof value !== 'string') return [value];
	const text = value.trim();
	if (/^[[{]/.test(text) || text.includes('{{') || text.startsWith('=')) {
		const parsed = parseJson(text);
		return Array.isArray(parsed) ? entriesOf(parsed) : [parsed ?? text];
	}
	return text.split(/[\s,;]+/).filter((entry) => entry !== '');
}
