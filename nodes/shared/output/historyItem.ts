import type { IDataObject } from 'n8n-workflow';

import { say } from '../errors/say';
import type { Item } from '../run/item';
import { promptIn } from '../catalogue/prompt';
import { reasonIn } from '../service/errorBody';
import { costOf, stateOfRows, urlsIn } from '../service/history';
import { STATUS_OF } from '../service/historyRequests';
import { isObject, parseJson, type HistoryRow } from '../service/schemas';
import { dropUndefined, urlFields } from './outputFields';

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
	const text = say`the request history contains rows that could not be read (${unreadable}), so the output may be incomplete.`;
	run.events.addHint({ item: index, text });
}
