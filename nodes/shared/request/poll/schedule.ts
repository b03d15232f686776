/**
 * When to check a running request again (docs/benchmarks.md has a measurement):
 *
 * - normally after a fifth of the time since its acceptance
 * - less often before the model's usual duration, while many requests are unfinished, and while little of the rate limit is left
 * - at once when the request reaches the mean duration of the run's finished requests of the same model; from then on, intervals start short again
 */
import { wait } from '../../base/clock';
import { knownAverages } from '../../catalogue/prices';
import type { Client } from '../../service/client';
import type { RateLimiter } from '../../service/rateLimiter';
import type { AcceptedRequest } from './acceptedRequest';

/** An adaptive interval is this share of the time since acceptance, or since the likely end. */
const INTERVAL_SHARE = 1 / 5;
const MIN_INTERVAL_MS = 1_000;
/** Up to this many unfinished requests count as few. */
const FEW_UNFINISHED = 5;
/** Longest interval while few requests are unfinished. */
const MAX_INTERVAL_FEW_MS = 2_100;
/** Each further unfinished request increases the longest interval by this. */
const MAX_INTERVAL_STEP_MS = 800;
/** Longest interval, however many requests are unfinished. */
const MAX_INTERVAL_MANY_MS = 14_000;
/** Longest interval around the model's usual duration, when most requests end, while few requests are unfinished. */
const USUAL_INTERVAL_FEW_MS = 1_350;
/** Longest interval around the model's usual duration, however many requests are unfinished. */
const USUAL_INTERVAL_MANY_MS = 6_300;
/** From this share of the usual duration on, intervals are shortest. Before it, they are longer the younger the request is. */
const FINEST_FROM_SHARE = 0.8;
/** The usual duration multiplies an interval by at most this, because it may be wrong. */
const MAX_FACTOR = 4;
/** That factor is also at most the usual duration divided by this. */
const MAX_FACTOR_STEP_MS = 10_000;
/** The usual duration is a mean over about this many recent requests, because settings change. */
const RECENT_DURATIONS = 5;
/** The durations of at most this many models and workflows are remembered. */
const MAX_DURATION_KEYS = 500;
/** Intervals vary by up to this share in either direction, so that the items of a batch don't all call at the same moment. */
const JITTER = 0.25;
/**
 * Under a rate limit, an interval is random between 0 and this many times the even spacing of the calls that are left. The mean may be shorter than the
 * even spacing needs, because requests that end leave their calls to the others.
 */
const MAX_EVEN_FACTOR = 1.4;
/** A mistyped interval must not flood the service. */
const MIN_FIXED_INTERVAL_MS = 50;

export interface Schedule {
	/** Waits until the next check is due; returns early at the deadline (both in ms since the epoch), and at once on Stop. */
	waitForNextCheck(lastCheckAt: number, deadline: number): Promise<void>;
	/** Learns how long after its acceptance the request ended. */
	learnDuration(durationMs: number): void;
}

