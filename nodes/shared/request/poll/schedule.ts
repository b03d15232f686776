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
const INTERVAL_SHARE = 1 / 5;
const MIN_INTERVAL_MS = 1_000;
/** The longest interval, for a few unfinished requests and for many; each one beyond the few adds to it. */
const FEW_UNFINISHED = 5;
const MAX_INTERVAL_FEW_MS = 2_100;
const MAX_INTERVAL_STEP_MS = 800;
const MAX_INTERVAL_MANY_MS = 14_000;
/** The same at the usual time of the model, when most requests end. */
const USUAL_INTERVAL_FEW_MS = 1_400;
const USUAL_INTERVAL_MANY_MS = 6_500;
/** Before this share of the usual time few requests end: the earlier, the longer the interval. */
const FINEST_FROM_SHARE = 0.8;
/** But at most so many times as long as without a usual time, which may be wrong, and one time for each 10 s of it. */
const MAX_FACTOR = 4;
const MAX_FACTOR_STEP_MS = 10_000;
/** The usual time follows about so many requests, of so many models and workflows: settings change, and memory is bounded. */
const RECENT_DURATIONS = 5;
const MAX_DURATION_KEYS = 500;
/** Intervals are spread by this share to both sides, so that the items of a batch do not all call at the same moment. */
const JITTER = 0.25;
/** Under a limit checks come anywhere from none to this many times their even distance: those that find a request ended leave calls to the others. */
const MAX_EVEN_FACTOR = 1.4;
/** A mistyped interval must not flood the service. */
const MIN_FIXED_INTERVAL_MS = 50;

/** What the schedule needs of a run: the requests of one such object learn from one another. */
export interface ScheduleSession {
	client: Client;
}

export interface ScheduledRequest {
	/** When the request was accepted, ms since the epoch; for a request that came from outside, now. */
	acceptedAt: number;
	/** 0 = adaptive. */
	pollIntervalMs: number;
	/** Whose finished requests it learns from: a model or a workflow. */
	durationKey: string;
}

export interface Schedule {
	/** Waits until the next check is due; returns early at the deadline (both ms since the epoch), and at once on Stop. */
	waitForNextCheck(lastCheckAt: number, deadline: number): Promise<void>;
	/** The request was seen to have ended, so long after its acceptance, ms. */
	recordDuration(durationMs: number): void;
}

