import { READ_TIMEOUT_MS, type Client } from './client';
import type { CallOutcome } from './retry';
import { jsonOf, rowStateOf } from './responses';
import { isSuccess, MAX_RESPONSE_BYTES, type HttpResponse } from './http';
import { joinUrl } from './origins';
import {
	listIn,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type StatusResponse,
} from './schemas';
import { namesZone, timeOf } from './timeText';

/**
 * The account's request history on the management origin (docs/service.md S260). It's known from Segmind's own SDK and isn't promised, so it may be
 * missing, late, unsorted, or contain rows of other accounts.
 */
export const HISTORY_PATH = '/inference-request/request-history';

/** Timeout of one reading, ms. */
export const HISTORY_TIMEOUT_MS = 20_000;
export const DAY_MS = 24 * 3_600_000;
/** The largest difference between two time zones, plus the difference between clocks, ms. */
export const MAX_ZONE_OFFSET_MS = 14 * 3_600_000;
/** What the history shows of a request. */
type HistoryRecord =
	| { kind: 'completed'; response: StatusResponse }
	| { kind: 'failed'; response: StatusResponse }
	| { kind: 'running' }
	/** It completed, but the history has no file of it, for example because its output is a text. */
	| { kind: 'completedWithoutFile' };

/** The outcome of looking up a record: found, certainly not there (or there is no history at all), or unreachable for now. */
export type HistoryLookup =
	| { kind: 'found'; record: HistoryRecord }
	| { kind: 'unknown' | 'outOfReach' };

/** Looks up the record of a request by its ID. */
export async function readRecord(
	client: Client,
	requestId: string,
	deadline = client.clock.now() + HISTORY_TIMEOUT_MS,
): Promise<HistoryLookup> {
	const path = `${HISTORY_PATH}/${encodeURIComponent(requestId)}`;
	const sent = await sendHistoryCall(client, path, { deadline, requestId });
	if (sent.kind !== 'response') return { kind: 'outOfReach' };
	if (sent.response.status === 404) return { kind: 'unknown' };
	const body = bodyOf(sent);
	const isRecord = isObject(body) && 'request_id' in body;
	const inside = isObject(body) && isObject(body.data) ? [body.data] : listIn(body);
	const candidates = isRecord ? [body] : inside;
	// A gateway's page or an error proves nothing.
	if (candidates === undefined) return { kind: 'outOfReach' };
	const rows = parseRows(candidates).filter((row) => row.request_id === requestId);
	return rows.length === 0 ? { kind: 'unknown' } : { kind: 'found', record: recordFrom(rows) };
}

/** The JSON of a successful response; otherwise undefined. */
export function bodyOf(sent: CallOutcome): unknown {
	return sent.kind === 'response' && isSuccess(sent.response.status)
		? jsonOf(sent.response)
		: undefined;
}

/** A GET of the history. @throws SegmindFailure only when stopped */
export async function sendHistoryCall(
	client: Client,
	path: string,
	{
		deadline = client.clock.now() + HISTORY_TIMEOUT_MS,
		...rules
	}: { deadline?: number; requestId?: string; isUsable?: (response: HttpResponse) => boolean },
): Promise<CallOutcome> {
	return await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.endpointAdminUrl, path),
			timeoutMs: READ_TIMEOUT_MS,
			maxBytes: MAX_RESPONSE_BYTES.historyPage,
		},
		{ priority: 'result', deadline, ...rules },
	);
}

/** The rows that can be read. */
export function parseRows(list: unknown[]): HistoryRow[] {
	return list.flatMap((entry) => {
		const row = historyRow.safeParse(entry);
		return row.success ? [row.data] : [];
	});
}

/** Combines the rows of one request, one per file, into a record. */
function recordFrom(rows: HistoryRow[]): HistoryRecord {
	const [first] = rows;
	const state = stateIn(first);
	const urls = [...new Set(rows.flatMap((row) => urlsIn(row.generation_url)))];
	const cost = costOf(rows);
	if (rowStateOf(state) === 'failed')
		return {
			kind: 'failed',
			response: { status: 'FAILED', request_id: first.request_id, error: first.error },
		};
	if (urls.length === 0)
		return { kind: rowStateOf(state) === 'completed' ? 'completedWithoutFile' : 'running' };
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

/** Every row of a request has the full cost, so costs must not be summed up (docs/service.md S262). */
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

/** When a request was made, in service time, ms since the epoch; undefined if the row doesn't say. */
export function creationTimeOf(row: HistoryRow): number | undefined {
	return timeOf(timeIn(row));
}

/** Whether that time names its zone. */
export function rowNamesZone(row: HistoryRow): boolean {
	return namesZone(timeIn(row));
}

function timeIn(row: HistoryRow): unknown {
	return row.created_at ?? row.model_created ?? row.timestamp;
}
