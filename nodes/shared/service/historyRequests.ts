import type { SegmindFailure } from '../base/failure';
import { failureFrom, wrongState } from '../errors/failures';
import { say } from '../errors/say';
import type { Client } from './client';
import { creationTimeOf, DAY_MS, stateWithRow } from './history';
import { readHistory } from './historyPages';
import type { RequestState } from './responses';
import type { HistoryRow } from './schemas';

/** Days of the period in one query, which adds a day at each end because their time zone isn't documented. Segmind's limit is 31 (docs/service.md S260). */
const DAYS_PER_QUERY = 28;
/** At most this many pages are read, of 100 rows each. */
const MAX_PAGES = 1_000;

/** A period; times in ms since the epoch. */
export interface Period {
	from: number;
	to: number;
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
	const knownDigests = new Set<string>();
	for (const span of spansOf({ from, to })) {
		const limits = { maxPages: MAX_PAGES - pages, knownDigests };
		const end = await readHistory(client, span, limits, (page) => {
			pages++;
			unreadable += page.unreadable;
			const rows = page.rows.filter((row) => isInPeriod(creationTimeOf(row)) && matches(row));
			rows.forEach((row) => found.add(row));
			return found.count > maxRequests;
		});
		if (end === 'tooMany') throw tooManyRows();
		if (end === 'enough') return { requests: found.requests(), unreadable };
	}
	// If no row can be read, an empty result would be wrong: the history isn't empty.
	if (unreadable > 0 && unreadable === knownDigests.size) throw noneReadableFailure(unreadable);
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
export const STATUS_OF = {
	completed: 'COMPLETED',
	failed: 'FAILED',
	running: 'PROCESSING',
} as const;

/** Collects the requests that have a status, with their rows. Each row is visited once, because a long history has a thousand pages. */
class FoundRequests {
	/** How many requests have the status. */
	count = 0;

	private readonly byId = new Map<string, { rows: HistoryRow[]; state: RequestState }>();

	/** `status`: as in `RequestFilter`. */
	constructor(private readonly status: string) {}

	add(row: HistoryRow): void {
		const found = this.byId.get(row.request_id);
		if (found && this.isWanted(found.state)) this.count--;
		const rows = found?.rows ?? [];
		rows.push(row);
		const state = stateWithRow(found?.state ?? 'failed', row);
		if (this.isWanted(state)) this.count++;
		this.byId.set(row.request_id, { rows, state });
	}

	requests(): RowsByRequest {
		const wanted = [...this.byId].filter(([, { state }]) => this.isWanted(state));
		return new Map(wanted.map(([id, { rows }]) => [id, rows]));
	}

	private isWanted(state: RequestState): boolean {
		return this.status === '' || STATUS_OF[state] === this.status;
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
