import { z } from 'zod';

import { type Scan, type ScanRow, pageOf } from './historyScan';

/**
 * Which requests of the account have newly finished: what is kept between polls, and what it makes of a scan. Pure.
 *
 * The history is in order of creation, requests finish in any other. So a mark is kept, before which nothing can finish any more, and the ids of
 * what finished after it. Both follow from the history itself: n8n forgets what a poll that emitted nothing has written (docs/n8n.md N220), and
 * from the older mark and ids the same is found again. Ids that were emitted are in every saved state that matters, because emitting saves.
 *
 * Bounded: the mark follows the clock at 15 minutes, or 3 hours when something is unfinished, so `seen` holds what finished in that time,
 * 20,000 requests at most (then the mark moves up, and unfinished requests before it are given up).
 */
export interface AccountState {
	/** ms since the epoch, service time: requests made before are done with. */
	mark: number;
	/** Finished requests made at the mark or later: id to when they were made. */
	seen: Record<string, number>;
	/** Where the mark, and the last quarter of an hour, were last found: page numbers, valid for this first day of the history. */
	pages: { day: string; mark: number; recent: number };
	/** When everything from the mark on was last read. */
	fullAt: number;
	/** Pages that took. */
	fullPages: number;
	/** The filters under which `seen` was filled; a changed filter must not bring up what they left out before. */
	filter: AccountFilter;
}

export interface AccountFilter {
	/** COMPLETED, FAILED. */
	states: string[];
	/** Slug; '' for every model. */
	model: string;
}

/** What n8n has stored, as this version writes it. */
export const accountState = z.object({
	mark: z.number(),
	seen: z.record(z.number()),
	pages: z.object({ day: z.string(), mark: z.number(), recent: z.number() }),
	fullAt: z.number(),
	fullPages: z.number(),
	filter: z.object({ states: z.array(z.string()), model: z.string() }),
});

/** A row with what the state needs of it. */
export interface HistoryEntry extends ScanRow {
	state: 'running' | 'completed' | 'failed';
	model: string;
}

/** A request with its rows, one for each file. */
export interface FinishedRequest<Row extends HistoryEntry> {
	id: string;
	status: 'COMPLETED' | 'FAILED';
	madeAt: number | undefined;
	rows: Row[];
}

/** A row may turn up this late and is still found, ms. */
export const SETTLE_MS = 15 * 60_000;
/** An unfinished request is waited for this long after it was made, ms; records and results are kept for one hour. */
export const HOLD_MS = 3 * 3_600_000;
/** Accounts with so much unfinished that a full scan takes more than a few pages get one this often, ms, and short ones between. */
const FULL_EVERY_MS = 10 * 60_000;
const FEW_PAGES = 3;
const MOST_SEEN = 20_000;

/** What a first poll starts from. */
export function firstState(now: number, filter: AccountFilter): AccountState {
	return {
		mark: now - HOLD_MS,
		seen: {},
		pages: { day: '', mark: 1, recent: 1 },
		fullAt: 0,
		fullPages: 0,
		filter,
	};
}

/** From where to read next: from the mark, or only the last quarter of an hour. */
export function planScan(state: AccountState, now: number): { full: boolean; from: number } {
	const full = state.fullPages <= FEW_PAGES || now - state.fullAt >= FULL_EVERY_MS;
	return { full, from: full ? state.mark : Math.max(state.mark, now - SETTLE_MS) };
}

export interface ScanFacts {
	full: boolean;
	/** Service time after the scan. */
	now: number;
	filter: AccountFilter;
	/** The first day the pages count from. */
	day: string;
	/** The scan went no further than this, although it was complete; undefined when it went up to now. */
	until?: number;
}

