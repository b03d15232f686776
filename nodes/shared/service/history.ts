import { READ_TIMEOUT_MS, type Client } from './client';
import { isServicesOwnError, jsonOf, stateOf, type RequestState } from './responses';
import { isSuccess, MAX_RESPONSE_BYTES, type CallOutcome } from './http';
import { joinUrl } from './addresses';
import {
	listIn,
	historyRow,
	isObject,
	parseJson,
	type HistoryRow,
	type StatusResponse,
} from './schemas';
import { namesZone, timeOf } from './serviceTime';

/**
 * The account's request history on the management origin (docs/service.md S260). It's known from Segmind's own SDK and isn't promised, so it may be
 * missing, late, unsorted, or contain rows of other accounts.
 */
export const HISTORY_PATH = '/inference-request/request-history';

/** Timeout for a look-up by ID, for a search with all its pages, and for each page that is read otherwise. */
export const HISTORY_TIMEOUT_MS = 20_000;
export const DAY_MS = 24 * 3_600_000;

/** What the history shows of a request whose result it doesn't have. */
export type MissingFinding = 'outOfReach' | 'none' | 'unfinished' | 'completedWithoutFile';

/**
 * Looks up a request in the history by its ID. Returns it as a status response if it failed, or completed with a file; otherwise what the history shows.
 * @throws SegmindFailure only when stopped
 */
export async function readHistoryRow(
	client: Client,
	requestId: string,
): Promise<StatusResponse | MissingFinding> {
	const path = `${HISTORY_PATH}/${encodeURIComponent(requestId)}`;
	const outcome = await sendHistoryCall(client, path, { requestId });
	if (outcome.kind === 'response' && outcome.status === 404)
		return isServicesOwnError(outcome) ? 'none' : 'outOfReach';
	const body = bodyOf(outcome);
	const isRow = isObject(body) && 'request_id' in body;
	const nested = isObject(body) && isObject(body.data) ? [body.data] : listIn(body);
	const entries = isRow ? [body] : nested;
	// A gateway's page or an error proves nothing.
	if (entries === undefined) return 'outOfReach';
	const rows = parseRows(entries).filter((row) => row.request_id === requestId);
	return rows.length === 0 ? 'none' : combineRows(rows);
}

/** Returns the JSON of a successful response; otherwise undefined. */
export function bodyOf(outcome: CallOutcome): unknown {
	return isSuccess(outcome) ? jsonOf(outcome) : undefined;
}

/** Makes a GET call to the history. `path` includes the query. @throws SegmindFailure only when stopped */
export async function sendHistoryCall(
	client: Client,
	path: string,
	{
		deadline = client.clock.now() + HISTORY_TIMEOUT_MS,
		requestId,
	}: { deadline?: number; requestId?: string },
): Promise<CallOutcome> {
	return await client.read(
		{
			method: 'GET',
			url: joinUrl(client.urls.endpointAdminUrl, path),
			timeoutMs: READ_TIMEOUT_MS,
			maxBytes: MAX_RESPONSE_BYTES.historyPage,
		},
		{ priority: 'result', deadline, requestId },
	);
}

/** Returns the rows that can be read. */
export function parseRows(list: unknown[]): HistoryRow[] {
	return list.flatMap((entry) => {
		const row = historyRow.safeParse(entry);
		return row.success ? [row.data] : [];
	});
}

/** Combines the rows of one request, one per file. */
function combineRows(rows: HistoryRow[]): StatusResponse | MissingFinding {
	const [{ request_id, error }] = rows;
	const state = stateOfRows(rows);
	if (state === 'failed') return { status: 'FAILED', request_id, error };
	const urls = [...new Set(rows.flatMap((row) => urlsIn(row.generation_url)))];
	if (urls.length === 0) return state === 'completed' ? 'completedWithoutFile' : 'unfinished';
	const cost = costOf(rows);
	return {
		status: 'COMPLETED',
		request_id,
		output: urls.length === 1 ? urls[0] : urls,
		...(cost ? { metrics: { cost } } : {}),
	};
}

/** Returns the state of a request from its rows, one per file. */
export function stateOfRows(rows: readonly HistoryRow[]): RequestState {
	return rows.reduce(stateWithRow, 'failed');
}

/**
 * Returns the state of a request after another of its rows: it's running while one row is, and has failed only if no row has completed. Without a row,
 * it's 'failed'.
 */
export function stateWithRow(earlier: RequestState, row: HistoryRow): RequestState {
	const state = stateOf(row.model_status ?? row.status);
	if (earlier === 'running' || state === 'running') return 'running';
	return earlier === 'completed' ? earlier : state;
}

/**
 * Returns the cost of a request in USD; undefined if the history doesn't say. Every row has the full cost, so costs must not be summed up
 * (docs/service.md S262).
 */
export function costOf(rows: HistoryRow[]): number | undefined {
	const costs = rows.flatMap(({ credits_deduction }) => credits_deduction ?? []);
	if (costs.length === 0) return undefined;
	// Math.max takes only 100,000 arguments.
	return costs.reduce((highest, cost) => Math.max(highest, cost), 0);
}

/** Returns the URLs in a row's `generation_url`: a URL, a list of URLs, or such a list as JSON text. */
export function urlsIn(value: unknown): string[] {
	if (Array.isArray(value)) return value.flatMap(urlsIn);
	if (typeof value !== 'string') return [];
	if (value.startsWith('[')) return urlsIn(parseJson(value));
	return /^https?:\/\//.test(value) ? [value] : [];
}

/** Returns when a request was made, in service time, ms since the epoch; undefined if the row doesn't have a time. */
export function creationTimeOf(row: HistoryRow): number | undefined {
	return timeOf(creationTimeIn(row));
}

/** Whether the creation time in the row names its zone. */
export function rowNamesZone(row: HistoryRow): boolean {
	return namesZone(creationTimeIn(row));
}

function creationTimeIn(row: HistoryRow): unknown {
	return row.created_at ?? row.model_created ?? row.timestamp;
}
