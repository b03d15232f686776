import type { IDataObject } from 'n8n-workflow';
import { tryToParseDateTime } from 'n8n-workflow';

import { type SegmindFailure } from '../base/failure';
import { isBlank } from '../base/text';
import { failureFrom, wrongInput, wrongState } from '../errors/failures';
import { say, type Said } from '../errors/say';
import type { Item } from '../run/item';
import { reasonIn } from '../service/errorBody';
import type { Client } from '../service/client';
import { promptIn } from '../catalogue/prompt';
import {
	costOf,
	DAY_MS,
	creationTimeOf,
	stateOfRows,
	stateWithRow,
	urlsIn,
} from '../service/history';
import { nextPage, openHistory, type HistoryPage } from '../service/historyPages';
import type { RequestState } from '../service/responses';
import { isObject, parseJson, type HistoryRow } from '../service/schemas';
import { dropUndefined, urlFields } from './outputFields';

/** Longest period that is read. */
const MAX_PERIOD_MS = 3 * 365 * DAY_MS;
/** Days of the period in one query, which adds a day at each end because their time zone isn't documented. Segmind's limit is 31 (docs/service.md S260). */
const DAYS_PER_QUERY = 28;
/** At most this many pages are read, of 100 rows each. */
const MAX_PAGES = 1_000;

/** A period; times in ms since the epoch. */
interface Period {
	from: number;
	to: number;
}

/**
 * Reads From Date and To Date of an item, at most three years apart.
 * @throws SegmindFailure if one isn't a date, or From Date is after To Date
 */
export function readPeriod(item: Item): Period {
	const { run, index, parameters } = item;
	const { startedAt } = run;
	const toDate = readDateField(item, 'toDate');
	const from = readDateField(item, 'fromDate') ?? (toDate ?? startedAt) - 30 * DAY_MS;
	if (from > (toDate ?? startedAt))
		throw wrongState(
			parameters.label('fromDate'),
			`after ${parameters.label('toDate')}`,
			'before it',
		);
	// No request is made in the future, but the service's clock may be ahead.
	const latest = startedAt + DAY_MS;
	const end = Math.min(toDate ?? latest, Math.max(from, latest));
	if (from >= end - MAX_PERIOD_MS) return { from, to: end };
	const text = say`From Date is more than three years before To Date, so only the three years before To Date were read.`;
	run.report.addHint({ item: index, text });
	return { from: end - MAX_PERIOD_MS, to: end };
}

/** Reads the time in a date field, in ms since the epoch; undefined if it's empty. A value without a time zone is in the workflow's time zone. */
function readDateField({ run, parameters }: Item, name: string): number | undefined {
	const given = parameters.value(name);
	if (isBlank(given)) return undefined;
	const at = parseTime(given, run.context.getTimezone());
	// The service accepts only years with four digits.
	if (at !== undefined && at >= Date.UTC(1_000, 0) && at < Date.UTC(9_999, 0)) return at;
	throw wrongInput(
		parameters.label(name),
		given,
		'a date in the format YYYY-MM-DD, for example 2026-12-31, perhaps with a time, such as 2026-12-31T18:00',
	);
}

/** Reads ISO text, a Luxon DateTime or a Date. Other texts aren't certain: 05/11/2026 may be a day in May or in November. */
function parseTime(given: unknown, timezone: string): number | undefined {
	const time = isObject(given) ? given : isoTimeIn(given);
	if (time === undefined) return undefined;
	try {
		return tryToParseDateTime(time, timezone).toMillis();
	} catch {
		return undefined;
	}
}

