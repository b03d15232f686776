import { z } from 'zod';

import { groupByKey } from '../shared/base/group';
import { creationTimeOf, stateOfRows } from '../shared/service/history';
import type { HistoryRow } from '../shared/service/schemas';

/**
 * The schema of the stored state of the account's requests. Requests finish in any order, so the state has a mark, before which all requests are done, and
 * the finished requests made after it. An older state (docs/n8n.md N220) leads to the same items. The member names are stored, so they can't change.
 */
export const historyState = z.object({
	/** Requests made before this time are done, ms since the epoch, service time. */
	mark: z.number(),
	/** ID and time of the finished requests made at the mark or later. A list instead of an object, because an ID may be `__proto__`. */
	seen: z.array(z.tuple([z.string(), z.number()])),
});
export type HistoryState = z.infer<typeof historyState>;

/** The stored state has at most this many IDs. */
const MAX_SEEN = 5_000;
/** How late a row may appear in the history and still be found. */
const LATE_ROW_MS = 15 * 60_000;
/** How long an unfinished request is watched. The service keeps records and results for one hour. */
export const MAX_UNFINISHED_MS = 3 * 3_600_000;

export interface PollReading {
	/** Newest first. A row may occur twice, because new requests move others to the next page. */
	rows: HistoryRow[];
	/** `enough`: back to the mark. `cut`: a fault or the deadline interrupted the reading. `tooMuch`: there are more pages than one poll reads. */
	end: 'enough' | 'cut' | 'tooMuch';
}

/** Groups rows by request. */
export function requestsIn(rows: readonly HistoryRow[]): HistoryRow[][] {
	return [...groupByKey(rows.map((row) => [row.request_id, row] as const)).values()];
}

/** Returns the newly finished requests of a reading, each with its rows, oldest first, and the state to store. `now`: service time, ms since the epoch. */
export function evaluateReading(
	{ mark, seen: earlier }: HistoryState,
	{ rows, end }: PollReading,
	now: number,
): { ended: HistoryRow[][]; state: HistoryState } {
	// The oldest request of an incomplete reading is left out, because the next page may have more of its files. Math.min takes only 100,000 arguments.
	const oldest = rows.reduce((least, row) => Math.min(least, creationTimeOf(row) ?? now), Infinity);
	const from = end === 'enough' || rows.length === 0 ? mark : Math.max(mark, oldest + 1);
	const seen = new Map(earlier);
	const ended: HistoryRow[][] = [];
	let doneUntil = now - LATE_ROW_MS;
	for (const request of requestsIn(rows)) {
		const [{ request_id: id }] = request;
		const madeAt = creationTimeOf(request[0]);
		if (madeAt !== undefined && madeAt < from) continue;
		if (stateOfRows(request) !== 'running') {
			if (!seen.has(id)) ended.push(request);
			seen.set(id, madeAt ?? now);
		} else if (madeAt !== undefined && madeAt > now - MAX_UNFINISHED_MS)
			doneUntil = Math.min(doneUntil, madeAt);
	}
	const nextMark = end === 'cut' ? mark : Math.max(from, doneUntil);
	return { ended: ended.reverse(), state: limitSeen(nextMark, seen) };
}

/** Returns the state without IDs from before the mark. If it has too many IDs, drops the oldest ones and moves the mark past them. */
function limitSeen(mark: number, seen: ReadonlyMap<string, number>): HistoryState {
	const kept = [...seen].filter(([, at]) => at >= mark).sort(([, one], [, other]) => one - other);
	const last = kept[kept.length - MAX_SEEN - 1];
	if (last === undefined) return { mark, seen: kept };
	return { mark: last[1] + 1, seen: kept.filter(([, at]) => at > last[1]) };
}
