import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import { callRegister, type Call, type CallRegister } from '../../journal/calls';
import type { TracedCall } from '../../journal/entry';
import type { Client } from '../../service/client';
import { readRows } from '../../service/historyPages';
import { FAR_SKEW_MS, matchRows, type Match, type SearchResult } from './matchRows';

/** When the history is read, counted from the start of the search: rows appear late, and the history may be unreachable for a moment. */
const READING_DELAYS_MS = [0, 5_000, 15_000, 30_000];
/** No row appears later than this after the response was lost. */
const LAST_READING_MS = 30_000;
/** How often the history is read until the timeout of a v1 call: the service goes on working on the call after its connection broke. */
const V1_READING_INTERVAL_MS = 15_000;
/** A complete reading without the row proves that there is none only if it's made this long after the response was lost. */
const MIN_SETTLED_MS = 5_000;
/** How long the last reading, at the timeout, may take. */
const MAX_LAST_READING_MS = 5_000;
/** How often to check whether equal calls are still under way. */
const EQUAL_CALL_CHECK_INTERVAL_MS = 500;

interface Search {
	lostCall: TracedCall;
	/** Slug. */
	model: string;
	/** When the search ends, in ms since the epoch. */
	endsAt: number;
}

/**
 * Searches the request history for a call whose response was lost: at once, and again while its row may still appear. Claims nothing; adopting a row
 * claims it.
 * @throws SegmindFailure when stopped
 */
export async function findLostCall(
	client: Client,
	search: Search,
	register: CallRegister = callRegister,
): Promise<SearchResult> {
	const { clock, signal } = client;
	const { lostCall, endsAt } = search;
	const call = register.findCall(lostCall);
	const { likeness, sentAt } = call;
	// An earlier execution may still wait for the response. The call counts as lost only when that wait has ended.
	await waitForEqualCalls(client, call, endsAt, register);
	let result: SearchResult = { kind: 'unread', isLasting: false };
	for (const at of readingTimes(call, clock.now(), endsAt)) {
		await wait(clock, at - clock.now(), { signal });
		await waitForEqualCalls(client, call, endsAt, register);
		if (call.accepted) return { kind: 'one', ...call.accepted, isResponse: true };
		if (register.isUnderWay(likeness)) return { kind: 'underWay' };
		const readAt = clock.now();
		const reading = await readOnce(client, call, search, register);
		if (signal?.aborted) throw stoppedFailure();
		// An equal call that began meanwhile may already have a row. The response to that call will show whose row it is.
		if (register.isUnderWay(likeness)) continue;
		const { lostAt = sentAt, runsUntil = 0 } = call;
		if (reading.kind === 'unread' ? result.kind === 'unread' : reading.kind !== 'none')
			result = reading;
		else if (reading.kind === 'none' && readAt >= Math.max(lostAt + MIN_SETTLED_MS, runsUntil))
			result = reading;
		const isFinal = reading.kind === 'one' && !reading.hasFailed;
		// No row appears after the last reading, unless the service still works on a v1 call.
		const isOver = readAt - lostAt >= LAST_READING_MS && readAt >= runsUntil;
		if (isFinal || (result.kind === 'none' && isOver)) break;
	}
	// The service may still work on the call: nothing may be resent now, whatever the options say.
	if (result.kind === 'unread' && clock.now() < (call.runsUntil ?? 0)) return { kind: 'underWay' };
	return result;
}

async function readOnce(
	client: Client,
	call: Call,
	{ lostCall: { trace }, model, endsAt }: Search,
	register: CallRegister,
): Promise<Match | Extract<SearchResult, { kind: 'unread' }>> {
	const deadline = Math.max(endsAt, client.clock.now() + MAX_LAST_READING_MS);
	const reading = await readRows(client, model, call.sentAt - FAR_SKEW_MS, deadline);
	if ('unread' in reading) return { kind: 'unread', isLasting: reading.isLasting };
	const match = matchRows(
		{
			model,
			call,
			fingerprint: trace.fingerprint,
			equalLostCalls: register.findLostCalls(call.likeness),
			knownSince: register.knownSince,
			isClaimed: (requestId) => register.isClaimed(requestId),
		},
		reading,
	);
	// A row that wasn't read may be ours.
	if (match.kind === 'none' && !reading.isComplete) return { kind: 'unread', isLasting: false };
	return match;
}

/** Returns the times to read the history at, in ms since the epoch. */
function readingTimes({ runsUntil = 0 }: Call, now: number, endsAt: number): number[] {
	const times = READING_DELAYS_MS.map((ms) => now + ms);
	for (let at = now + LAST_READING_MS; at < runsUntil; times.push(at))
		at = Math.min(at + V1_READING_INTERVAL_MS, runsUntil);
	return [...new Set(times.map((at) => Math.min(at, endsAt)))];
}

/** Waits until equal calls have their responses: nothing else distinguishes their rows. */
async function waitForEqualCalls(
	client: Client,
	{ likeness }: Call,
	endsAt: number,
	register: CallRegister,
): Promise<void> {
	const { clock, signal } = client;
	for (;;) {
		if (signal?.aborted) throw stoppedFailure();
		const leftMs = endsAt - clock.now();
		if (!register.isUnderWay(likeness) || leftMs <= 0) return;
		await wait(clock, Math.min(leftMs, EQUAL_CALL_CHECK_INTERVAL_MS), { signal });
	}
}
