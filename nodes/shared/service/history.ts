import { digest } from '../base/hash';
import { READ_LIMIT_MS, type Client } from './client';
import type { Sent } from './retry';
import { isServicesOwnError, jsonOf, stateOf } from './answers';
import { noAnswer, refusal, unusable } from './answerErrors';
import { isSuccess, LARGEST_ANSWER } from './http';
import { joinUrl } from './origins';
import {
	listIn,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type RequestAnswer,
} from './schemas';
import { namesZone as textNamesZone, timeOf } from './timeText';

/**
 * The account's request history on the management origin (docs/service.md S260). It comes from Segmind's own SDK and is
 * promised nowhere, so that it may be missing, late, out of order, or hold other people's rows.
 */
const PATH = '/inference-request/request-history';

/** One reading may take this long, ms. */
const BUDGET_MS = 20_000;
const DAY_MS = 24 * 3_600_000;
/** Rows of a page. */
export const PAGE_SIZE = 100;
/** Rows of a page if larger pages have too many bytes. */
const SMALLER_PAGES = [20, 5];
/** No service has pages of a single row: such a page is the last one. */
const FEWEST = 2;
/** Farthest that two time zones are apart, ms, with what clocks may differ. */
export const FARTHEST_ZONE_MS = 14 * 3_600_000;
/** More pages than this are not read for one search. */
const MOST_PAGES = 30;
/** Answers that say that there is no history for this key, and that a later try gets again. */
const NO_HISTORY = new Set([401, 403, 404]);

/** What the history says of a request. */
type HistoryRecord =
	| { kind: 'completed'; answer: RequestAnswer }
	| { kind: 'failed'; answer: RequestAnswer }
	| { kind: 'running' }
	/** It completed, and the history has no file of it, as with a text. */
	| { kind: 'completedWithoutFile' };

/** What became of asking for a record: found, certainly not there (or there is no history at all), or out of reach for now. */
export type HistoryAnswer =
	| { kind: 'found'; record: HistoryRecord }
	| { kind: 'unknown' | 'outOfReach' };

/** Asks for the record of a request by its id. */
export async function readRecord(
	client: Client,
	requestId: string,
	deadline = client.clock.now() + BUDGET_MS,
): Promise<HistoryAnswer> {
	const path = `${PATH}/${encodeURIComponent(requestId)}`;
	const sent = await send(client, path, { deadline, requestId });
	if (sent.kind !== 'answer') return { kind: 'outOfReach' };
	if (sent.answer.status === 404) return { kind: 'unknown' };
	const body = bodyOf(sent);
	const isRecord = isObject(body) && 'request_id' in body;
	const inside = isObject(body) && isObject(body.data) ? [body.data] : listIn(body);
	const candidates = isRecord ? [body] : inside;
	// A page, a refusal or an error in the place of an answer says nothing.
	if (candidates === undefined) return { kind: 'outOfReach' };
	const rows = rowsIn(candidates).filter((row) => row.request_id === requestId);
	return rows.length === 0 ? { kind: 'unknown' } : { kind: 'found', record: recordFrom(rows) };
}

/** A reading of all rows of a model since a moment. */
export interface HistoryReading {
	rows: HistoryRow[];
	/** Service time against local time (ServerClock), ms. */
	offsetMs: number;
	errorMs: number;
}

/**
 * Reads the rows of a model back to `since` (our time, ms since the epoch), newest first. `unread` if that took too many pages, or if a page or a
 * row could not be read; `isLasting` if this key has no history.
 */
export async function readRows(
	client: Client,
	model: string,
	since: number,
	endsAt: number,
): Promise<HistoryReading | { unread: true; isLasting: boolean }> {
	const deadline = Math.min(client.clock.now() + BUDGET_MS, endsAt);
	const from = since + client.serverClock.offsetMs;
	const history = openHistory(client, { model, from });
	let rows: HistoryRow[] = [];
	for (let pages = 0; pages < MOST_PAGES; pages++) {
		const page = await history.next(deadline);
		if (page.kind === 'unread') return { unread: true, isLasting: isNoHistory(page.sent) };
		// A row without an ID may be the one that is searched for.
		if (page.unreadable > 0) return { unread: true, isLasting: false };
		rows = rows.concat(page.rows);
		// Only the responses show how far the service's clock is off.
		const { offsetMs, errorMs } = client.serverClock;
		if (page.isLast || isReadBackTo(rows, since + offsetMs)) return { rows, offsetMs, errorMs };
	}
	return { unread: true, isLasting: false };
}

function isNoHistory(sent: Sent): boolean {
	if (sent.kind === 'answer') return NO_HISTORY.has(sent.answer.status);
	return sent.kind !== 'lost' && sent.fault?.kind !== undefined && sent.fault.kind !== 'lost';
}

/** True when the rows come newest first and reach back before the moment: what follows is older still. */
function isReadBackTo(rows: HistoryRow[], from: number): boolean {
	const times = rows.map((row) => madeAt(row) ?? NaN);
	const last = rows[rows.length - 1];
	const isNewestFirst = times.every((at, place) => place === 0 || at <= times[place - 1]);
	if (last === undefined || !isNewestFirst) return false;
	return times[times.length - 1] < from - (namesZone(last) ? 0 : FARTHEST_ZONE_MS);
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
	return `${PATH}?${query.toString()}`;
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
}

