import { wait } from '../../base/clock';
import type { Client } from '../../service/client';

/**
 * When to check a running request again: after a share of its time so far, less often the more requests are unfinished and the less the account's limit
 * leaves, and at once when it has run for as long as those of the same model that have finished: it may end at any moment then, and its time counts anew.
 * docs/benchmarks.md (detection) shows what that reaches.
 */

/** The interval is this share of the time since acceptance, or since the likely end. */
const SHARE = 1 / 5;
const SHORTEST_MS = 1_000;
/** The longest interval, for a few unfinished requests and for many; each one beyond the few adds to it. */
const FEW = 5;
const LONGEST_FEW_MS = 2_300;
const LONGEST_EACH_MS = 800;
const LONGEST_MANY_MS = 14_000;
/** Intervals are spread by this share to both sides, so that the items of a batch do not all call at the same moment. */
const JITTER = 0.25;
/** Under a limit checks come anywhere from none to this many times their even distance: those that find a request ended leave calls to the others. */
const SPREAD = 1.4;
/** A mistyped interval must not flood the service. */
const SHORTEST_FIXED_MS = 50;

/** What the schedule needs of a run: the requests of one such object learn from one another. */
export interface ScheduleSession {
	client: Client;
}

export interface Scheduled {
	/** When the request was accepted, ms since the epoch; for a request that came from outside, now. */
	acceptedAt: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Whose finished requests it learns from: a model or a workflow. */
	label: string;
}

export interface Schedule {
	/** Waits until the next check is due; returns early at the deadline (both ms since the epoch), and at once on Stop. */
	untilNextCheck(lastCheckAt: number, deadline: number): Promise<void>;
	/** The request was seen to have ended, so long after its acceptance, ms. */
	finished(durationMs: number): void;
}

export function scheduleOf(session: ScheduleSession, scheduled: Scheduled): Schedule {
	const { clock, limiter, signal, random } = session.client;
	const { acceptedAt, pollIntervalMs, label } = scheduled;
	const durations = durationsOf(session);

	const likelyEnd = () => acceptedAt + (durations.get(label)?.meanMs ?? Infinity);

	const isLikelyEnded = (lastCheckAt: number) => {
		if (pollIntervalMs > 0 || lastCheckAt >= likelyEnd() || clock.now() < likelyEnd()) return false;
		// Under a limit only while each request keeps a call for its result.
		const { calls, unfinished } = limiter.left;
		return calls >= unfinished;
	};

	return {
		async untilNextCheck(lastCheckAt, deadline) {
			const spread = random();
			for (;;) {
				const elapsedMs = lastCheckAt - (lastCheckAt < likelyEnd() ? acceptedAt : likelyEnd());
				const intervalMs = nextCheckMs({ pollIntervalMs, elapsedMs, spread, ...limiter.left });
				const dueAt = Math.min(lastCheckAt + intervalMs, deadline);
				if (clock.now() >= dueAt || signal?.aborted || isLikelyEnded(lastCheckAt)) return;
				await wait(clock, dueAt - clock.now(), {
					signal,
					isOver: () => isLikelyEnded(lastCheckAt),
				});
			}
		},
		finished(durationMs) {
			const { count, meanMs } = durations.get(label) ?? { count: 0, meanMs: 0 };
			const mean = meanMs + (durationMs - meanMs) / (count + 1);
			durations.set(label, { count: count + 1, meanMs: mean });
		},
	};
}

/** How long the finished requests of each label took. */
type Durations = Map<string, { count: number; meanMs: number }>;

const durationsOfRuns = new WeakMap<object, Durations>();

function durationsOf(run: object): Durations {
	let durations = durationsOfRuns.get(run);
	if (!durations) durationsOfRuns.set(run, (durations = new Map()));
	return durations;
}

interface Plan {
	/** The interval the user chose; 0 = adaptive. */
	pollIntervalMs: number;
	/** From acceptance, or from the likely end when that is over, to the last check. */
	elapsedMs: number;
	/** What is left of the account's window: calls (Infinity while no limit is known), ms, and the requests that share it. */
	calls: number;
	ms: number;
	unfinished: number;
	/** A number from 0 to 1, a new one for each check. */
	spread: number;
}

/** Time from the last check to the next one, ms. Not beyond the window's end for want of calls: then there are new ones. */
export function nextCheckMs({
	pollIntervalMs,
	elapsedMs,
	calls,
	ms,
	unfinished,
	spread,
}: Plan): number {
	if (pollIntervalMs > 0) return Math.max(pollIntervalMs, SHORTEST_FIXED_MS);
	const most = LONGEST_FEW_MS + LONGEST_EACH_MS * (unfinished - FEW);
	const longest = clamp(most, LONGEST_FEW_MS, LONGEST_MANY_MS);
	const interval = clamp(elapsedMs * SHARE, SHORTEST_MS, longest);
	// Each result takes a call too, as far as half of the calls go; the last call is left to it.
	const forChecks = Math.max(calls - unfinished, calls / 2, 1);
	const even = ms * Math.min(unfinished / forChecks, 1) * (calls === 1 ? 1 : SPREAD * spread);
	return Math.max(interval * (1 - JITTER + 2 * JITTER * spread), even);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
