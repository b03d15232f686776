/** Reads the request history page by page: for the search for a lost request, Get Many, Get Usage and the trigger. */

import { digest } from '../base/hash';
import { callFailure } from './responseErrors';
import type { Client } from './client';
import {
	bodyOf,
	HISTORY_TIMEOUT_MS,
	DAY_MS,
	HISTORY_PATH,
	creationTimeOf,
	rowNamesZone,
	parseRows,
	sendHistoryCall,
} from './history';
import type { CallOutcome } from './http';
import { isServicesOwnError } from './responses';
import { isObject, listIn, type HistoryRow } from './schemas';

/** How many rows a page has, unless larger pages have too many bytes. */
export const PAGE_SIZE: number = 100;
/** How many rows a page has if larger pages have too many bytes: the next smaller size is tried. A row may hold a whole body, with pictures of 7 MB. */
const SMALLER_PAGE_SIZES = [20, 5, 2];
/** A page with fewer rows is the last one, because no service has pages of a single row. */
const MIN_ROWS = 2;
/** The reading ends after this many pages in a row without a new row. A single page may repeat the one before, because new requests came in meanwhile. */
const MAX_REPEATED_PAGES = 2;
/** A search for a lost request reads at most this many pages. */
const MAX_PAGES = 30;
/** Statuses that mean that this key will never have a history, if Segmind itself sends them. */
const NO_HISTORY = new Set([401, 403, 404]);

/** All rows of a model since a point in time. */
export interface HistoryReading {
	rows: HistoryRow[];
	/** Difference between service time and local time, and its uncertainty (`ServerClock`). */
	offsetMs: number;
	errorMs: number;
}

/**
 * Reads the rows of a model back to `since` (our time, ms since the epoch), newest first. `outOfReach` if that took too many pages or a page could
 * not be read; `noHistory` if this key has none. Not `isComplete` if a row may be missing, because it couldn't be read or its page was never returned.
 */
export async function readRows(
	client: Client,
	model: string,
	since: number,
	endsAt: number,
): Promise<(HistoryReading & { isComplete: boolean }) | 'outOfReach' | 'noHistory'> {
	const deadline = Math.min(client.clock.now() + HISTORY_TIMEOUT_MS, endsAt);
	let rows: HistoryRow[] = [];
	let unreadable = 0;
	const isReadBack = () => {
		// A time without a zone may be that of another place.
		const times = rows.map((row) => (rowNamesZone(row) ? creationTimeOf(row) : undefined));
		// Only responses show the difference between the clocks.
		return isReadBackTo(times, since + client.serverClock.offsetMs);
	};
	const query = { model, from: since + client.serverClock.offsetMs };
	const end = await readPages(client, query, { maxPages: MAX_PAGES, deadline }, (page) => {
		rows = rows.concat(page.rows);
		unreadable += page.unreadable;
		return isReadBack();
	});
	if (typeof end === 'object' && isNoHistory(end.unread)) return 'noHistory';
	if (typeof end === 'object' || end === 'tooMany') return 'outOfReach';
	const isComplete = unreadable === 0 && end !== 'repeated';
	const { offsetMs, errorMs } = client.serverClock;
	return { rows, isComplete, offsetMs, errorMs };
}

/** Whether Segmind itself says that this key has no history. A proxy's page only means that the history can't be read now. */
function isNoHistory(outcome: CallOutcome): boolean {
	if (outcome.kind !== 'response') return false;
	return NO_HISTORY.has(outcome.status) && isServicesOwnError(outcome);
}

/**
 * Whether the creation times of rows are sorted newest first and go back beyond `from`, so that all other rows are older. False if a time is undefined. All
 * times in service time, ms since the epoch.
 */
export function isReadBackTo(times: ReadonlyArray<number | undefined>, from: number): boolean {
	const known = times.map((at) => at ?? NaN);
	const isNewestFirst = known.every((at, place) => place === 0 || at <= known[place - 1]);
	return isNewestFirst && known[known.length - 1] < from;
}

/** Selects rows: of one model or of all, made between two times (service time, ms since the epoch). */
interface HistoryQuery {
	model?: string;
	from: number;
	to?: number;
}

/**
 * Returns the path of a page: the newest rows first, and one more day at each end, because it isn't documented in which time zone the days are
 * (docs/service.md S264).
 */
function pathOf({ model = '', from, to }: HistoryQuery, page: number, size: number): string {
	const query = new URLSearchParams({
		page: String(page),
		per_page: String(size),
		sort_by: 'model_created',
		sort_order: 'desc',
		from_date: dateOf(from - DAY_MS),
		...(to !== undefined && { to_date: dateOf(to + DAY_MS) }),
		...(model !== '' && { model_name: model }),
	});
	return `${HISTORY_PATH}?${query.toString()}`;
}