/** What a scan brings: requests to emit, oldest first, and the state that goes with emitting them. */
export function judgeScan<Row extends HistoryEntry>(
	state: AccountState,
	scan: Scan<Row>,
	{ full, now, filter, day, until }: ScanFacts,
): { events: Array<FinishedRequest<Row>>; state: AccountState } {
	const requests = folded(scan.rows);
	const finished = requests.flatMap(({ state: is, ...request }) =>
		is === 'running'
			? []
			: [{ ...request, status: is === 'completed' ? ('COMPLETED' as const) : ('FAILED' as const) }],
	);
	const fresh = finished.filter(({ id }) => !Object.hasOwn(state.seen, id));
	const events = fresh.filter(
		(request) => passes(filter, request) && passes(state.filter, request),
	);
	const caughtUp = scan.complete && until === undefined;
	const mark = full ? markAfter(state.mark, requests, scan, now, until) : state.mark;
	const seen = { ...state.seen };
	for (const { id, madeAt } of fresh) seen[id] = madeAt ?? now;
	// Another full scan follows at once while this one got further and there is more; else the short ones must have their turn.
	const goOn = full && !caughtUp && mark > state.mark;
	const samePages = state.pages.day === day;
	return {
		events,
		state: {
			...bounded(mark, seen),
			pages: {
				day,
				mark: full ? pageOf(scan.pages, mark) : samePages ? state.pages.mark : 1,
				recent: Math.max(
					samePages ? state.pages.recent : 1,
					caughtUp ? pageOf(scan.pages, now - SETTLE_MS) : 1,
				),
			},
			fullAt: full ? (goOn ? 0 : now) : state.fullAt,
			fullPages: full ? (caughtUp ? scan.pages.length : FEW_PAGES + 1) : state.fullPages,
			filter: full && caughtUp ? filter : state.filter,
		},
	};
}

/** Rows of one request, one a file, become one. */
function folded<Row extends HistoryEntry>(rows: Row[]) {
	const byId = new Map<string, Row[]>();
	for (const row of rows) {
		const known = byId.get(row.id);
		if (known) known.push(row);
		else byId.set(row.id, [row]);
	}
	return [...byId].map(([id, own]) => ({
		id,
		madeAt: own[0].madeAt,
		rows: own,
		state: own.some((row) => row.state === 'running')
			? ('running' as const)
			: own.some((row) => row.state === 'completed')
				? ('completed' as const)
				: ('failed' as const),
	}));
}

function passes(filter: AccountFilter, request: FinishedRequest<HistoryEntry>): boolean {
	// The service takes a part of a slug for the whole, so the model is compared here as well.
	return (
		filter.states.includes(request.status) &&
		(filter.model === '' || request.rows[0].model === filter.model)
	);
}

function markAfter(
	mark: number,
	requests: Array<{ madeAt: number | undefined; state: string }>,
	scan: Scan<ScanRow>,
	now: number,
	until: number | undefined,
): number {
	if (!scan.complete && scan.readTo === undefined) return mark;
	const unfinished = requests.flatMap(({ madeAt, state }) =>
		state === 'running' && madeAt !== undefined && madeAt > now - HOLD_MS ? [madeAt] : [],
	);
	const readTo = scan.complete ? (until ?? Infinity) : (scan.readTo ?? Infinity);
	return Math.max(mark, Math.min(now - SETTLE_MS, readTo, ...unfinished));
}

function bounded(mark: number, seen: Record<string, number>): Pick<AccountState, 'mark' | 'seen'> {
	let kept = Object.entries(seen).filter(([, madeAt]) => madeAt >= mark);
	let upTo = mark;
	if (kept.length > MOST_SEEN) {
		kept = kept.sort(([, a], [, b]) => a - b);
		// Those made in the same moment as the last one to go must go too, and nothing of that moment may be read again.
		upTo = kept[kept.length - MOST_SEEN - 1][1] + 1;
		kept = kept.filter(([, madeAt]) => madeAt >= upTo);
	}
	return { mark: upTo, seen: Object.fromEntries(kept) };
}
