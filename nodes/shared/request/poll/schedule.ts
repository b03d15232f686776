import { wait } from '../../base/clock';
import { findModel } from '../../catalogue';
import type { Client } from '../../service/client';
import type { RateLimiter } from '../../service/rateLimiter';

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
const LONGEST_FEW_MS = 2_100;
const LONGEST_EACH_MS = 800;
const LONGEST_MANY_MS = 14_000;
/** The same at the usual time of the model, when most requests end. */
const USUAL_FEW_MS = 1_400;
const USUAL_MANY_MS = 6_500;
/** Before this share of the usual time few requests end: the earlier, the longer the interval. */
const EARLY = 0.8;
/** But at most so many times as long as without a usual time, which may be wrong, and one time for each 10 s of it. */
const COARSEST = 4;
const COARSER_EACH_MS = 10_000;
/** The usual time follows about so many requests, of so many models and workflows: settings change, and memory is bounded. */
const RECENT = 5;
const MOST_LABELS = 500;
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
	const recent = durationsOf(limiter);
	// As known at the start: the requests of a batch that end first are its shortest.
	const { latencySeconds } = findModel(label) ?? {};
	const usualMs = recent.get(label)?.meanMs ?? (latencySeconds && latencySeconds * 1_000);

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
				const ageMs = lastCheckAt - acceptedAt;
				const known = { pollIntervalMs, elapsedMs, ageMs, usualMs, spread };
				const intervalMs = nextCheckMs({ ...known, ...limiter.left });
				const dueAt = Math.min(lastCheckAt + intervalMs, deadline);
				if (clock.now() >= dueAt || signal?.aborted || isLikelyEnded(lastCheckAt)) return;
				await wait(clock, dueAt - clock.now(), {
					signal,
					isOver: () => isLikelyEnded(lastCheckAt),
				});
			}
		},
		finished(durationMs) {
			addDuration(durations, label, durationMs);
			if (label !== '') addDuration(recent, label, durationMs, RECENT);
		},
	};
}

/** How long the finished requests of each label took. */
type Durations = Map<string, { count: number; meanMs: number }>;

const durationsByOwner = new WeakMap<object, Durations>();

/** Those of a run, or of an account in this process: that's what a rate limiter is for. */
function durationsOf(owner: ScheduleSession | RateLimiter): Durations {
	let durations = durationsByOwner.get(owner);
	if (!durations) durationsByOwner.set(owner, (durations = new Map()));
	return durations;
}

/** Counts each duration the same up to `most`; from then on, the later it is, the more it counts. */
function addDuration(durations: Durations, label: string, ms: number, most = Infinity): void {
	const { count, meanMs } = durations.get(label) ?? { count: 0, meanMs: 0 };
	const mean = meanMs + (ms - meanMs) / Math.min(count + 1, most);
	if (durations.size >= MOST_LABELS) durations.clear();
	durations.set(label, { count: count + 1, meanMs: mean });
}

interface Plan {
	/** The interval the user chose; 0 = adaptive. */
	pollIntervalMs: number;
	/** From acceptance, or from the likely end when that is over, to the last check. */
	elapsedMs: number;
	/** From acceptance to the last check. */
	ageMs: number;
	/** How long a request of the model usually takes, if that is known. */
	usualMs?: number;
	/** What is left of the account's window: calls (Infinity while no limit is known), ms, and the requests that share it. */
	calls: number;
	ms: number;
	unfinished: number;
	/** A number from 0 to 1, a new one for each check. */
	spread: number;
}

/** Time from the last check to the next one, ms. Not beyond the window's end for want of calls: then there are new ones. */
export function nextCheckMs(plan: Plan): number {
	const { pollIntervalMs, elapsedMs, ageMs, usualMs, calls, ms, unfinished, spread } = plan;
	if (pollIntervalMs > 0) return Math.max(pollIntervalMs, SHORTEST_FIXED_MS);
	const more = LONGEST_EACH_MS * (unfinished - FEW);
	const longest = clamp(LONGEST_FEW_MS + more, LONGEST_FEW_MS, LONGEST_MANY_MS);
	const atUsual = clamp(USUAL_FEW_MS + more, USUAL_FEW_MS, USUAL_MANY_MS);
	const pace = paceOf(ageMs, usualMs, atUsual / longest);
	const interval = Math.max(clamp(elapsedMs * SHARE, SHORTEST_MS, longest) * pace, SHORTEST_MS);
	// Each result takes a call too, as far as half of the calls go; the last call is left to it.
	const forChecks = Math.max(calls - unfinished, calls / 2, 1);
	const even = ms * Math.min(unfinished / forChecks, 1) * (calls === 1 ? 1 : SPREAD * spread);
	return Math.max(interval * (1 - JITTER + 2 * JITTER * spread), even);
}

/** How many times as long as without a usual time an interval is. `finest`: at the usual time; before and after it, a request is less likely to end. */
function paceOf(ageMs: number, usualMs: number | undefined, finest: number): number {
	if (usualMs === undefined || usualMs <= 0) return 1;
	if (ageMs >= usualMs) return Math.min((finest * ageMs) / usualMs, 1);
	const coarsest = Math.min(usualMs / COARSER_EACH_MS, COARSEST);
	return Math.min(Math.max((finest * EARLY * usualMs) / ageMs, finest), coarsest);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
