import { READ_LIMIT_MS, type Client } from './client';
import type { Sent } from './retry';
import { jsonOf, stateOf } from './answers';
import { noAnswer, refusal, unusable } from './answerErrors';
import { isSuccess } from './http';
import { joinUrl } from './origins';
import {
	listIn,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type RequestAnswer,
} from './schemas';
import { timeOf } from './timeText';

/**
 * The account's request history on the management origin (docs/service.md S260). It comes from Segmind's own SDK and is
 * promised nowhere, so that it may be missing, late, out of order, or hold other people's rows.
 */
const PATH = '/inference-request/request-history';

/** One reading may take this long, ms. */
const BUDGET_MS = 20_000;
const PAGE_SIZE = 100;
/** A service that allows fewer rows a page and does not say so allows at least these. */
const USUAL_PAGE_SIZE = 20;
/** Rows are read back to this long before the moment in question, ms: clocks differ. */
const BACK_MS = 3_600_000;
/** More pages than this are not read for one search. */
const MOST_PAGES = 10;

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
 * Reads the rows of a model since `from` (service time, ms since the epoch; whole days are asked for), page after page until one is short.
 * Undefined when it could not be read completely: ten full pages may have left ours out, unless they come newest first and reach far enough back.
 */
export async function readRows(
	client: Client,
	model: string,
	from: number,
): Promise<Reading | undefined> {
	const deadline = client.clock.now() + BUDGET_MS;
	const rows: HistoryRow[] = [];
	for (let page = 1; page <= MOST_PAGES; page++) {
		const query = new URLSearchParams({
			page: String(page),
			per_page: String(PAGE_SIZE),
			model_name: model,
			// A day earlier: nobody says in which time zone days begin there.
			from_date: new Date(from - 24 * 3_600_000).toISOString().slice(0, 10),
			sort_by: 'model_created',
			sort_order: 'desc',
		});
		const sent = await send(client, `${PATH}?${query.toString()}`, { deadline });
		const body = bodyOf(sent);
		// An answer without a list, as of a proxy, is not an empty history.
		const list = listIn(body);
		if (list === undefined) return undefined;
		rows.push(...rowsIn(list));
		if (list.length < pageSizeOf(body, USUAL_PAGE_SIZE) || isReadBackTo(rows, from)) {
			const { offsetMs, errorMs } = client.serverClock;
			return { rows, offsetMs, errorMs };
		}
	}
	return undefined;
}

/** True when the rows come newest first and reach back far enough before the moment: what follows is older still. */
function isReadBackTo(rows: HistoryRow[], from: number): boolean {
	const times = rows.map((row) => madeAt(row) ?? NaN);
	return (
		times.every((at, place) => place === 0 || at <= times[place - 1]) &&
		times[times.length - 1] < from - BACK_MS
	);
}

/** One page of the history: its rows, and how many a page can hold. @throws SegmindFailure unless it could be read */
export async function historyPage(
	client: Client,
	query: Record<string, string>,
): Promise<{ rows: HistoryRow[]; size: number }> {
	const about = { purpose: 'read' as const, subject: 'the request history' };
	const sent = await send(client, `${PATH}?${new URLSearchParams(query).toString()}`);
	if (sent.kind !== 'answer') throw noAnswer(client, sent, about);
	const { answer } = sent;
	if (!isSuccess(answer.status)) throw refusal(client, answer, about);
	const body = jsonOf(answer);
	const list = listIn(body);
	if (list === undefined) throw unusable(client, answer, about, 'none');
	return { rows: rowsIn(list), size: pageSizeOf(body, Number(query.per_page)) };
}

/** Rows a page can hold: the service may allow fewer than were asked for. */
function pageSizeOf(body: unknown, asked: number): number {
	const size = isObject(body) ? Number(body.per_page) : NaN;
	return size > 0 ? size : asked;
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
	return Math.max(0, ...rows.map((row) => row.credits_deduction ?? 0));
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
	return timeOf(row.created_at ?? row.model_created ?? row.timestamp);
}
