import { numberIn } from '../base/text';
import { READ_LIMIT_MS, type Client } from './client';
import type { Sent } from './retry';
import { jsonOf, stateOf } from './answers';
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
/** A service that allows fewer rows a page and does not say so allows at least these. */
const USUAL_PAGE_SIZE = 20;
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
export interface Reading {
	rows: HistoryRow[];
	/** Service time against local time (ServerClock), ms. */
	offsetMs: number;
	errorMs: number;
}

/**
 * Reads the rows of a model back to `since` (our time, ms since the epoch), newest first, page after page until one is short or older.
 * `unread` when that took too many pages, or was not answered; `isLasting` when there is no history for this key.
 */
export async function readRows(
	client: Client,
	model: string,
	since: number,
	endsAt: number,
): Promise<Reading | { unread: true; isLasting: boolean }> {
	const deadline = Math.min(client.clock.now() + BUDGET_MS, endsAt);
	let rows: HistoryRow[] = [];
	for (let page = 1; page <= MOST_PAGES; page++) {
		const from = since + client.serverClock.offsetMs;
		const sent = await send(client, pathOf({ page, model, from }), { deadline });
		const body = bodyOf(sent);
		// An answer without a list, as of a proxy, is not an empty history.
		const list = listIn(body);
		if (list === undefined) return { unread: true, isLasting: isNoHistory(sent) };
		const readable = rowsIn(list);
		// Rows under other names, or another list, are none either.
		if (readable.length === 0 && list.length > 0) return { unread: true, isLasting: false };
		rows = rows.concat(readable);
		// Only its answers say how far the service's clock is off.
		const { offsetMs, errorMs } = client.serverClock;
		if (!isFull(list, body) || isReadBackTo(rows, since + offsetMs))
			return { rows, offsetMs, errorMs };
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

/** Which rows are asked for: a page (from 1) of those of a model, or of all, made between two times, ms since the epoch. */
interface PageQuery {
	page: number;
	model?: string;
	from: number;
	to?: number;
}

/** Newest first. A day more at each end: nobody says in which time zone days begin there (docs/service.md S264). */
function pathOf({ page, model = '', from, to }: PageQuery): string {
	const query = new URLSearchParams({
		page: String(page),
		per_page: String(PAGE_SIZE),
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

/** One page of the history; `full` when another may follow. @throws SegmindFailure unless it could be read */
export async function historyPage(
	client: Client,
	query: PageQuery,
): Promise<{ rows: HistoryRow[]; full: boolean }> {
	const about = { purpose: 'read' as const, subject: 'the request history' };
	const sent = await send(client, pathOf(query));
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	const { answer } = sent;
	if (!isSuccess(answer.status)) throw refusal(client, answer, about);
	const body = jsonOf(answer);
	const list = listIn(body);
	if (list === undefined) throw unusable(client, answer, about);
	return { rows: rowsIn(list), full: isFull(list, body) };
}

/** True when another page may follow: the service may allow fewer rows than were asked for. */
function isFull(list: unknown[], body: unknown): boolean {
	const size = (isObject(body) ? numberIn(body.per_page) : undefined) ?? 0;
	return list.length >= (size > 0 ? size : USUAL_PAGE_SIZE);
}

function bodyOf(sent: Sent): unknown {
	return sent.kind === 'answer' && isSuccess(sent.answer.status) ? jsonOf(sent.answer) : undefined;
}

async function send(
	client: Client,
	path: string,
	rules: { deadline?: number; requestId?: string } = {},
): Promise<Sent> {
	return await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.endpointAdminUrl, path),
			limitMs: READ_LIMIT_MS,
			maxBytes: LARGEST_ANSWER.historyPage,
		},
		{ purpose: 'result', deadline: client.clock.now() + BUDGET_MS, ...rules },
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