/** Makes the schedule of a request. Requests of the same client, which is one run's, learn from each other's durations. `pollIntervalMs`: 0 = adaptive. */
export function scheduleOf(
	client: Client,
	request: AcceptedRequest,
	pollIntervalMs: number,
): Schedule {
	const { clock, limiter, signal, random } = client;
	const { ref, acceptedAt = clock.now() } = request;
	// Without the time of acceptance, the duration is unknown too: only this run learns from the request.
	const modelOrWorkflow = ref.model ?? (ref.workflow && `workflow ${ref.workflow}`);
	const durationKey = (request.acceptedAt !== undefined && modelOrWorkflow) || '';
	const runDurations = durationsOf(client);
	// Read only once: the shortest requests of a batch end first and would lower the mean.
	const usualMs = usualDurationMs(client, durationKey);

	const likelyEndAt = () => acceptedAt + (runDurations.get(durationKey)?.meanMs ?? Infinity);

	const shouldCheckNow = (lastCheckAt: number) => {
		if (pollIntervalMs > 0 || lastCheckAt >= likelyEndAt() || clock.now() < likelyEndAt())
			return false;
		// Under a rate limit, check early only if a call is left for each request's result.
		const { calls: callsLeft, unfinished } = limiter.budget;
		return callsLeft >= unfinished;
	};

	return {
		async waitForNextCheck(lastCheckAt, deadline) {
			const randomValue = random();
			for (;;) {
				const elapsedMs = lastCheckAt - (lastCheckAt < likelyEndAt() ? acceptedAt : likelyEndAt());
				const ageMs = lastCheckAt - acceptedAt;
				const timing = { pollIntervalMs, elapsedMs, ageMs, usualMs, randomValue };
				const { calls: callsLeft, ms: windowLeftMs, unfinished } = limiter.budget;
				const intervalMs = checkIntervalMs({ ...timing, callsLeft, windowLeftMs, unfinished });
				const dueAt = Math.min(lastCheckAt + intervalMs, deadline);
				if (clock.now() >= dueAt || signal?.aborted || shouldCheckNow(lastCheckAt)) return;
				await wait(clock, dueAt - clock.now(), {
					signal,
					isOver: () => shouldCheckNow(lastCheckAt),
				});
			}
		},
		learnDuration(durationMs) {
			addDuration(runDurations, durationKey, durationMs);
			if (durationKey !== '')
				addDuration(durationsOf(limiter), durationKey, durationMs, RECENT_DURATIONS);
		},
	};
}

/** How long the finished requests of each model or workflow took. */
type Durations = Map<string, { count: number; meanMs: number }>;

const durationsByOwner = new WeakMap<object, Durations>();

/** Returns the durations of one run, or of one account: a process has one rate limiter per account. */
function durationsOf(owner: Client | RateLimiter): Durations {
	const durations: Durations = durationsByOwner.get(owner) ?? new Map();
	durationsByOwner.set(owner, durations);
	return durations;
}

/** Returns how long a request of a model usually takes, in this account or as published; undefined if that's unknown. */
function usualDurationMs({ limiter, urls }: Client, durationKey: string): number | undefined {
	const { latencySeconds } = knownAverages(durationKey, urls.baseUrl);
	const recentMs = durationsOf(limiter).get(durationKey)?.meanMs;
	return recentMs ?? (latencySeconds && latencySeconds * 1_000);
}

/** Updates a mean: plain over the first `window` durations, then weighted towards the latest ones. */
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
	/** From acceptance to the last check; from the likely end to the last check, if that was later. */
	elapsedMs: number;
	/** From acceptance to the last check. */
	ageMs: number;
	/** How long a request of the model usually takes, if that is known. */
	usualMs?: number;
	/** Calls that are left of the account's rate-limit window; Infinity while no limit is known. */
	callsLeft: number;
	/** How long that window still lasts. */
	windowLeftMs: number;
	/** Number of the account's unfinished requests, which share the calls. */
	unfinished: number;
	/** A number from 0 to 1, a new one for each check. */
	randomValue: number;
}

/** Returns the time from the last check to the next one. Lack of calls never delays the check past the end of the window, when calls are available again. */
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
	// Keeps one call per unfinished request for its result, but at most half of the calls. The last call is kept for a result: the check then waits
	// for the end of the window.
	const callsForChecks = Math.max(callsLeft - unfinished, callsLeft / 2, 1);
	const evenIntervalMs =
		windowLeftMs *
		Math.min(unfinished / callsForChecks, 1) *
		(callsLeft === 1 ? 1 : MAX_EVEN_FACTOR * randomValue);
	return Math.max(intervalMs * (1 - JITTER + 2 * JITTER * randomValue), evenIntervalMs);
}

/** Returns the factor by which the usual duration changes an interval; 1 if it's unknown. `minFactor`: the factor around the usual duration. */
function usualFactorOf(ageMs: number, usualMs: number | undefined, minFactor: number): number {
	if (usualMs === undefined || usualMs <= 0) return 1;
	if (ageMs >= usualMs) return Math.min((minFactor * ageMs) / usualMs, 1);
	const maxFactor = Math.min(usualMs / MAX_FACTOR_STEP_MS, MAX_FACTOR);
	return Math.min(
		Math.max((minFactor * FINEST_FROM_SHARE * usualMs) / ageMs, minFactor),
		maxFactor,
	);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
