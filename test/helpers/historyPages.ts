import type { Orders } from '../../dev/emulator';
import { MAX_RESPONSE_BYTES } from '../../nodes/shared/service/http';

/** Returns an order that makes each row of the history longer. */
export const padRow = (characters: number) => (row: Record<string, unknown>) => ({
	...row,
	padding: 'x'.repeat(characters),
});
/** Makes pages of the history too large from 1 MB on, a twentieth of the real limit, so that a test handles a twentieth of the bytes. */
export function limitPages(): void {
	jest.replaceProperty(MAX_RESPONSE_BYTES, 'historyPage', 1_000_000);
}

/** Pages of the history, which aren't documented, under `limitPages`. */
export const PAGE_FORMS: Record<string, Partial<Orders>> = {
	'fewer rows on a page than requested': { historyPageRows: 7 },
	'rows in no order': { historyPageRows: 7, historyOrder: 'mixed' },
	'the last page repeated beyond the end': { historyPageRows: 7, historyPages: 'clamped' },
	'pages with too many bytes': { historyRow: padRow(40_000) },
};
