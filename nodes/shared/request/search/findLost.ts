import { wait } from '../../base/clock';
import { stopped } from '../../errors/failures';
import { calls, type Call, type Calls } from '../../journal/calls';
import type { LostCall } from '../../journal/entry';
import type { Client } from '../../service/client';
import { readRows } from '../../service/historyPages';
import { FAR_SKEW_MS, matchRows, type Match } from './matchRows';
import type { Searched } from './searched';

/** When the history is asked, from the beginning of the search on, ms: rows appear with some delay, and it may be out of reach for now. */
const READINGS_MS = [0, 5_000, 15_000, 30_000];
const LAST_READING_MS = 30_000;
/** A v1 call runs on after its connection broke: it is searched for this often until its own limit, ms. */
const V1_EVERY_MS = 15_000;
/** A complete reading counts as showing nothing only from this long after the loss on, ms; later ones may still show a row. */
const SETTLED_MS = 5_000;
/** The reading that is made when the time is up may take this long, ms. */
const LAST_CALL_MS = 5_000;
/** How often equal calls under way are checked, ms. */
const EQUAL_EVERY_MS = 500;

interface Search {
	lost: LostCall;
	/** Slug. */
	model: string;
	/** When the search ends, ms since the epoch, whatever it has found. */
	endsAt: number;
}

/**
 * Searches the request history for a call whose response was lost: at once, and again while its row may still appear. Claims nothing: whoever adopts
 * the row does.
 * @throws SegmindFailure when stopped
 */
export async function findLost(
	client: Client,
	search: Search,
	register: Calls = calls,
): Promise<Searched> {
	const { clock, signal } = client;
	const { lost, endsAt } = search;
	const call = register.known(lost);
	const { likeness, sentAt } = call;
	// An earlier execution's call may still be under way: it counts as lost only once that has ended.
	await untilEqualsAnswered(client, call, endsAt, register);
	let found: Searched = { kind: 'unread', isLasting: false };
	for (const at of readingTimes(call, clock.now(), endsAt)) {
		await wait(clock, at - clock.now(), { signal });
		await untilEqualsAnswered(client, call, endsAt, register);
		if (call.accepted) return { kind: 'one', ...call.accepted, isResponse: true };
		if (register.isUnderWay(likeness)) return { kind: 'underWay' };
		const readAt = clock.now();
		const seen = await readOnce(client, call, search, register);
		if (signal?.aborted) throw stopped();
		// An equal call that began meanwhile may have a row already: whose it is shows only when that call is answered.
		if (register.isUnderWay(likeness)) continue;
		const { lostAt: gaveUpAt = sentAt, runsUntil: workedOnUntil = 0 } = call;
		if (seen.kind === 'unread' ? found.kind === 'unread' : seen.kind !== 'none') found = seen;
		else if (seen.kind === 'none' && readAt >= Math.max(gaveUpAt + SETTLED_MS, workedOnUntil))
			found = seen;
		const isFinal = seen.kind === 'one' && !seen.hasFailed;
		// What did not show up by then will not; a v1 call may still be at work.
		const isOver = readAt - gaveUpAt >= LAST_READING_MS && readAt >= workedOnUntil;
		if (isFinal || (found.kind === 'none' && isOver)) break;
	}
	// The service may still be at work on it: nothing may be sent beside it, whatever the user has asked for.
	if (found.kind === 'unread' && clock.now() < (call.runsUntil ?? 0)) return { kind: 'underWay' };
	return found;
}

async function readOnce(
	client: Client,
	call: Call,
	{ lost: { trace }, model, endsAt }: Search,
	register: Calls,
): Promise<Match | Extract<Searched, { kind: 'unread' }>> {
	const deadline = Math.max(endsAt, client.clock.now() + LAST_CALL_MS);
	const reading = await readRows(client, model, call.sentAt - FAR_SKEW_MS, deadline);
	if ('unread' in reading) return { kind: 'unread', isLasting: reading.isLasting };
	const match = matchRows(
		{
			model,
			call,
			fingerprint: trace.fingerprint,
			losses: register.lost(call.likeness),
			knownSince: register.since,
			isClaimed: (requestId) => register.isClaimed(requestId),
		},
		reading,
	);
	// A row that is missing may be ours.
	if (match.kind === 'none' && !reading.isComplete) return { kind: 'unread', isLasting: false };
	return match;
}

/** The moments of the readings, ms since the epoch. */
function readingTimes({ runsUntil = 0 }: Call, now: number, endsAt: number): number[] {
	const times = READINGS_MS.map((ms) => now + ms);
	for (let at = now + LAST_READING_MS; at < runsUntil; times.push(at))
		at = Math.min(at + V1_EVERY_MS, runsUntil);
	return [...new Set(times.map((at) => Math.min(at, endsAt)))];
}

/** Equal calls are told apart by their answers only. */
async function untilEqualsAnswered(
	client: Client,
	{ likeness }: Call,
	endsAt: number,
	register: Calls,
): Promise<void> {
	const { clock, signal } = client;
	for (;;) {
		if (signal?.aborted) throw stopped();
		const left = endsAt - clock.now();
		if (!register.isUnderWay(likeness) || left <= 0) return;
		await wait(clock, Math.min(left, EQUAL_EVERY_MS), { signal });
	}
}
