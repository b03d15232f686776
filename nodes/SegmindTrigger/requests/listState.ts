import { z } from 'zod';

/**
 * Which listed requests are still to be looked at, and in what order. Pure.
 *
 * `done` holds the ids that need no more calls. What was put out is in it when n8n saves, since the poll that puts it out is saved (platform
 * N220). Requests that ended without being put out (a state not chosen, expired) may be forgotten at a restart and are then looked at once
 * more, which starts nothing. Bounded: what is listed, and the last 2,000 that left the list, so that a list which is empty for a moment starts
 * nothing twice.
 */
export interface ListState {
	done: string[];
	/** The last request looked at, and its place in the list: the next poll goes on behind it. */
	cursor?: { id: string; at: number };
}

/** What n8n has stored, as this version writes it. */
export const listState = z.object({
	done: z.array(z.string()),
	cursor: z.object({ id: z.string(), at: z.number() }).optional(),
});

const MOST_UNLISTED = 2_000;

/** Requests not done, those that have waited longest since they were looked at first. */
export function inTurn(ids: readonly string[], { done, cursor }: ListState): string[] {
	const isDone = new Set(done);
	const found = cursor === undefined ? -1 : ids.indexOf(cursor.id);
	// Without its last request, the list is gone on with at the same place.
	const from = cursor === undefined ? 0 : found >= 0 ? found + 1 : Math.min(cursor.at, ids.length);
	return [...ids.slice(from), ...ids.slice(0, from)].filter((id) => !isDone.has(id));
}

/** The state after a poll that is through with `ended`, and has looked at all up to `last`. */
export function afterPoll(
	ids: readonly string[],
	state: ListState,
	ended: readonly string[],
	last: string | undefined,
): ListState {
	const listed = new Set(ids);
	const done = [...new Set([...state.done, ...ended])];
	const unlisted = done.filter((id) => !listed.has(id)).slice(-MOST_UNLISTED);
	const cursor = last === undefined ? state.cursor : { id: last, at: ids.indexOf(last) };
	return {
		done: [...unlisted, ...done.filter((id) => listed.has(id))],
		...(cursor === undefined ? {} : { cursor }),
	};
}
