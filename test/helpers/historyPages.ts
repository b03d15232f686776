import type { Orders } from '../../dev/emulator';

/** Returns an order that makes each row of the history longer. */
export const padRow = (characters: number) => (row: Record<string, unknown>) => ({
	...row,
	padding: 'x'.repeat(characters),
});
/** Pages of the history, which aren't documented. */
export const PAGE_FORMS: Record<string, Partial<Orders>> = {
	'fewer rows on a page than requested': { historyPageRows: 7 },
	'rows in no order': { historyPageRows: 7, historyOrder: 'mixed' },
	'the last page repeated beyond the end': { historyPageRows: 7, historyPages: 'clamped' },
	'pages with too many bytes': { historyRow: padRow(500_000) },
};