export function scheduleOf(session: ScheduleSession, request: ScheduledRequest): Schedule {
	const { clock, limiter, signal, random } = session.client;
	const { acceptedAt, pollIntervalMs, durationKey } = request;
	const runDurations = durationsOf(session);
	const accountDurations = durationsOf(limiter);
	// As known at the start: the requests of a batch that end first are its shortest.
	const { latencySeconds } = findModel(durationKey) ?? {};
	const usualMs =
		accountDurations.get(durationKey)?.meanMs ?? (latencySeconds && latencySeconds * 1_000);

	const likelyEndAt = () => acceptedAt + (runDurations.get(durationKey)?.meanMs ?? Infinity);

	const shouldCheckNow = (lastCheckAt: number) => {
		if (pollIntervalMs > 0 || lastCheckAt >= likelyEndAt() || clock.now() < likelyEndAt())
			return false;
		// Under a limit only while each request keeps a call for its result.
		const { calls: callsLeft, unfinished } = limiter.left;
		return callsLeft >= unfinished;
	};

	return {
		async waitForNextCheck(lastCheckAt, deadline) {
			const randomValue = random();
			for (;;) {
				const elapsedMs = lastCheckAt - (lastCheckAt < likelyEndAt() ? acceptedAt : likelyEndAt());
				const ageMs = lastCheckAt - acceptedAt;
				const timing = { pollIntervalMs, elapsedMs, ageMs, usualMs, randomValue };
				const { calls: callsLeft, ms: windowLeftMs, unfinished } = limiter.left;
				const intervalMs = checkIntervalMs({ ...timing, callsLeft, windowLeftMs, unfinished });
				const dueAt = Math.min(lastCheckAt + intervalMs, deadline);
				if (clock.now() >= dueAt || signal?.aborted || shouldCheckNow(lastCheckAt)) return;
				await wait(clock, dueAt - clock.now(), {
					signal,
					isOver: () => shouldCheckNow(lastCheckAt),
				});
			}
		},
		recordDuration(durationMs) {
			addDuration(runDurations, durationKey, durationMs);
			if (durationKey !== '')
				addDuration(accountDurations, durationKey, durationMs, RECENT_DURATIONS);
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
function addDuration(
	durations: Durations,
	key: string,
	durationMs: number,
	window = Infinity,
): void {
	const { count, meanMs } = durations.get(key) ?? { count: 0, meanMs: 0 };
	const mean = meanMs + (durationMs - meanMs) / Math.min(count + 1, window);
	if (durations.size >= MAX_DURATION_KEYS) durations.clear();
	durations.set(key, { count: count + 1, meanMs: mean });
}

interface IntervalInput {
	/** The interval the user chose; 0 = adaptive. */
	pollIntervalMs: number;
	/** From acceptance, or from the likely end when that is over, to the last check. */
	elapsedMs: number;
	/** From acceptance to the last check. */
	ageMs: number;
	/** How long a request of the model usually takes, if that is known. */
	usualMs?: number;
	/** What is left of the account's window: calls (Infinity while no limit is known), ms, and the requests that share it. */
	callsLeft: number;
	windowLeftMs: number;
	unfinished: number;
	/** A number from 0 to 1, a new one for each check. */
	randomValue: number;
}

/** Time from the last check to the next one, ms. Not beyond the window's end for want of calls: then there are new ones. */
export function checkIntervalMs(input: IntervalInput): number {
	const {
		pollIntervalMs,
		elapsedMs,
		ageMs,
		usualMs,
		callsLeft,
		windowLeftMs,
		unfinished,
		randomValue,
	} = input;
	if (pollIntervalMs > 0) return Math.max(pollIntervalMs, MIN_FIXED_INTERVAL_MS);
	const extraMs = MAX_INTERVAL_STEP_MS * (unfinished - FEW_UNFINISHED);
	const maxIntervalMs = clamp(
		MAX_INTERVAL_FEW_MS + extraMs,
		MAX_INTERVAL_FEW_MS,
		MAX_INTERVAL_MANY_MS,
	);
	const usualIntervalMs = clamp(
		USUAL_INTERVAL_FEW_MS + extraMs,
		USUAL_INTERVAL_FEW_MS,
		USUAL_INTERVAL_MANY_MS,
	);
	const factor = usualFactorOf(ageMs, usualMs, usualIntervalMs / maxIntervalMs);
	const intervalMs = Math.max(
		clamp(elapsedMs * INTERVAL_SHARE, MIN_INTERVAL_MS, maxIntervalMs) * factor,
		MIN_INTERVAL_MS,
	);
	// Each result takes a call too, as far as half of the calls go; the last call is left to it.
	const callsForChecks = Math.max(callsLeft - unfinished, callsLeft / 2, 1);
	const evenIntervalMs =
		windowLeftMs *
		Math.min(unfinished / callsForChecks, 1) *
		(callsLeft === 1 ? 1 : MAX_EVEN_FACTOR * randomValue);
	return Math.max(intervalMs * (1 - JITTER + 2 * JITTER * randomValue), evenIntervalMs);
}

/** How many times as long as without a usual time an interval is. `finest`: at the usual time; before and after it, a request is less likely to end. */
function usualFactorOf(ageMs: number, usualMs: number | undefined, finest: number): number {
	if (usualMs === undefined || usualMs <= 0) return 1;
	if (ageMs >= usualMs) return Math.min((finest * ageMs) / usualMs, 1);
	const maxFactor = Math.min(usualMs / MAX_FACTOR_STEP_MS, MAX_FACTOR);
	return Math.min(Math.max((finest * FINEST_FROM_SHARE * usualMs) / ageMs, finest), maxFactor);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
