import { z } from 'zod';

/**
 * What is kept of the account's requests between polls: they finish in any order, so a mark, before which nothing finishes any more, and the ids
 * of what finished after it. From an older state (docs/n8n.md N220) the same follows. The names of the members are stored: they cannot change.
 */
export interface HistoryState {
	/** Requests made before this are dealt with, ms since the epoch, service time. */
	mark: number;
	/** Finished requests made at the mark or later. A list: ids are foreign text, and an object has names of its own. */
	seen: Array<[id: string, madeAt: number]>;
}

/** What n8n has stored, as this version writes it. */
export const historyState = z.object({
	mark: z.number(),
	seen: z.array(z.tuple([z.string(), z.number()])),
});

/** A row of the history: a request, or one of its files. */
export interface HistoryEntry {
	id: string;
	/** When the request was made, ms since the epoch; undefined when the row does not say. */
	madeAt: number | undefined;
	state: 'running' | 'completed' | 'failed';
}

export interface EntryPage<Row> {
	rows: Row[];
	/** True if no page follows. */
	isLast: boolean;
}

/** A request with its rows, one for each file. */
export interface HistoryRequest<Row> {
	id: string;
	madeAt: number | undefined;
	rows: Row[];
	state: HistoryEntry['state'];
}

/** Pages that one poll reads at most. */
export const MOST_PAGES = 30;
/** Ids that are remembered at most. */
const MOST_SEEN = 5_000;
/** A row may appear in the history this late and is still found, ms. */
const LATE_ROW_MS = 15 * 60_000;
/** An unfinished request is waited for this long after it was made, ms; the service keeps records and results for one hour. */
export const UNFINISHED_MS = 3 * 3_600_000;

/** What a first poll starts from. */
export function firstState(now: number): HistoryState {
	return { mark: now - UNFINISHED_MS, seen: [] };
}

interface Reading<Row> {
	/** Newest first; a row may be there twice, since new requests move others to the next page. */
	rows: Row[];
	/** It reached the mark; it was cut short by a fault or by time; there was more than one poll reads. */
	end: 'mark' | 'cut' | 'tooMuch';
}

/**
 * Reads the history, newest first, back to `mark`.
 * @param read gives the next page, or undefined when the time is up or the service cannot be reached for now
 */
export async function readBack<Row extends HistoryEntry>(
	read: () => Promise<EntryPage<Row> | undefined>,
	mark: number,
): Promise<Reading<Row>> {
	let rows: Row[] = [];
	for (let page = 1; page <= MOST_PAGES; page++) {
		const response = await read();
		if (response === undefined) return { rows, end: 'cut' };
		rows = rows.concat(response.rows);
		if (response.isLast || isReadBackTo(response.rows, mark)) return { rows, end: 'mark' };
	}
	return { rows, end: 'tooMuch' };
}

/** True when the rows of the page come newest first and reach back beyond the mark: what follows is older still. */
function isReadBackTo(rows: readonly HistoryEntry[], mark: number): boolean {
	const times = rows.map(({ madeAt }) => madeAt ?? NaN);
	return (
		times.every((at, place) => place === 0 || at <= times[place - 1]) &&
		times[times.length - 1] < mark
	);
}

/** What follows from a reading: requests that have newly finished, oldest first, and the state to keep. `now` is service time, ms since the epoch. */
export function judge<Row extends HistoryEntry>(
	state: HistoryState,
	{ rows, end }: Reading<Row>,
	now: number,
): { finished: Array<HistoryRequest<Row>>; state: HistoryState } {
	const times = rows.flatMap(({ madeAt }) => (madeAt === undefined ? [] : [madeAt]));
	// The oldest request that was read may have more files on the page that was not.
	const isPart = end !== 'mark' && times.length > 0;
	const from = isPart ? Math.max(state.mark, earliest(times) + 1) : state.mark;
	const requests = requestsOf(rows).filter(({ madeAt = Infinity }) => madeAt >= from);
	const seen = new Map(state.seen);
	const ended = requests.filter((request) => request.state !== 'running');
	const finished = ended.filter(({ id }) => !seen.has(id));
	for (const { id, madeAt = now } of ended) seen.set(id, madeAt);
	const unfinished = requests.flatMap(({ madeAt = 0, state: is }) =>
		is === 'running' && madeAt > now - UNFINISHED_MS ? [madeAt] : [],
	);
	const mark =
		end === 'cut' ? state.mark : Math.max(from, earliest([now - LATE_ROW_MS, ...unfinished]));
	return {
		finished: finished.reverse().sort((one, other) => (one.madeAt ?? now) - (other.madeAt ?? now)),
		state: bounded(mark, seen),
	};
}

/** However many there are: Math.min takes some 100,000 arguments. */
function earliest(times: readonly number[]): number {
	return times.reduce((least, at) => Math.min(least, at), Infinity);
}

/** Groups rows by request. A request runs while one of its rows does, and failed when none of them completed. */
function requestsOf<Row extends HistoryEntry>(rows: Row[]): Array<HistoryRequest<Row>> {
	const byId = new Map<string, Row[]>();
	for (const row of rows) {
		const known = byId.get(row.id);
		if (known) known.push(row);
		else byId.set(row.id, [row]);
	}
	return [...byId].map(([id, own]) => {
		const has = (state: HistoryEntry['state']) => own.some((row) => row.state === state);
		const state = has('running') ? 'running' : has('completed') ? 'completed' : 'failed';
		return { id, madeAt: own[0].madeAt, rows: own, state };
	});
}

/** Drops ids from before the mark, and the oldest ones beyond the limit; the mark then moves behind these. */
function bounded(mark: number, seen: ReadonlyMap<string, number>): HistoryState {
	const kept = [...seen]
		.filter(([, madeAt]) => madeAt >= mark)
		.sort(([, one], [, other]) => one - other);
	const dropped = kept.splice(0, Math.max(0, kept.length - MOST_SEEN));
	const upTo = dropped.length === 0 ? mark : dropped[dropped.length - 1][1] + 1;
	return { mark: upTo, seen: kept.filter(([, madeAt]) => madeAt >= upTo) };
}
