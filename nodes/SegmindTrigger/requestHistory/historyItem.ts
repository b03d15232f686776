import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { dropUndefined } from '../../shared/output/finished';
import { failureReason } from '../../shared/service/answers';
import { costOf, urlsIn } from '../../shared/service/history';
import { parseJson } from '../../shared/service/schemas';
import type { RowEntry } from './historyPages';
import type { FinishedRequest } from './historyRequests';

/** The output item of a request in the history: its files from all of its rows, the rest from the first. */
export function itemOf({ id, status, rows }: FinishedRequest<RowEntry>): INodeExecutionData {
	const [{ row }] = rows;
	const urls = [...new Set(rows.flatMap((entry) => urlsIn(entry.row.generation_url)))];
	const body = row.request_body;
	const parsed = typeof body === 'string' ? (parseJson(body) ?? body) : body;
	return {
		json: dropUndefined({
			request_id: id,
			status,
			model: row.model_name ?? undefined,
			urls,
			output: urls.length > 1 ? urls : urls[0],
			cost: costOf(rows.map((entry) => entry.row)),
			latency_ms: row.latency_ms ?? undefined,
			created_at: (row.created_at ??
				row.model_created ??
				row.timestamp) as IDataObject['created_at'],
			request_body: parsed ?? undefined,
			error_message:
				status === 'FAILED'
					? failureReason({ error: row.error }) || 'the service gave no reason'
					: undefined,
		}),
	};
}
