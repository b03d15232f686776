import { z } from 'zod';

import {
	finishedOf,
	requestsOf,
	type FinishedRequest,
	type HistoryEntry,
	type HistoryRequest,
} from './historyRequests';
import { pageOf, type Scan, type ScanRow } from './historyScan';

/**
 * Which requests of the account have newly finished: what is kept between polls, and what follows from it and a scan of the history. Pure.
 *
 * The history is in order of creation, but requests finish in any order. So two things are kept: a mark, before which nothing can finish any
 * more, and the ids of what finished after it. Both can be found again from the history itself, which matters because n8n forgets what a poll
 * that emitted nothing has written (docs/n8n.md N220): from an older mark and older ids, the same follows. Ids that were emitted are in every
 * saved state that matters, because emitting saves.
 *
 * Bounded: the mark follows the clock at 15 minutes, or at 3 hours while something is unfinished, so `seen` holds what finished in that time,
 * at most 20,000 requests. Beyond that the mark moves up, and unfinished requests before it are given up.
 *
 * The names of the members are stored; they cannot change without a migration.
 */
export interface HistoryState {
	/** Requests made before this are dealt with, ms since the epoch, service time. */
	mark: number;
	/** Finished requests made at the mark or later: id to when they were made. */
	seen: Record<string, number>;
	/** Pages on which the mark, and the time 15 minutes ago, were last found; valid while the history is read from the same `day`. */
	pages: { day: string; mark: number; recent: number };
	/** When everything from the mark on was last read, ms since the epoch. */
	fullAt: number;
	/** How many pages that took. */
	fullPages: number;
	/** The filter under which `seen` was filled. After a change, the new filter must not emit what the old one left out. */
	filter: HistoryFilter;
}

export interface HistoryFilter {
	/** COMPLETED, FAILED. */
	states: string[];
	/** Slug; '' for every model. */
	model: string;
}

/** What n8n has stored, as this version writes it. */
export const historyState = z.object({
	mark: z.number(),
	seen: z.record(z.number()),
	pages: z.object({ day: z.string(), mark: z.number(), recent: z.number() }),
	fullAt: z.number(),
	fullPages: z.number(),
	filter: z.object({ states: z.array(z.string()), model: z.string() }),
});

/** A row may appear in the history this late and is still found, ms. */
const LATE_ROW_MS = 15 * 60_000;
/** An unfinished request is waited for this long after it was made, ms; the service keeps records and results for one hour. */
export const UNFINISHED_MS = 3 * 3_600_000;
/** When a full scan takes more than a few pages, there is one this often, ms, and short scans in between. */
const FULL_EVERY_MS = 10 * 60_000;
const FEW_PAGES = 3;
const MOST_SEEN = 20_000;

/** What a first poll starts from. */
export function firstState(now: number, filter: HistoryFilter): HistoryState {
	return {
		mark: now - UNFINISHED_MS,
		seen: {},
		pages: { day: '', mark: 1, recent: 1 },
		fullAt: 0,
		fullPages: 0,
		filter,
	};
}

/** What the next scan reads: everything from the mark on (`full`), or only the last 15 minutes. Times in ms since the epoch. */
export function planScan(state: HistoryState, now: number): { full: boolean; from: number } {
	const full = state.fullPages <= FEW_PAGES || now - state.fullAt >= FULL_EVERY_MS;
	return { full, from: full ? state.mark : Math.max(state.mark, now - LATE_ROW_MS) };
}

interface ScanFacts {
	/** As planned. */
	full: boolean;
	/** Service time after the scan, ms since the epoch. */
	now: number;
	filter: HistoryFilter;
	/** Stands for the days and the model that the history was asked for: page numbers depend on them. */
	day: string;
	/** The scan went no further than this, although it was complete, ms since the epoch; undefined when it went up to now. */
	until?: number;
}

/** What follows from a scan: requests to emit, oldest first, and the state to keep once they are. */
export function judgeScan<Row extends HistoryEntry>(
	state: HistoryState,
	scan: Scan<Row>,
	{ full, now, filter, day, until }: ScanFacts,
): { events: Array<FinishedRequest<Row>>; state: HistoryState } {
	const requests = requestsOf(scan.rows);
	const unseen = finishedOf(requests).filter(({ id }) => !Object.hasOwn(state.seen, id));
	const events = unseen.filter(
		(request) => passes(filter, request) && passes(state.filter, request),
	);
	const isUpToDate = scan.complete && until === undefined;
	const mark = full ? markAfter(state.mark, requests, scan, now, until) : state.mark;
	const seen = { ...state.seen };
	for (const { id, madeAt } of unseen) seen[id] = madeAt ?? now;
	// While a full scan gets further and there is more to read, another one follows at once. One that got no further must leave short ones a turn.
	const goOn = full && !isUpToDate && mark > state.mark;
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
					isUpToDate ? pageOf(scan.pages, now - LATE_ROW_MS) : 1,
				),
			},
			fullAt: full ? (goOn ? 0 : now) : state.fullAt,
			fullPages: full ? (isUpToDate ? scan.pages.length : FEW_PAGES + 1) : state.fullPages,
			filter: full && isUpToDate ? filter : state.filter,
		},
	};
}

function passes(filter: HistoryFilter, request: FinishedRequest<HistoryEntry>): boolean {
	// The service also lists models whose slug merely contains the one asked for, so the model is compared here as well.
	return (
		filter.states.includes(request.status) &&
		(filter.model === '' || request.rows[0].model === filter.model)
	);
}

/** The mark after a full scan: as late as unfinished requests, late rows and unread pages allow, and never earlier than before. */
function markAfter(
	mark: number,
	requests: Array<HistoryRequest<HistoryEntry>>,
	scan: Scan<ScanRow>,
	now: number,
	until: number | undefined,
): number {
	if (!scan.complete && scan.readTo === undefined) return mark;
	const unfinished = requests.flatMap(({ madeAt, state }) =>
		state === 'running' && madeAt !== undefined && madeAt > now - UNFINISHED_MS ? [madeAt] : [],
	);
	const readTo = scan.complete ? (until ?? Infinity) : (scan.readTo ?? Infinity);
	return Math.max(mark, Math.min(now - LATE_ROW_MS, readTo, ...unfinished));
}

/** Drops ids from before the mark, and the oldest ones beyond the limit; the mark then moves behind these. */
function bounded(mark: number, seen: Record<string, number>): Pick<HistoryState, 'mark' | 'seen'> {
	let kept = Object.entries(seen).filter(([, madeAt]) => madeAt >= mark);
	let upTo = mark;
	if (kept.length > MOST_SEEN) {
		kept = kept.sort(([, a], [, b]) => a - b);
		// Those made in the same moment as the last one dropped must go too, and nothing of that moment may be read again.
		upTo = kept[kept.length - MOST_SEEN - 1][1] + 1;
		kept = kept.filter(([, madeAt]) => madeAt >= upTo);
	}
	return { mark: upTo, seen: Object.fromEntries(kept) };
}
