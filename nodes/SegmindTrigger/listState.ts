import { z } from 'zod';

import { SegmindFailure } from '../shared/base/failure';
import type { RequestRef } from '../shared/journal/entry';
import { parseRequest } from '../shared/request/operations/readRequestParameter';
import { isObject, parseJson } from '../shared/service/schemas';

/** Which listed requests still need a status check, and in what order. The names of the members are stored, so they can't change. */
export interface ListState {
	/** IDs that need no more calls. n8n saves those that were emitted (docs/n8n.md N220); others may be checked once more, and start nothing. */
	done: string[];
	/** IDs of requests that weren't found at their last check. They have expired if the next check doesn't find them either: one 404 may be transient. */
	missing: string[];
	/** The last request that was checked, and its position in the list: the next poll continues after it. */
	cursor?: { id: string; at: number };
}

/** The schema of the stored state. */
export const listState = z.object({
	done: z.array(z.string()),
	missing: z.array(z.string()),
	cursor: z.object({ id: z.string(), at: z.number() }).optional(),
});

/** At most this many IDs are kept after they left the list, so that a list that is empty for a moment starts nothing twice. */
const MAX_UNLISTED_IDS = 2_000;

/** Returns the IDs that aren't done, in the order of their checks: first the IDs after the cursor, because they have waited longest. */
export function idsToCheck(ids: readonly string[], { done, cursor }: ListState): string[] {
	const isDone = new Set(done);
	const cursorIndex = cursor === undefined ? -1 : ids.indexOf(cursor.id);
	// If the request at the cursor has left the list, its position still counts.
	const from =
		cursor === undefined ? 0 : cursorIndex >= 0 ? cursorIndex + 1 : Math.min(cursor.at, ids.length);
	return [...ids.slice(from), ...ids.slice(0, from)].filter((id) => !isDone.has(id));
}

/** What a poll did: IDs of the requests that are done, of those that weren't found, and of the last one that it checked. */
interface PollSummary {
	ended: readonly string[];
	missing: readonly string[];
	last: string | undefined;
}

/** Returns the state after a poll. */
export function stateAfterPoll(
	ids: readonly string[],
	state: ListState,
	{ ended, missing, last }: PollSummary,
): ListState {
	const listed = new Set(ids);
	const done = [...new Set([...state.done, ...ended])];
	const unlisted = done.filter((id) => !listed.has(id)).slice(-MAX_UNLISTED_IDS);
	const cursor = last === undefined ? state.cursor : { id: last, at: ids.indexOf(last) };
	return {
		done: [...unlisted, ...done.filter((id) => listed.has(id))],
		missing: missing.filter((id) => listed.has(id)),
		...(cursor === undefined ? {} : { cursor }),
	};
}

export interface RequestList {
	/** The requests in the given order, each once. */
	refs: RequestRef[];
	/** An error text for each entry that can't be read, with its position. */
	entryErrors: string[];
}

/**
 * Reads the parameter `requests`: a list, its JSON, or a string with entries separated by line ends, commas, semicolons or spaces. An entry is an ID, a
 * returned URL or the item of an unfinished request. A single entry counts as a list. Never throws.
 */
export function readRequestList(value: unknown, baseUrl: string): RequestList {
	const refs = new Map<string, RequestRef>();
	const entryErrors: string[] = [];
	entriesOf(value).forEach((entry, index) => {
		try {
			const ref = parseRequest(entry, baseUrl);
			if (!refs.has(ref.request_id)) refs.set(ref.request_id, ref);
		} catch (error) {
			const { message, description = '' } =
				error instanceof SegmindFailure ? error.facts : { message: String(error) };
			entryErrors.push(`Entry ${index + 1}: ${message}. ${description}`.trim());
		}
	});
	return { refs: [...refs.values()], entryErrors };
}

function entriesOf(value: unknown): unknown[] {
	if (value === undefined || value === null) return [];
	// A whole n8n item has the request under `json`.
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
