import { wait } from '../base/clock';
import { stopped } from '../base/failure';
import type { Entry, Found } from '../journal/lifecycle';
import {
	submissions,
	type Likeness,
	type Submission,
	type Submissions,
} from '../journal/submissions';
import type { Client } from '../service/client';
import { readRows } from '../service/history';
import { matchRows } from './matchRows';

/** When the history is asked, after the answer was lost, ms: rows appear with some delay. */
const READINGS_MS = [0, 5_000, 15_000, 30_000];
const LAST_READING_MS = READINGS_MS[READINGS_MS.length - 1];
/** A v1 call runs on after its connection broke: it is searched for this often until its own limit, ms. */
const V1_EVERY_MS = 15_000;
/** A complete reading counts as showing nothing only from this long after the loss on, ms; later ones may still show a row. */
const SETTLED_MS = 5_000;
/** Where all planned readings are past and none succeeded, it is tried for this long, ms. */
const REACH_MS = 20_000;
const REACH_EVERY_MS = 5_000;
/** How often equal calls under way are checked, ms. */
const EQUAL_EVERY_MS = 5_000;

interface LostCall {
	entry: Entry;
	/** Slug. */
	model: string;
	likeness: Likeness;
	/** Limit of the call itself, ms, where the service works on during it (v1). */
	runsForMs?: number;
}

/**
 * Searches the request history for a submission whose answer was lost: at once, and again while its row may still appear.
 * @throws SegmindFailure when stopped
 */
export async function findLost(
	client: Client,
	{ entry, model, likeness, runsForMs }: LostCall,
	register: Submissions = submissions,
): Promise<Found> {
	const { sentAt = client.clock.now(), lostAt = sentAt, sendingId: id = '' } = entry;
	const wasLostByGateway = entry.cause === 'gateway';
	const lost = register.lostSubmission({ ...likeness, id, sentAt, lostAt, wasLostByGateway });
	const endAsking = register.ask(lost);
	try {
		return await search(client, lost, { entry, model, likeness, runsForMs }, register);
	} finally {
		endAsking(client.signal?.aborted === true);
	}
}

async function search(
	client: Client,
	lost: Submission,
	{ entry: { fingerprint = {} }, model, runsForMs = 0 }: LostCall,
	register: Submissions,
): Promise<Found> {
	const { clock } = client;
	const startedAt = clock.now();
	// An earlier execution's call may still be under way: it counts as lost only once that has ended.
	await untilEqualsAnswered(client, lost, register);
	const { sentAt, lostAt = sentAt } = lost;
	let found: Found = { kind: 'outOfReach' };
	for (const at of readingTimes(lostAt, sentAt + runsForMs, startedAt)) {
		await until(client, at);
		await untilEqualsAnswered(client, lost, register);
		if (lost.requestId !== undefined) return { kind: 'found', requestId: lost.requestId };
		const readAt = clock.now();
		const reading = await readRows(client, model, sentAt + client.serverClock.offsetMs);
		if (client.signal?.aborted) throw stopped();
		// An equal call that began meanwhile may have a row already: whose it is shows only when that call is answered.
		if (reading === undefined || register.isUnderWay(lost)) continue;
		const match = matchRows(lost, fingerprint, reading, register);
		if (match.kind === 'found') return match;
		// A candidate may turn out to be another item's: its own search has claimed it by the next reading.
		if (match.kind === 'ambiguous') found = match;
		else if (readAt - lostAt >= SETTLED_MS) {
			found = match;
			// What did not show up by then will not; a v1 call may still be at work.
			if (readAt - lostAt >= LAST_READING_MS && readAt >= sentAt + runsForMs) break;
		}
	}
	return found;
}

/** The moments of the readings that are still to come, at least one, and some more where the history may be out of reach for now. */
function readingTimes(lostAt: number, runsUntil: number, now: number): number[] {
	const planned = READINGS_MS.map((ms) => lostAt + ms);
	for (let at = lostAt + LAST_READING_MS + V1_EVERY_MS; at <= runsUntil; at += V1_EVERY_MS)
		planned.push(at);
	if (runsUntil > planned[planned.length - 1]) planned.push(runsUntil);
	const left = planned.filter((at) => at > now);
	const extra = Array.from(
		{ length: REACH_MS / REACH_EVERY_MS },
		(_unused, i) => now + (i + 1) * REACH_EVERY_MS,
	);
	return [now, ...(left.length > 0 ? left : extra)];
}

async function until(client: Client, at: number): Promise<void> {
	await wait(client.clock, at - client.clock.now(), { signal: client.signal });
	if (client.signal?.aborted) throw stopped();
}

/** Equal submissions are told apart by their answers only. */
async function untilEqualsAnswered(
	client: Client,
	equal: Submission,
	register: Submissions,
): Promise<void> {
	while (register.isUnderWay(equal)) {
		await wait(client.clock, EQUAL_EVERY_MS, {
			signal: client.signal,
			changed: register.untilSettled(equal),
		});
		if (client.signal?.aborted) throw stopped();
	}
}
