import type { RequestRef } from '../journal/lifecycle';
import { failureReason } from '../service/answers';
import type { Client } from '../service/client';
import { readRecord, type HistoryAnswer } from '../service/history';
import type { Completed, Ended, Failed } from './outcome';

/** The service has no record (any more): the request history may still have its file (docs/service.md S126). */
export async function fromHistory(
	client: Client,
	ref: RequestRef,
	isExpired: boolean,
): Promise<Ended> {
	const asked = await readRecord(client, ref.request_id);
	const ended = endedIn(client, asked);
	if (ended) return ended;
	const isUnderWay =
		asked.kind === 'found' && asked.record.kind === 'running' && !asked.record.completed;
	return {
		kind: 'missing',
		isExpired,
		historyOutOfReach: asked.kind === 'outOfReach',
		...(isUnderWay && { isUnderWay }),
	};
}

/** How a request ended, by its record in the history; undefined when it has none or does not say. */
export function endedIn(client: Client, asked: HistoryAnswer): Completed | Failed | undefined {
	if (asked.kind !== 'found') return undefined;
	const { record } = asked;
	if (record.kind === 'completed')
		return { kind: 'completed', body: record.answer, fromHistory: true };
	if (record.kind === 'failed')
		return { kind: 'failed', reason: client.redact(failureReason(record.answer)) };
	return undefined;
}
