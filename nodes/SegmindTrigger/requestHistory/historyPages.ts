import { SegmindFailure } from '../../shared/base/failure';
import { stateOf } from '../../shared/service/answers';
import { historyPage, madeAt } from '../../shared/service/history';
import type { HistoryRow } from '../../shared/service/schemas';
import type { PollSession } from '../pollSession';
import type { ScanPage } from './historyScan';
import type { HistoryEntry } from './historyRequests';

/** A row as the service gave it, with what a scan needs of it. */
export interface RowEntry extends HistoryEntry {
	row: HistoryRow;
}

const PAGE_SIZE = 100;

/**
 * One page (from 1) of the request history, oldest first unless `query` says otherwise.
 * @param model slug; '' for every model
 * @param query further parameters of the call
 * @throws SegmindFailure
 */
export async function readPage(
	session: PollSession,
	model: string,
	page: number,
	query: Record<string, string>,
): Promise<ScanPage<RowEntry>> {
	const { rows, size } = await historyPage(session.client, {
		page: String(page),
		per_page: String(PAGE_SIZE),
		sort_by: 'model_created',
		sort_order: 'asc',
		...(model === '' ? {} : { model_name: model }),
		...query,
	}).catch(withAlternative);
	return {
		rows: rows.map((row) => ({
			id: row.request_id,
			madeAt: madeAt(row),
			state: stateOf(row.model_status ?? row.status),
			model: row.model_name ?? '',
			row,
		})),
		full: rows.length >= size,
	};
}

/** A missing history is not the user's fault, and there is another way: the failure names it. */
function withAlternative(error: unknown): never {
	if (!(error instanceof SegmindFailure) || error.facts.httpCode !== 404) throw error;
	throw new SegmindFailure({
		...error.facts,
		message: 'Segmind has no request history at this address (HTTP 404)',
		description:
			'It is not part of the published API and may have been moved or withdrawn. Check Endpoint Admin URL in the credential, or set Watch to Listed Requests, which does without it.',
	});
}