/** Reads the history page by page; every reading of it goes through here. */
export interface HistoryReader {
	/** The next page, or the response that brought none. `deadline` in ms since the epoch. */
	next(deadline?: number): Promise<HistoryPage | { kind: 'unread'; sent: Sent }>;
}

/**
 * Opens the history. Nobody documents how its pages are counted or how many rows they hold, so only the rows themselves count: a page that brings
 * no new row, or only one row, is the last one. If the first page is empty, page 0 is read. If a page is too large, smaller pages follow from the same place.
 */
export function openHistory(client: Client, query: HistoryQuery): HistoryReader {
	const known = new Set<string>();
	let size: number = PAGE_SIZE;
	let number = 1;
	return {
		async next(deadline) {
			for (;;) {
				const sent = await send(client, pathOf(query, number, size), { deadline });
				const smaller = SMALLER_PAGES.find((rows) => rows < size);
				if (sent.kind === 'answer' && sent.answer.exceeds !== undefined && smaller) {
					size = smaller;
					number = Math.floor(known.size / size) + 1;
					continue;
				}
				const list = number === 0 && isRejected(sent) ? [] : rowsOfPage(sent);
				if (list === undefined) return { kind: 'unread', sent };
				if (list.length === 0 && number === 1 && known.size === 0) {
					number = 0;
					continue;
				}
				const before = known.size;
				const fresh = list.filter((row) => {
					const id = digest(JSON.stringify(row));
					return !known.has(id) && known.add(id);
				});
				const rows = rowsIn(fresh);
				const isLast = list.length < FEWEST || known.size === before || number === 0;
				number += 1;
				return { kind: 'page', rows, unreadable: fresh.length - rows.length, isLast };
			}
		},
	};
}

/** True for a page that the service doesn't have: its pages begin at 1. */
function isRejected(sent: Sent): boolean {
	return sent.kind === 'answer' && sent.answer.status >= 400 && sent.answer.status < 500;
}

/** The rows of a page, undefined if it could not be read: a page of a proxy has no list, and a list beside an error isn't complete. */
function rowsOfPage(sent: Sent): unknown[] | undefined {
	if (sent.kind !== 'answer' || isServicesOwnError(sent.answer)) return undefined;
	return listIn(bodyOf(sent));
}

/** The next page. @throws SegmindFailure if it could not be read */
export async function nextPage(client: Client, history: HistoryReader): Promise<HistoryPage> {
	const page = await history.next();
	if (page.kind === 'page') return page;
	const about = { purpose: 'read' as const, subject: 'the request history' };
	const { sent } = page;
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	throw isSuccess(sent.answer.status)
		? unusable(client, sent.answer, about)
		: refusal(client, sent.answer, about);
}

function bodyOf(sent: Sent): unknown {
	return sent.kind === 'answer' && isSuccess(sent.answer.status) ? jsonOf(sent.answer) : undefined;
}

async function send(
	client: Client,
	path: string,
	{
		deadline = client.clock.now() + BUDGET_MS,
		requestId,
	}: { deadline?: number; requestId?: string },
): Promise<Sent> {
	return await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.endpointAdminUrl, path),
			limitMs: READ_LIMIT_MS,
			maxBytes: LARGEST_ANSWER.historyPage,
		},
		{ purpose: 'result', deadline, requestId },
	);
}

function rowsIn(list: unknown[]): HistoryRow[] {
	return list.flatMap((entry) => {
		const row = historyRow.safeParse(entry);
		return row.success ? [row.data] : [];
	});
}

/** Rows of one request, one a file, folded into a record. */
function recordFrom(rows: HistoryRow[]): HistoryRecord {
	const [first] = rows;
	const state = stateIn(first);
	const urls = [...new Set(rows.flatMap((row) => urlsIn(row.generation_url)))];
	const cost = costOf(rows);
	if (stateOf(state) === 'failed')
		return {
			kind: 'failed',
			answer: { status: 'FAILED', request_id: first.request_id, error: first.error },
		};
	if (urls.length === 0)
		return { kind: stateOf(state) === 'completed' ? 'completedWithoutFile' : 'running' };
	return {
		kind: 'completed',
		answer: {
			status: 'COMPLETED',
			request_id: first.request_id,
			output: urls.length === 1 ? urls[0] : urls,
			...(cost > 0 ? { metrics: { cost } } : {}),
		},
	};
}

/** Every row of a request carries its full cost, so it must not be summed up (docs/service.md S262). */
export function costOf(rows: HistoryRow[]): number {
	return rows.reduce((most, row) => Math.max(most, row.credits_deduction ?? 0), 0);
}

export function urlsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(urlsIn);
	if (typeof value !== 'string') return [];
	return value.startsWith('[')
		? urlsIn(parseJson(value))
		: /^https?:\/\//.test(value)
			? [value]
			: [];
}

function stateIn(row: HistoryRow): string {
	return (row.model_status ?? row.status ?? '').toUpperCase();
}

/** When a request was made, service time, ms since the epoch; undefined when the row does not say. */
export function madeAt(row: HistoryRow): number | undefined {
	return timeOf(timeIn(row));
}

/** True when that time says in which zone it is. */
export function namesZone(row: HistoryRow): boolean {
	return textNamesZone(timeIn(row));
}

function timeIn(row: HistoryRow): unknown {
	return row.created_at ?? row.model_created ?? row.timestamp;
}
