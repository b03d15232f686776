import { digest } from '../base/hash';
import { noResponseFailure, rejectionFailure, unusableFailure } from './responseErrors';
import type { Client } from './client';
import {
	bodyOf,
	HISTORY_TIMEOUT_MS,
	DAY_MS,
	MAX_ZONE_OFFSET_MS,
	HISTORY_PATH,
	creationTimeOf,
	rowNamesZone,
	parseRows,
	sendHistoryCall,
} from './history';
import { isSuccess, type HttpResponse } from './http';
import type { CallOutcome } from './retry';
import { isObject, listIn, type HistoryRow } from './schemas';

/** Reads the request history page by page: for the search for a lost request, Get Many, Get Usage and the trigger. */

/** Rows per page. */
export const PAGE_SIZE: number = 100;
/** Rows per page if larger pages have too many bytes. */
const SMALLER_PAGES = [20, 5];
/** Pages of a single row don't exist: such a page is the last one. */
const FEWEST = 2;
/** A reading ends after this many pages in a row without a new row. One page may repeat another because new requests came in. */
const MOST_REPEATS = 2;
/** Most pages of one search. */
const MOST_PAGES = 30;
/** Statuses that mean that this key has no history, now and later. */
const NO_HISTORY = new Set([401, 403, 404]);

/** All rows of a model since a point in time. */
export interface HistoryReading {
	rows: HistoryRow[];
	/** Difference between service time and local time (ServerClock), ms. */
	offsetMs: number;
	errorMs: number;
}

/**
 * Reads the rows of a model back to `since` (our time, ms since the epoch), newest first. `unread` if that took too many pages or a page could not be
 * read; `isLasting` if this key has no history. Not `isComplete` if a row may be missing, because it couldn't be read or its page never came.
 */
export async function readRows(
	client: Client,
	model: string,
	since: number,
	endsAt: number,
): Promise<(HistoryReading & { isComplete: boolean }) | { unread: true; isLasting: boolean }> {
	const deadline = Math.min(client.clock.now() + HISTORY_TIMEOUT_MS, endsAt);
	const history = openHistory(client, () => ({
		model,
		from: since + client.serverClock.offsetMs,
	}));
	let rows: HistoryRow[] = [];
	let unreadable = 0;
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page = await history.next(deadline);
		if (page.kind === 'unread') return { unread: true, isLasting: isNoHistory(page.sent) };
		unreadable += page.unreadable;
		rows = rows.concat(page.rows);
		// Only responses show the difference between the clocks.
		const { offsetMs, errorMs } = client.serverClock;
		const isReadBack = isReadBackTo(rows, since + offsetMs);
		const isComplete = unreadable === 0 && (isReadBack || !page.isUncertain);
		if (page.isLast || isReadBack) return { rows, isComplete, offsetMs, errorMs };
	}
	return { unread: true, isLasting: false };
}

function isNoHistory(sent: CallOutcome): boolean {
	if (sent.kind === 'response') return NO_HISTORY.has(sent.response.status);
	return sent.kind !== 'lost' && sent.fault?.kind !== undefined && sent.fault.kind !== 'lost';
}

/** Whether the rows are sorted newest first and go back beyond that time, so that all other rows are older. */
function isReadBackTo(rows: HistoryRow[], from: number): boolean {
	const times = rows.map((row) => creationTimeOf(row) ?? NaN);
	const last = rows[rows.length - 1];
	const isNewestFirst = times.every((at, place) => place === 0 || at <= times[place - 1]);
	if (last === undefined || !isNewestFirst) return false;
	return times[times.length - 1] < from - (rowNamesZone(last) ? 0 : MAX_ZONE_OFFSET_MS);
}

/** Which rows are read: those of a model, or of all models, made between two times, ms since the epoch. */
interface HistoryQuery {
	model?: string;
	from: number;
	to?: number;
}

/** Newest first. A day more at each end, because the time zone of these days isn't documented (docs/service.md S264). */
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

/** A page of the history: its rows that no earlier page had. */
export interface HistoryPage {
	kind: 'page';
	rows: HistoryRow[];
	/** How many of its rows could not be read, for example because they name no request. */
	unreadable: number;
	/** True if no page follows. */
	isLast: boolean;
	/** True if it is the last page only because nothing new came: the service never said that there are no more rows. */
	isUncertain: boolean;
}

