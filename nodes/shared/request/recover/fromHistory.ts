import type { RequestRef } from '../../journal/entry';
import { failureReason } from '../../service/answers';
import type { Client } from '../../service/client';
import { readRecord, type HistoryAnswer } from '../../service/history';
import type { Ended, Failed, Finished, InHistory } from '../wait/outcome';

/** The service has no record (any more): the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<Ended> {
	const asked = await readRecord(client, ref.request_id);
	return endedIn(client, asked) ?? { kind: 'missing', isExpired, history: inHistory(asked) };
}

/** What the history says of a request that did not end in a way that `endedIn` gives. */
export function inHistory(asked: HistoryAnswer): InHistory {
	if (asked.kind === 'found') return asked.record.kind === 'running' ? 'unfinished' : 'withoutFile';
	return asked.kind === 'outOfReach' ? 'outOfReach' : 'none';
}

/** How a request ended, by its record in the history; undefined when it has none or does not say. */
export function endedIn(client: Client, asked: HistoryAnswer): Finished | Failed | undefined {
	if (asked.kind !== 'found') return undefined;
	const { record } = asked;
	if (record.kind === 'completed')
		return { kind: 'finished', body: record.answer, fromHistory: true };
	if (record.kind === 'failed')
		return { kind: 'failed', reason: failureReason(record.answer, client.redact) };
	return undefined;
}
