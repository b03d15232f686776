import { z } from 'zod';

/**
 * Which listed requests still need a status check, and in what order. Pure.
 *
 * `done` holds the ids that need no more calls. An id that was emitted is in it when n8n saves, since the poll that emits it is saved
 * (docs/n8n.md N220). Ids that ended without being emitted (a state not chosen, expired) may be forgotten at a restart; they are then checked
 * once more, which starts nothing. Bounded: what is listed, and the last 2,000 that left the list, so that a list which is empty for a moment
 * starts nothing twice.
 *
 * The names of the members are stored; they cannot change without a migration.
 */
export interface ListState {
	done: string[];
	/** The last request that was checked, and its place in the list: the next poll continues behind it. */
	cursor?: { id: string; at: number };
}

/** What n8n has stored, as this version writes it. */
export const listState = z.object({
	done: z.array(z.string()),
	cursor: z.object({ id: z.string(), at: z.number() }).optional(),
});

const MOST_UNLISTED = 2_000;

/** Requests that are not done, in the order to check them: behind the cursor first, as they have waited longest. */
export function checkOrder(ids: readonly string[], { done, cursor }: ListState): string[] {
	const isDone = new Set(done);
	const found = cursor === undefined ? -1 : ids.indexOf(cursor.id);
	// When the request at the cursor has left the list, its place still counts.
	const from = cursor === undefined ? 0 : found >= 0 ? found + 1 : Math.min(cursor.at, ids.length);
	return [...ids.slice(from), ...ids.slice(0, from)].filter((id) => !isDone.has(id));
}

/** The state after a poll in which `ended` were dealt with, and all up to `last` were checked. */
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