/** Reads the history page by page; every reading of it goes through here. */
export interface HistoryReader {
	/** The next page, or the response that brought none. `deadline` in ms since the epoch. */
	next(deadline?: number): Promise<HistoryPage | { kind: 'unread'; sent: CallOutcome }>;
}

/**
 * Opens the history. It isn't documented how pages are numbered and how many rows they have, so only the rows count: an empty page, a page of one row
 * and repeated pages are the end. If the first page is empty, the numbers may begin at 0. If a page is too large, the reading starts again with
 * smaller ones. `query` is called again after each response, which shows the service's clock. `known` has the digests of rows that were read earlier.
 */
export function openHistory(
	client: Client,
	query: () => HistoryQuery,
	known = new Set<string>(),
): HistoryReader {
	let size = PAGE_SIZE;
	let [first, number, repeats] = [1, 1, 0];
	// The end of larger pages says nothing about the end of smaller ones.
	let paged = new Set<string>();
	return {
		async next(deadline) {
			for (;;) {
				const sent = await sendPage(client, query, { number, size, deadline });
				const smaller = SMALLER_PAGES.find((rows) => rows < size);
				if (sent.kind === 'response' && sent.response.exceededBytes !== undefined && smaller) {
					size = smaller;
					number = first;
					paged = new Set();
					continue;
				}
				const isMissing =
					number === 0 && sent.kind === 'response' && saysNoPage(sent.response.status);
				const list = isMissing ? [] : rowsOfPage(sent);
				if (list === undefined) return { kind: 'unread', sent };
				if (list.length === 0 && number === 1 && first === 1) {
					[first, number] = [0, 0];
					continue;
				}
				const isNew = list.map((row) => add(paged, row));
				const added = list.filter((row, place) => isNew[place] && add(known, row));
				const rows = parseRows(added);
				repeats = isNew.includes(true) ? 0 : repeats + 1;
				number += 1;
				const isRepeated = list.length > 0 && repeats >= MOST_REPEATS;
				return {
					kind: 'page',
					rows,
					unreadable: added.length - rows.length,
					isLast: list.length < FEWEST || isRepeated,
					// A service that fails for page 0 may still have a page 0.
					isUncertain: isRepeated || (isMissing && sent.response.status >= 500),
				};
			}
		},
	};
}

/** Adds a row to the digests of earlier rows; false if it was there already. */
function add(digests: Set<string>, row: unknown): boolean {
	const before = digests.size;
	return digests.add(digest(JSON.stringify(row))).size > before;
}

/** Statuses of services whose pages begin at 1: some reject page 0, others fail. What may pass is retried. */
function saysNoPage(status: number): boolean {
	return status >= 400 && status <= 501 && status !== 429;
}

/** One page. If its response shows that the service's days are others than those asked for, it is read again. */
async function sendPage(
	client: Client,
	query: () => HistoryQuery,
	{ number, size, deadline }: { number: number; size: number; deadline?: number },
): Promise<CallOutcome> {
	const isUsable = ({ status }: HttpResponse) => number === 0 && saysNoPage(status);
	const path = pathOf(query(), number, size);
	const sent = await sendHistoryCall(client, path, { deadline, isUsable });
	const corrected = pathOf(query(), number, size);
	if (corrected === path || sent.kind !== 'response') return sent;
	return await sendHistoryCall(client, corrected, { deadline, isUsable });
}

/** The rows of a page; undefined if it could not be read. A proxy's page has no list, and a list next to an error isn't complete. */
function rowsOfPage(sent: CallOutcome): unknown[] | undefined {
	const body = bodyOf(sent);
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

/** The next page. @throws SegmindFailure if it could not be read */
export async function nextPage(client: Client, history: HistoryReader): Promise<HistoryPage> {
	const page = await history.next();
	if (page.kind === 'page') return page;
	const about = { purpose: 'read' as const, subject: 'the request history' };
	const { sent } = page;
	if (sent.kind !== 'response') throw noResponseFailure(client, sent, about);
	throw isSuccess(sent.response.status)
		? unusableFailure(client, sent.response, about)
		: rejectionFailure(client, sent.response, about);
}