function dateOf(at: number): string {
	return new Date(at).toISOString().slice(0, 10);
}

/** A page of the history, with the rows that no earlier page had. */
interface HistoryPage {
	rows: HistoryRow[];
	/** How many of its rows could not be read, for example because they name no request. */
	unreadable: number;
	/** Whether the service shows that no page follows. */
	isLast: boolean;
}

/**
 * Why the reading ended: `enough` was read, it's the `last` page, `repeated` pages had nothing new although the service never reported the end, or there
 * were `tooMany` pages. `unread`: the outcome of a call that failed.
 */
type ReadingEnd = 'enough' | 'last' | 'repeated' | 'tooMany' | { unread: CallOutcome };

interface ReadingLimits {
	maxPages: number;
	/** When each call gives up, in ms since the epoch. */
	deadline?: number;
	/** The digests of rows that were read earlier, to which this reading adds its own. */
	knownDigests?: Set<string>;
}

/**
 * Reads the history page by page until `isEnough`, which gets each page once, returns true. Everything that reads several rows of the history uses it. It
 * isn't documented how many rows a page has, so only the rows count: an empty page, a page of one row and repeated pages are the end. If a page is too
 * large, the reading starts again with smaller ones.
 * @throws SegmindFailure only when stopped
 */
async function readPages(
	client: Client,
	query: HistoryQuery,
	{ maxPages, deadline, knownDigests = new Set() }: ReadingLimits,
	isEnough: (page: HistoryPage) => boolean,
): Promise<ReadingEnd> {
	let size = PAGE_SIZE;
	let number = 1;
	let repeats = 0;
	let pagedDigests = new Set<string>();
	let read = 0;
	while (read < maxPages) {
		const outcome = await sendHistoryCall(client, pathOf(query, number, size), { deadline });
		const smallerSize = smallerSizeAfter(outcome, size);
		if (smallerSize !== undefined) {
			size = smallerSize;
			number = 1;
			// The end of larger pages says nothing about the end of smaller ones.
			pagedDigests = new Set();
			continue;
		}
		const list = rowsOfPage(outcome);
		if (list === undefined) return { unread: outcome };
		read++;
		number++;
		const unpaged = takeNew(list, pagedDigests);
		repeats = unpaged.length > 0 ? 0 : repeats + 1;
		const newRows = takeNew(unpaged, knownDigests);
		const rows = parseRows(newRows);
		const isLast = list.length < MIN_ROWS;
		const unreadable = newRows.length - rows.length;
		if (isEnough({ rows, unreadable, isLast })) return 'enough';
		if (isLast) return 'last';
		if (repeats >= MAX_REPEATED_PAGES) return 'repeated';
	}
	return 'tooMany';
}

/** Reads the history like `readPages`. @throws SegmindFailure if a page could not be read, or when stopped */
export async function readHistory(
	client: Client,
	query: HistoryQuery,
	limits: ReadingLimits,
	isEnough: (page: HistoryPage) => boolean,
): Promise<Exclude<ReadingEnd, object>> {
	const end = await readPages(client, query, limits, isEnough);
	if (typeof end === 'string') return end;
	throw callFailure(client, end.unread, {
		purpose: 'read',
		subject: 'the call for the request history',
	});
}

/** Returns the size of the pages to start again with; undefined if the page wasn't too large, or there are no smaller pages. */
function smallerSizeAfter(outcome: CallOutcome, size: number): number | undefined {
	const isTooLarge = outcome.kind === 'response' && outcome.exceededLimitBytes !== undefined;
	return isTooLarge ? SMALLER_PAGE_SIZES.find((rows) => rows < size) : undefined;
}

/** Returns the rows whose digests aren't known yet, and adds their digests. */
function takeNew(rows: unknown[], digests: Set<string>): unknown[] {
	return rows.filter((row) => {
		const ownDigest = digest(JSON.stringify(row));
		if (digests.has(ownDigest)) return false;
		digests.add(ownDigest);
		return true;
	});
}

/** Returns the rows of a page; undefined if it could not be read. A proxy's page has no list, and a list next to an error isn't complete. */
function rowsOfPage(outcome: CallOutcome): unknown[] | undefined {
	const body = bodyOf(outcome);
	return reportsError(body) ? undefined : listIn(body);
}

/** Whether the body of a successful response reports an error. */
function reportsError(body: unknown): boolean {
	if (!isObject(body)) return false;
	const isFilled = (value: unknown) =>
		typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
	const { error, errors, error_message, success } = body;
	return [error, errors, error_message].some(isFilled) || success === false;
}
