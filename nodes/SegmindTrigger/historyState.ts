import { z } from 'zod';

/**
 * The stored state of the account's requests. Requests finish in any order, so the state has a mark, before which all requests are done, and the IDs of
 * the finished requests made after it. An older state (docs/n8n.md N220) leads to the same items. The member names are stored, so they can't change.
 */
export interface HistoryState {
	/** Requests made before this time are done, ms since the epoch, service time. */
	mark: number;
	/** Finished requests made at the mark or later. A list instead of an object, because an ID may be `__proto__`. */
	seen: Array<[id: string, madeAt: number]>;
}

/** The schema of the stored state. */
export const historyState = z.object({
	mark: z.number(),
	seen: z.array(z.tuple([z.string(), z.number()])),
});

/** A row of the history: a request or one of its files. */
export interface HistoryEntry {
	id: string;
	/** When the request was made, ms since the epoch; undefined if the row doesn't say. */
	madeAt: number | undefined;
	state: 'running' | 'completed' | 'failed';
}

export interface EntryPage<Row> {
	rows: Row[];
	/** Whether no page follows. */
	isLast: boolean;
}

/** A request with its rows, one for each file. */
export interface HistoryRequest<Row> {
	id: string;
	madeAt: number | undefined;
	rows: Row[];
	state: HistoryEntry['state'];
}

/** One poll reads at most this many pages. */
export const MAX_PAGES = 30;
/** The stored state has at most this many IDs. */
const MAX_SEEN = 5_000;
/** How late a row may appear in the history and still be found. */
const LATE_ROW_MS = 15 * 60_000;
/** How long an unfinished request is watched. The service keeps records and results for one hour. */
export const MAX_UNFINISHED_MS = 3 * 3_600_000;

/** Returns the state before the first poll. */
export function initialState(now: number): HistoryState {
	return { mark: now - MAX_UNFINISHED_MS, seen: [] };
}

interface Reading<Row> {
	/** Newest first. A row may occur twice, because new requests move others to the next page. */
	rows: Row[];
	/** `mark`: the reading reached the mark. `cut`: a fault or the deadline interrupted it. `tooMuch`: there are more pages than one poll reads. */
	end: 'mark' | 'cut' | 'tooMuch';
}

/**
 * Reads the history, newest first, back to `mark`.
 * @param read returns the next page, or undefined if the deadline has passed or the service is unreachable
 */
export async function readBack<Row extends HistoryEntry>(
	read: () => Promise<EntryPage<Row> | undefined>,
	mark: number,
): Promise<Reading<Row>> {
	let rows: Row[] = [];
	for (let page = 1; page <= MAX_PAGES; page++) {
		const response = await read();
		if (response === undefined) return { rows, end: 'cut' };
		rows = rows.concat(response.rows);
		if (response.isLast || isReadBackTo(response.rows, mark)) return { rows, end: 'mark' };
	}
	return { rows, end: 'tooMuch' };
}

/** Whether the rows of the page are sorted newest first and go back beyond the mark, so that all other rows are older. */
function isReadBackTo(rows: readonly HistoryEntry[], mark: number): boolean {
	const times = rows.map(({ madeAt }) => madeAt ?? NaN);
	return (
		times.every((at, place) => place === 0 || at <= times[place - 1]) &&
		times[times.length - 1] < mark
	);
}

/** Returns the newly finished requests of a reading, oldest first, and the state to store. `now` is service time, ms since the epoch. */
export function evaluateReading<Row extends HistoryEntry>(
	state: HistoryState,
	{ rows, end }: Reading<Row>,
	now: number,
): { finished: Array<HistoryRequest<Row>>; state: HistoryState } {
	const times = rows.flatMap(({ madeAt }) => (madeAt === undefined ? [] : [madeAt]));
	// The oldest request of an incomplete reading is left out, because the next page may have more of its files.
	const isPartial = end !== 'mark' && times.length > 0;
	const from = isPartial ? Math.max(state.mark, earliest(times) + 1) : state.mark;
	const requests = requestsOf(rows).filter(({ madeAt = Infinity }) => madeAt >= from);
	const seen = new Map(state.seen);
	const ended = requests.filter((request) => request.state !== 'running');
	const finished = ended.filter(({ id }) => !seen.has(id));
	for (const { id, madeAt = now } of ended) seen.set(id, madeAt);
	const unfinished = requests.flatMap(({ madeAt = 0, state: requestState }) =>
		requestState === 'running' && madeAt > now - MAX_UNFINISHED_MS ? [madeAt] : [],
	);
	const mark =
		end === 'cut' ? state.mark : Math.max(from, earliest([now - LATE_ROW_MS, ...unfinished]));
	return {
		finished: finished.reverse().sort((one, other) => (one.madeAt ?? now) - (other.madeAt ?? now)),
		state: limitSeen(mark, seen),
	};
}

/** Returns the earliest of any number of times. Math.min takes only about 100,000 arguments. */
function earliest(times: readonly number[]): number {
	return times.reduce((least, at) => Math.min(least, at), Infinity);
}

/** Groups rows by request. A request is running while one of its rows is, and has failed if no row has completed. */
function requestsOf<Row extends HistoryEntry>(rows: Row[]): Array<HistoryRequest<Row>> {
	const byId = new Map<string, Row[]>();
	for (const row of rows) {
		const others = byId.get(row.id);
		if (others) others.push(row);
		else byId.set(row.id, [row]);
	}
	return [...byId].map(([id, requestRows]) => {
		const has = (state: HistoryEntry['state']) => requestRows.some((row) => row.state === state);
		const state = has('running') ? 'running' : has('completed') ? 'completed' : 'failed';
		return { id, madeAt: requestRows[0].madeAt, rows: requestRows, state };
	});
}

/** Returns the state without IDs from before the mark. If it has too many IDs, drops the oldest ones and moves the mark past them. */
function limitSeen(mark: number, seen: ReadonlyMap<string, number>): HistoryState {
	const keptEntries = [...seen]
		.filter(([, madeAt]) => madeAt >= mark)
		.sort(([, one], [, other]) => one - other);
	const dropped = keptEntries.splice(0, Math.max(0, keptEntries.length - MAX_SEEN));
	const upTo = dropped.length === 0 ? mark : dropped[dropped.length - 1][1] + 1;
	return { mark: upTo, seen: keptEntries.filter(([, madeAt]) => madeAt >= upTo) };
}
