import type { IDataObject, INodeProperties } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';

import { type SegmindFailure } from '../base/failure';
import { safeTextOf } from '../base/redact';
import { isBlank } from '../base/text';
import { CAUSES } from '../errors/errorTable';
import { badInput, failureOf, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import type { Session } from '../run/session';
import { failureReason, rowStateOf } from '../service/responses';
import type { Client } from '../service/client';
import { promptIn } from '../catalogue/prompt';
import { costOf, DAY_MS, creationTimeOf, urlsIn } from '../service/history';
import { nextPage, openHistory } from '../service/historyPages';
import { isObject, parseJson, type HistoryRow } from '../service/schemas';
import { dropUndefined } from './finishedItem';

/** Dates may be this old at most. */
const MAX_PERIOD_MS = 3 * 365 * DAY_MS;
/** Days per query. With one more at each end, because the time zone of days isn't documented, the limit is 31 (docs/service.md S260). */
const DAYS_PER_QUERY = 28;
/** Most pages, of 100 rows each. */
const MAX_PAGES = 1_000;

/** The period of an operation on the history. */
export const periodFields: INodeProperties[] = [
	{
		displayName:
			"This operation reads Segmind's request history, which isn't officially documented and may change",
		name: 'historyNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'From Date',
		name: 'fromDate',
		type: 'dateTime',
		default: '',
		description:
			'Start of the period, at most three years before its end. The default is 30 days before its end.',
	},
	{
		displayName: 'To Date',
		name: 'toDate',
		type: 'dateTime',
		default: '',
		description: 'End of the period. The default is now.',
	},
];

/** Times in ms since the epoch. */
export interface Period {
	from: number;
	to: number;
}

/**
 * Reads From Date and To Date of an item, at most three years apart.
 * @throws SegmindFailure if one isn't a date, or From Date is after To Date
 */
export function readPeriod(session: Session, itemIndex: number): Period {
	const { startedAt } = session;
	const given = readTime(session, itemIndex, 'toDate', 'To Date');
	const from =
		readTime(session, itemIndex, 'fromDate', 'From Date') ?? (given ?? startedAt) - 30 * DAY_MS;
	if (from > (given ?? startedAt)) throw badInput(INPUTS.datesSwapped);
	// No request is made in the future, but the service's clock may be ahead.
	const latest = startedAt + DAY_MS;
	const end = Math.min(given ?? latest, Math.max(from, latest));
	if (from >= end - MAX_PERIOD_MS) return { from, to: end };
	session.hints.add(fill(HINTS.datesTooFarApart, { item: itemIndex }));
	return { from: end - MAX_PERIOD_MS, to: end };
}

/** Ms since the epoch; undefined if the field is empty. A text without a time zone is in the workflow's time zone. */
function readTime(session: Session, itemIndex: number, name: string, label: string) {
	const { context } = session;
	const given: unknown = context.getNodeParameter(name, itemIndex, '');
	if (isBlank(given)) return undefined;
	const at = parseTime(given, context.getTimezone());
	// The service accepts years with four digits.
	if (at !== undefined && at >= EARLIEST_MS && at <= LATEST_MS) return at;
	throw badInput(INPUTS.notADate, { label, value: safeTextOf(given, 60) });
}

/** The first of January of the year 1000. */
const EARLIEST_MS = Date.UTC(1_000, 0, 1);
const LATEST_MS = Date.UTC(9_999, 0, 1);

function parseTime(given: unknown, timezone: string): number | undefined {
	try {
		return tryToParseDateTime(given, timezone).toMillis();
	} catch {
		return undefined;
	}
}

/** All rows of each request, by its ID: a request with several files has a row for each (docs/service.md S262). */
export type RowsByRequest = Map<string, HistoryRow[]>;

/**
 * The requests of a period that have a row that `wants` accepts, newest first, until there are more than `most` (the last one may have more rows). A
 * request without a time counts too.
 * @throws SegmindFailure unless the whole period could be read
 */
export async function readRequests(
	client: Client,
	{ from, to }: Period,
	wants: (row: HistoryRow) => boolean = () => true,
	most = Infinity,
): Promise<{ requests: RowsByRequest; unreadable: number }> {
	const found: RowsByRequest = new Map();
	const isBetween = (at = from) => at >= from && at <= to;
	let pages = 0;
	let unreadable = 0;
	const known = new Set<string>();
	for (let end = to; end >= from; end -= DAYS_PER_QUERY * DAY_MS) {
		const span = { from: Math.max(end - DAYS_PER_QUERY * DAY_MS, from), to: end };
		const history = openHistory(client, () => span, known);
		for (let isLast = false; !isLast; ) {
			if (++pages > MAX_PAGES) throw badInput(INPUTS.tooManyRows);
			const page = await nextPage(client, history);
			({ isLast } = page);
			unreadable += page.unreadable;
			for (const row of page.rows) {
				if (!isBetween(creationTimeOf(row)) || !wants(row)) continue;
				const others = found.get(row.request_id);
				if (others) others.push(row);
				else found.set(row.request_id, [row]);
			}
			if (found.size > most) return { requests: found, unreadable };
		}
	}
	// If no row can be read, the history isn't empty.
	if (unreadable > 0 && unreadable === known.size) throw noneReadableFailure(unreadable);
	return { requests: found, unreadable };
}

/** The error if the history has rows, but none of them could be read. */
export function noneReadableFailure(rows: number): SegmindFailure {
	return failureOf('unreadable', CAUSES.unreadableRows, { rows });
}

/** The status of a request, in the service's words. */
export function historyStatus(row: HistoryRow): 'COMPLETED' | 'FAILED' | 'PROCESSING' {
	const state = rowStateOf(row.model_status ?? row.status);
	return state === 'completed' ? 'COMPLETED' : state === 'failed' ? 'FAILED' : 'PROCESSING';
}

/** A request of the history as an item's JSON, with the files of all its rows; the rest is from the first row. `hasBody`: include the request body. */
export function historyItem(id: string, rows: HistoryRow[], hasBody: boolean): IDataObject {
	const [row] = rows;
	const status = historyStatus(row);
	const urls = [...new Set(rows.flatMap(({ generation_url }) => urlsIn(generation_url)))];
	const { request_body: body } = row;
	const parsed = typeof body === 'string' ? (parseJson(body) ?? body) : body;
	return dropUndefined({
		url: urls[0],
		urls: urls.length > 1 ? urls : undefined,
		prompt: isObject(parsed) ? promptIn(row.model_name ?? '', parsed) : undefined,
		request_id: id,
		status,
		model: row.model_name ?? undefined,
		cost: costOf(rows),
		latency_ms: row.latency_ms ?? undefined,
		created_at: row.created_at ?? row.model_created ?? row.timestamp,
		request_body: hasBody ? (parsed ?? undefined) : undefined,
		error_message:
			status === 'FAILED'
				? failureReason({ error: row.error }) || 'the service gave no reason'
				: undefined,
	});
}

/** Adds a hint about rows that are missing in an item's sums or requests, because they could not be read. */
export function hintAtUnreadable({ hints }: Session, itemIndex: number, unreadable: number): void {
	if (unreadable > 0) hints.add(fill(HINTS.rowsUnreadable, { item: itemIndex, rows: unreadable }));
}
