/**
 * Reads the request history from a point in time on. Pure but for `read`, so it is tested against a simulated history.
 *
 * The history is paged and can be asked for whole days only, so the page with that point in time must be found. The search starts at the page
 * it was on last time: rows are only ever added behind it, so the page lies there or further back. From there the distance is doubled, then
 * halved. Pages are read oldest first: new requests then change no page that was read, and what was read when the time is up need not be
 * read again.
 */

/** One row of the history, as far as the scan needs it: a request, or one of its files. */
export interface ScanRow {
	id: string;
	/** When the request was made, ms since the epoch; undefined when the row does not say. */
	madeAt: number | undefined;
}

export interface ScanPage<Row extends ScanRow> {
	rows: Row[];
	/** True when another page may follow. */
	full: boolean;
}

/** Reads a page (from 1), oldest first; undefined when the time is up or the service cannot be reached for now. */
export type ReadPage<Row extends ScanRow> = (page: number) => Promise<ScanPage<Row> | undefined>;

export interface Scan<Row extends ScanRow> {
	/** Rows of requests made at `from` or later (or at an unknown time), in order. No row of these requests is missing. */
	rows: Row[];
	/** True when everything up to now was read. */
	complete: boolean;
	/** All requests made before this were read, ms since the epoch; undefined when that cannot be said. */
	readTo: number | undefined;
	/** When the first row of each page read was made. */
	pages: Array<{ page: number; firstMadeAt: number | undefined }>;
}

/** Rows after which a scan leaves the rest to the next poll; more would be too much for one execution. */
const ENOUGH_ROWS = 5_000;

/**
 * @param from ms since the epoch
 * @param hint the page to begin the search at, see `pageOf`; 1 when there is none
 * @param enough rows after which it may stop
 */
export async function scanFrom<Row extends ScanRow>(
	read: ReadPage<Row>,
	from: number,
	hint: number,
	enough = ENOUGH_ROWS,
): Promise<Scan<Row>> {
	const known = new Map<number, ScanPage<Row> | undefined>();
	const get = async (page: number) => {
		if (!known.has(page)) known.set(page, await read(page));
		return known.get(page);
	};
	const start = await startPage(get, from, hint);
	let scan = start === undefined ? nothingRead<Row>() : await readOn(get, start, from, enough);
	// If the rows are not in the order asked for, a page says nothing about the next one: all must be read.
	if (scan === 'unordered') scan = await readAll(get, from);
	const pages = [...known].flatMap(([page, content]) =>
		content && content.rows.length > 0 ? [{ page, firstMadeAt: content.rows[0].madeAt }] : [],
	);
	return { ...scan, pages: pages.sort((a, b) => a.page - b.page) };
}

/** The last page read that begins before `time` (ms since the epoch): the hint for a later scan from `time` or later. */
export function pageOf(pages: Scan<ScanRow>['pages'], time: number): number {
	return pages.reduce(
		(found, { page, firstMadeAt }) =>
			firstMadeAt !== undefined && firstMadeAt < time ? Math.max(found, page) : found,
		1,
	);
}

type Get<Row extends ScanRow> = (page: number) => Promise<ScanPage<Row> | undefined>;
type Part<Row extends ScanRow> = Omit<Scan<Row>, 'pages'>;

function nothingRead<Row extends ScanRow>(): Part<Row> {
	return { rows: [], complete: false, readTo: undefined };
}

/** The last page that begins before `from`, or 1; undefined when a page could not be read. */
async function startPage<Row extends ScanRow>(
	get: Get<Row>,
	from: number,
	hint: number,
): Promise<number | undefined> {
	// Strictly before: requests made at `from` itself may begin on the page before.
	const begins = (page: ScanPage<Row>) => (page.rows[0]?.madeAt ?? Infinity) < from;
	let low = Math.max(1, hint);
	let first = await get(low);
	if (first === undefined) return undefined;
	if (low > 1 && !begins(first)) {
		low = 1;
		first = await get(1);
		if (first === undefined) return undefined;
	}
	let page = first;
	let high: number | undefined;
	let step = 1;
	for (;;) {
		const last = page.rows[page.rows.length - 1]?.madeAt;
		if (!page.full || last === undefined || last >= from) return low;
		if (high !== undefined && high - low <= 1) return low;
		const next = high === undefined ? low + step : Math.floor((low + high) / 2);
		const tried = await get(next);
		if (tried === undefined) return undefined;
		if (begins(tried)) {
			low = next;
			page = tried;
			step *= 2;
		} else high = next;
	}
}

/** Reads pages in order from `start`, and stops after `enough` rows or when a page cannot be read. */
async function readOn<Row extends ScanRow>(
	get: Get<Row>,
	start: number,
	from: number,
	enough: number,
): Promise<Part<Row> | 'unordered'> {
	const rows: Row[] = [];
	let latest = -Infinity;
	let complete = false;
	for (let at = start; ; at++) {
		const page = await get(at);
		if (page === undefined) break;
		for (const row of page.rows) {
			if (row.madeAt === undefined || row.madeAt < latest) return 'unordered';
			latest = row.madeAt;
			if (row.madeAt >= from) rows.push(row);
		}
		if (!page.full) {
			complete = true;
			break;
		}
		// Rows of a single moment are read to their end however many there are, or no poll would ever get past it.
		if (rows.length >= enough && latest > (rows[0]?.madeAt ?? latest)) break;
	}
	if (complete) return { rows, complete, readTo: undefined };
	if (latest === -Infinity) return nothingRead();
	// The next page may have more requests of the last moment, or more files of the last request.
	return {
		rows: rows.filter(({ madeAt }) => (madeAt as number) < latest),
		complete,
		readTo: latest,
	};
}

/** Reads every page; all of them, or nothing. */
async function readAll<Row extends ScanRow>(get: Get<Row>, from: number): Promise<Part<Row>> {
	const rows: Row[] = [];
	for (let at = 1; ; at++) {
		const page = await get(at);
		if (page === undefined) return nothingRead();
		rows.push(...page.rows.filter(({ madeAt }) => madeAt === undefined || madeAt >= from));
		if (!page.full) return { rows, complete: true, readTo: undefined };
	}
}
