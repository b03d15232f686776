/**
 * When to check a running request again. Pure: times go in, a wait comes out.
 * The numbers reach what docs/benchmarks.md promises: detection within 10 % of a job's time with at most 20 calls for 60 s and 40 for 400 s when
 * nothing is known of the model; within 5 % and with 10 and 15 calls when its usual time is known.
 */
interface PollPlan {
	/** Time since the request was accepted, ms. */
	elapsedMs: number;
	/** How long such a job usually takes, ms; undefined when unknown. */
	expectedMs?: number;
	/** True when it comes from requests of this run that have finished, and not from what the service publishes. */
	isMeasured?: boolean;
	/** A fixed interval chosen by the user, ms; 0 means adaptive. */
	fixedMs?: number;
	/** A number from 0 to 1, a new one each time. */
	random: number;
}

/** A mistyped interval must not flood the service. */
const SHORTEST_FIXED_MS = 50;
const FIRST_MS = 1_040;
/** The first status check falls anywhere between these shares of it, so that no length of job is always just missed by those that follow. */
const FIRST_FROM = 0.45;
const FIRST_TO = 1.45;
/** A wait is this share of the time elapsed: a finish is then found after half of it on average. */
const GROWTH = 0.185;
const LONGEST_MS = 18_900;
/** Each wait is spread by this share to both sides, so that the items of a batch do not all call at the same moment. */
const JITTER = 0.1;

/** Sparse checks before the expected time, each half as late again as the one before: a job four times faster is found within half of its time. */
const SPARSE_RATIO = 1.45;
/** Where the sparse checks begin, as a share of the expected time. */
const SPARSE_START = 0.16;
/** Where finishing becomes likely, as a share of the expected time; for jobs of minutes earlier, since a share of those is long. */
const LIKELY_FROM = 0.78;
const LIKELY_FROM_LONG = 0.7;
const LONG_MS = 450_000;
/** Past this share the expectation has failed and the wait grows again. */
const LIKELY_TO = 1.5;
const LIKELY_SHARE = 0.088;
const LIKELY_SHORTEST_MS = 800;
/** The same when others of the run have just taken about that long: the end of a batch is that of its last. */
const MEASURED_SHORTEST_MS = 450;
const LIKELY_LONGEST_MS = 18_000;

/** Time until the next status call, ms. */
export function nextPollMs(plan: PollPlan): number {
	const { fixedMs, expectedMs, random } = plan;
	if (fixedMs !== undefined && fixedMs > 0) return Math.max(fixedMs, SHORTEST_FIXED_MS);
	// A clock that was set back makes times negative.
	const elapsed = plan.elapsedMs > 0 ? plan.elapsedMs : 0;
	const jittered = (base: number) => Math.round(base * (1 + JITTER * (2 * random - 1)));
	if (expectedMs !== undefined && expectedMs > 0 && expectedMs < Infinity)
		return jittered(
			knownMs(elapsed, expectedMs, plan.isMeasured ? MEASURED_SHORTEST_MS : LIKELY_SHORTEST_MS),
		);
	if (elapsed === 0) return Math.round(FIRST_MS * (FIRST_FROM + (FIRST_TO - FIRST_FROM) * random));
	return jittered(unknownMs(elapsed));
}

function unknownMs(elapsed: number): number {
	return clamp(elapsed * GROWTH, FIRST_MS, LONGEST_MS);
}

function knownMs(elapsed: number, expected: number, shortestMs: number): number {
	const likelyFrom = expected * (expected > LONG_MS ? LIKELY_FROM_LONG : LIKELY_FROM);
	const likelyWait = clamp(expected * LIKELY_SHARE, shortestMs, LIKELY_LONGEST_MS);
	if (elapsed > expected * LIKELY_TO) return Math.max(likelyWait, unknownMs(elapsed));
	if (elapsed >= likelyFrom) return likelyWait;
	const first = Math.max(FIRST_MS, expected * SPARSE_START);
	const next = elapsed < first ? first : elapsed * SPARSE_RATIO;
	// A sparse check just short of the likely time would be wasted: go there at once.
	const target = next * 1.15 >= likelyFrom ? likelyFrom : next;
	return Math.max(target - elapsed, LIKELY_SHORTEST_MS / 2);
}

function clamp(value: number, low: number, high: number): number {
	return Math.min(Math.max(value, low), high);
}