const ISO_TIME = /^(\d{4}-\d\d-\d\d)([T ]\d\d:\d\d(:\d\d([.,]\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?)?$/;

/** Returns the ISO text of a day, perhaps with a time; undefined for anything else, and for a day that doesn't exist. */
function isoTimeIn(given: unknown): string | undefined {
	const text = typeof given === 'string' ? given.trim() : '';
	const [, day] = ISO_TIME.exec(text) ?? [];
	const at = new Date(`${day}T00:00:00Z`);
	// `Date` makes 2 March of 30 February.
	const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(`${day}T`);
	return isDay ? text.replace(' ', 'T') : undefined;
}

/** All rows of each request, by its ID: a request with several files has a row for each (docs/service.md S262). */
export type RowsByRequest = Map<string, HistoryRow[]>;

/** Which requests of a period to return; by default all of them. */
interface RequestFilter {
	matches?: (row: HistoryRow) => boolean;
	/** COMPLETED, FAILED or PROCESSING; '' for any status. */
	status?: string;
	maxRequests?: number;
}

/**
 * Returns the requests of a period, newest first. Stops when it has more than `maxRequests`; then the last request may have further rows. A request
 * without a time counts as one of the period.
 * @throws SegmindFailure unless the whole period could be read
 */
export async function readRequests(
	client: Client,
	{ from, to }: Period,
	{ matches = () => true, status = '', maxRequests = Infinity }: RequestFilter = {},
): Promise<{ requests: RowsByRequest; unreadable: number }> {
	const found = new FoundRequests(status);
	const isInPeriod = (at = from) => at >= from && at <= to;
	let pages = 0;
	let unreadable = 0;
	const readDigests = new Set<string>();
	for (const span of spansOf({ from, to })) {
		const history = openHistory(client, span, readDigests);
		let page: HistoryPage;
		do {
			pages++;
			if (pages > MAX_PAGES) throw tooManyRows();
			page = await nextPage(client, history);
			unreadable += page.unreadable;
			const rows = page.rows.filter((row) => isInPeriod(creationTimeOf(row)) && matches(row));
			rows.forEach((row) => found.add(row));
			if (found.count > maxRequests) return { requests: found.requests(), unreadable };
		} while (!page.isLast);
	}
	// If no row can be read, an empty result would be wrong: the history isn't empty.
	if (unreadable > 0 && unreadable === readDigests.size) throw noneReadableFailure(unreadable);
	return { requests: found.requests(), unreadable };
}

/** Divides a period into the spans that one query can read, the latest first. */
function spansOf({ from, to }: Period): Period[] {
	const spans: Period[] = [];
	for (let end = to; end >= from; end -= DAYS_PER_QUERY * DAY_MS)
		spans.push({ from: Math.max(end - DAYS_PER_QUERY * DAY_MS, from), to: end });
	return spans;
}

/** The status of each state, in the words of a status response. */
const STATUS_OF = { completed: 'COMPLETED', failed: 'FAILED', running: 'PROCESSING' } as const;

/** Collects the requests that have a status, with their rows. Each row is visited once, because a long history has a thousand pages. */
class FoundRequests {
	/** How many requests have the status. */
	count = 0;

	private readonly rowsById: RowsByRequest = new Map();

	private readonly stateById = new Map<string, RequestState>();

	/** `status`: as in `RequestFilter`. */
	constructor(private readonly status: string) {}

	add(row: HistoryRow): void {
		const id = row.request_id;
		if (this.isWanted(id)) this.count--;
		this.stateById.set(id, stateWithRow(this.stateById.get(id) ?? 'failed', row));
		if (this.isWanted(id)) this.count++;
		const others = this.rowsById.get(id);
		if (others) others.push(row);
		else this.rowsById.set(id, [row]);
	}

	requests(): RowsByRequest {
		return new Map([...this.rowsById].filter(([id]) => this.isWanted(id)));
	}

	private isWanted(id: string): boolean {
		const state = this.stateById.get(id);
		return state !== undefined && (this.status === '' || STATUS_OF[state] === this.status);
	}
}

function tooManyRows(): SegmindFailure {
	const label = 'The period from From Date to To Date';
	return wrongState(label, 'too long, with more than 100,000 rows', 'shorter');
}

/** Returns the error for a history whose rows are all unreadable. */
export function noneReadableFailure(rows: number): SegmindFailure {
	return failureFrom('unreadable', {
		what: say`None of the ${rows} rows of the request history could be read`,
		charge: 'none',
		next: say`Check for an update to this package: the format of the request history, which isn't published, may have changed.`,
	});
}

/** Returns the item JSON of a request in the history: the files of all its rows, and everything else from the first row. */
export function historyItem(id: string, rows: HistoryRow[], includeBody: boolean): IDataObject {
	const [row] = rows;
	const status = STATUS_OF[stateOfRows(rows)];
	const urls = [...new Set(rows.flatMap(({ generation_url }) => urlsIn(generation_url)))];
	const { request_body: body } = row;
	const parsed = typeof body === 'string' ? (parseJson(body) ?? body) : body;
	return dropUndefined({
		...urlFields(urls),
		prompt: isObject(parsed) ? promptIn(row.model_name ?? '', parsed) : undefined,
		request_id: id,
		status,
		model: row.model_name ?? undefined,
		cost: costOf(rows),
		latency_ms: row.latency_ms ?? undefined,
		created_at: row.created_at ?? row.model_created ?? row.timestamp,
		request_body: includeBody ? (parsed ?? undefined) : undefined,
		error_message:
			status === 'FAILED'
				? reasonIn({ error: row.error }) || 'the service gave no reason'
				: undefined,
	});
}

/** Adds a hint about unreadable rows, which are missing from an item's requests or sums. */
export function hintAtUnreadable(item: Item, unreadable: number): void {
	if (unreadable === 0) return;
	const { run, index } = item;
	run.report.addHint({ item: index, text: unreadableRowsHint(unreadable) });
}

export function unreadableRowsHint(count: number): Said {
	return say`the request history contains rows that could not be read (${count}), so the output may be incomplete.`;
}
