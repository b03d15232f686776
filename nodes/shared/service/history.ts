import { READ_LIMIT_MS, type Client } from './client';
import type { Sent } from './retry';
import { jsonOf, stateOf } from './responses';
import { isSuccess, LARGEST_RESPONSE, type HttpResponse } from './http';
import { joinUrl } from './origins';
import {
	listIn,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type StatusResponse,
} from './schemas';
import { namesZone as textNamesZone, timeOf } from './timeText';

/**
 * The account's request history on the management origin (docs/service.md S260). It comes from Segmind's own SDK and is
 * promised nowhere, so that it may be missing, late, out of order, or hold other people's rows.
 */
export const HISTORY_PATH = '/inference-request/request-history';

/** One reading may take this long, ms. */
export const BUDGET_MS = 20_000;
export const DAY_MS = 24 * 3_600_000;
/** Farthest that two time zones are apart, ms, with what clocks may differ. */
export const FARTHEST_ZONE_MS = 14 * 3_600_000;
/** What the history says of a request. */
type HistoryRecord =
	| { kind: 'completed'; response: StatusResponse }
	| { kind: 'failed'; response: StatusResponse }
	| { kind: 'running' }
	/** It completed, and the history has no file of it, as with a text. */
	| { kind: 'completedWithoutFile' };

/** What became of asking for a record: found, certainly not there (or there is no history at all), or out of reach for now. */
export type HistoryLookup =
	| { kind: 'found'; record: HistoryRecord }
	| { kind: 'unknown' | 'outOfReach' };

/** Asks for the record of a request by its id. */
export async function readRecord(
	client: Client,
	requestId: string,
	deadline = client.clock.now() + BUDGET_MS,
): Promise<HistoryLookup> {
	const path = `${HISTORY_PATH}/${encodeURIComponent(requestId)}`;
	const sent = await sendHistoryCall(client, path, { deadline, requestId });
	if (sent.kind !== 'response') return { kind: 'outOfReach' };
	if (sent.response.status === 404) return { kind: 'unknown' };
	const body = bodyOf(sent);
	const isRecord = isObject(body) && 'request_id' in body;
	const inside = isObject(body) && isObject(body.data) ? [body.data] : listIn(body);
	const candidates = isRecord ? [body] : inside;
	// A page, a refusal or an error in the place of an answer says nothing.
	if (candidates === undefined) return { kind: 'outOfReach' };
	const rows = rowsIn(candidates).filter((row) => row.request_id === requestId);
	return rows.length === 0 ? { kind: 'unknown' } : { kind: 'found', record: recordFrom(rows) };
}

/** The JSON of a success; undefined for anything else. */
export function bodyOf(sent: Sent): unknown {
	return sent.kind === 'response' && isSuccess(sent.response.status)
		? jsonOf(sent.response)
		: undefined;
}

/** A GET of the history. @throws SegmindFailure only when stopped */
export async function sendHistoryCall(
	client: Client,
	path: string,
	{
		deadline = client.clock.now() + BUDGET_MS,
		...rules
	}: { deadline?: number; requestId?: string; isUsable?: (response: HttpResponse) => boolean },
): Promise<Sent> {
	return await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.endpointAdminUrl, path),
			limitMs: READ_LIMIT_MS,
			maxBytes: LARGEST_RESPONSE.historyPage,
		},
		{ purpose: 'result', deadline, ...rules },
	);
}

/** The rows that can be read. */
export function rowsIn(list: unknown[]): HistoryRow[] {
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
			response: { status: 'FAILED', request_id: first.request_id, error: first.error },
		};
	if (urls.length === 0)
		return { kind: stateOf(state) === 'completed' ? 'completedWithoutFile' : 'running' };
	return {
		kind: 'completed',
		response: {
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
