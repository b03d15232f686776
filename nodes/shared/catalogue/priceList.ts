/**
 * Reads the service's list of prices, a text in Markdown with a table for each modality (docs/service.md S284). Only the names in a table's header count,
 * not the order or the number of its columns. Pure, and linear.
 */

import { cleanText, isClean } from '../base/clean';
import { parseDecimal } from './listedParameters';

/** A row of the list. */
export interface ListedPrice {
	slug: string;
	title: string;
	/** The service's words for what the model does. */
	modality: string;
	/** Average cost of a request, in USD; undefined if the row has none. */
	cost?: number;
	/** Average time of a request, in seconds; undefined if the row has none. */
	latencySeconds?: number;
}

/** Rows by slug. */
export type PriceList = ReadonlyMap<string, ListedPrice>;

/** A text with fewer prices is something else, such as a web page. */
const MIN_PRICES = 50;
/** Such as `$0.0364` and `14.2s`. */
const USD = /^\$(.+)$/;
const SECONDS = /^(.+)s$/;
/** A table with more columns isn't the list. */
const MAX_COLUMNS = 50;
/** A bar that Markdown doesn't take as text. */
const BAR = /(?<!\\)\|/;

/** Reads a list of prices; undefined if the text isn't one. */
export function readPriceList(text: string): PriceList | undefined {
	const prices = new Map<string, ListedPrice>();
	for (const row of tableRows(text)) {
		const slug = row.get('slug') ?? '';
		// The line below a header has only dashes.
		if (!isClean(slug) || !/\w/.test(slug) || prices.has(slug)) continue;
		prices.set(slug, {
			slug,
			title: cleanText(row.get('model')) || slug,
			modality: cleanText(row.get('modality')),
			cost: amountIn(USD, row.get('avg cost')),
			latencySeconds: amountIn(SECONDS, row.get('avg latency')),
		});
	}
	const priced = [...prices.values()].filter(({ cost }) => cost !== undefined);
	return priced.length >= MIN_PRICES ? prices : undefined;
}

/** Reads the amount in a cell; undefined if it has another form or unit, and for what isn't above zero. */
function amountIn(form: RegExp, cell = ''): number | undefined {
	const [, digits = ''] = form.exec(cell) ?? [];
	const amount = parseDecimal(digits) ?? 0;
	return amount > 0 ? amount : undefined;
}

/** Yields the rows of all tables that have a slug, by the header's names in lower case. A row may have line breaks in its cells. */
function* tableRows(text: string): Generator<ReadonlyMap<string, string>> {
	let names: string[] = [];
	let unfinished: string[] = [];
	for (const line of text.split('\n')) {
		const cells = line.split(BAR).map((cell) => cell.trim());
		const header = cells.slice(1, -1).map((cell) => cell.toLowerCase());
		if (header.includes('slug') && header.length <= MAX_COLUMNS) {
			names = header;
			unfinished = [];
			continue;
		}
		if (names.length === 0) continue;
		// Before the first cell of a row and after its last one is a bar.
		const rowLength = names.length + 2;
		const continued = continueRow(unfinished, cells);
		const row = continued.length <= rowLength ? continued : continueRow([], cells);
		unfinished = row.length < rowLength ? row : [];
		if (row.length === rowLength) yield new Map(names.map((name, at) => [name, row[at + 1]]));
	}
}

/** Appends the cells of a line to a row that an earlier line began; without one, only a line with a bar in front begins a row. */
function continueRow(row: readonly string[], cells: readonly string[]): string[] {
	if (row.length === 0) return cells[0] === '' && cells.length > 1 ? [...cells] : [];
	const [first, ...others] = cells;
	return [...row.slice(0, -1), `${row[row.length - 1]} ${first}`, ...others];
}
