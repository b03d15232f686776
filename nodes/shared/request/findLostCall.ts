import { wait } from '../base/clock';
import { stoppedFailure } from '../errors/failures';
import { callRegister } from '../journal/callRegister';
import type { SentEntry } from '../journal/entry';
import { readRows } from '../service/historyPages';
import type { RequestRecord } from './record';
import { FAR_SKEW_MS, matchRows } from './matchRows';
import type { SearchResult } from './submission';

/** When the history is read, counted from the start of the search: rows appear late, and the history may be unreachable for a moment. */
const READING_DELAYS_MS = [0, 5_000, 15_000, 30_000];
/** A complete reading without the row ends the search if it's made this long after the response was lost: later, no row appears. */
const LAST_READING_MS = 30_000;
/** A complete reading without the row counts only if it's made this long after the response was lost. While time is left, it's repeated. */
const MIN_SETTLED_MS = 5_000;
/** How long the last reading, at the timeout, may take. */
const MAX_LAST_READING_MS = 5_000;

/** What one look shows: the record has adopted the call, or a result of the search. */
type Finding = SearchResult | { kind: 'adopted' };

/**
 * Searches for a call whose response was lost: a late response, or its row in the request history, at once and again while it may still appear. The record
 * adopts what it finds.
 * @throws SegmindFailure when stopped
 */
export async function findLostCall(record: RequestRecord, entry: SentEntry): Promise<Finding> {
	const { clock, signal } = record.run;
	const { lostAt = entry.at } = entry;
	const startedAt = clock.now();
	const endsAt = startedAt + record.submission.options.timeoutMs;
	let result: SearchResult = { kind: 'outOfReach' };
	for (const delay of READING_DELAYS_MS) {
		await wait(clock, Math.min(startedAt + delay, endsAt) - clock.now(), { signal });
		if (signal?.aborted) throw stoppedFailure();
		const readAt = clock.now();
		const found = await lookOnce(record, entry, endsAt);
		if (found.kind === 'adopted') return found;
		if (signal?.aborted) throw stoppedFailure();
		const isTooEarly = found.kind === 'none' && readAt < lostAt + MIN_SETTLED_MS;
		if (!isTooEarly) result = found;
		// No row appears after the last reading.
		const isFinal = result.kind === 'none' && readAt - lostAt >= LAST_READING_MS;
		if (isFinal || clock.now() >= endsAt) return result;
	}
	return result;
}

/** Looks for a late response first, then in the history. While the call itself waits for its response, the history says nothing about it. */
async function lookOnce(record: RequestRecord, entry: SentEntry, endsAt: number): Promise<Finding> {
	const call = callRegister.find(entry.id);
	if (call?.accepted) {
		record.adopt(call.accepted.requestId, 'response');
		return { kind: 'adopted' };
	}
	if (call && !call.isLost) return { kind: 'underWay' };
	return await searchHistory(record, entry, endsAt);
}

/** Reads the history once. There is no await between matching a row and adopting it: two searches may find the same row. */
async function searchHistory(
	record: RequestRecord,
	entry: SentEntry,
	endsAt: number,
): Promise<Finding> {
	const { client } = record.run;
	const { slug: model } = record.submission;
	const { callDigest, fingerprint } = entry;
	if (callDigest === undefined || !fingerprint) return { kind: 'outOfReach' };
	const deadline = Math.max(endsAt, client.clock.now() + MAX_LAST_READING_MS);
	const reading = await readRows(client, model, entry.at - FAR_SKEW_MS, deadline);
	if (typeof reading === 'string') return { kind: reading };
	const isOwn = callRegister.find(entry.id) !== undefined;
	const match = matchRows(
		{
			model,
			fingerprint,
			sentAt: entry.at,
			lostAt: entry.lostAt ?? entry.at,
			equalLostCount: isOwn ? callRegister.countLost(callDigest) : 0,
			isClaimed: (requestId) => callRegister.isClaimed(requestId),
		},
		reading,
	);
	// A row that wasn't read may be ours.
	if (match.kind === 'none') return reading.isComplete ? match : { kind: 'outOfReach' };
	// The row may be that of an equal call under way: only its response distinguishes them.
	if (callRegister.isUnderWay(callDigest)) return { kind: 'underWay' };
	if (match.kind === 'candidates') return match;
	record.adopt(match.requestId, 'history');
	return { kind: 'adopted' };
}
