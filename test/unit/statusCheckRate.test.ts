/** The end of a request is seen after about a second, as far as the account's limit allows status checks. */
import { seeded, withRandom } from '../../dev/simulation/seeded';
import { SimulatedService, runJob, sessionFor } from '../../dev/simulation/simulatedService';
import { VirtualClock } from '../../dev/simulation/virtualClock';

/** Several long jobs at a time need fewer runs for as many ends. */
const RUNS = 40;
const RUNS_OF_MANY = 24;
const LATENCY_MS = 40;

interface Case {
	jobS: number;
	/** 0: none. */
	perMinute: number;
	jobs: number;
	sendRemaining: boolean;
}

/** Mean time from the end of a job to the answer that tells it, s, and status checks a minute. */
async function measure({ jobS, perMinute, jobs, sendRemaining }: Case) {
	let late = 0;
	let calls = 0;
	let minutes = 0;
	const runs = jobs > 1 ? RUNS_OF_MANY : RUNS;
	for (let seed = 0; seed < runs; seed++) {
		const random = seeded(seed);
		await withRandom(random, async () => {
			const clock = new VirtualClock();
			// No job ends in step with the status checks.
			const jobMs = jobS * 1_000 * (0.9 + (0.2 * (seed + 0.5)) / runs);
			const limit = perMinute > 0 ? { perMinute, sendRemaining } : undefined;
			const service = new SimulatedService({ clock, jobMs, limit, latencyMs: LATENCY_MS });
			const session = sessionFor(service, clock, random);
			const start = clock.now();
			const ended: number[] = [];
			const one = async () => {
				await runJob(session);
				ended.push(clock.now());
			};
			await clock.runUntil(Promise.all(Array.from({ length: jobs }, one)));
			// The result is one more call, and so is the way of the submission.
			for (const at of ended) late += (at - start - jobMs - 1.5 * LATENCY_MS) / ended.length;
			calls += service.count('status', 200);
			minutes += (clock.now() - start) / 60_000;
			expect(service.calls.filter(({ status }) => status === 429)).toEqual([]);
		});
	}
	return { late: late / runs / 1_000, perMinute: calls / minutes };
}

const withHeader = async (jobS: number, perMinute: number, jobs: number) =>
	await measure({ jobS, perMinute, jobs, sendRemaining: true });

describe('one request', () => {
	it.each([5, 20, 60, 400])('of %i s, limit unknown', async (jobS) => {
		const { late } = await measure({ jobS, perMinute: 0, jobs: 1, sendRemaining: false });
		expect(late).toBeLessThanOrEqual(1.2);
	});

	it.each([5, 20, 60, 400])('of %i s, 60 a minute with the header', async (jobS) => {
		const { late, perMinute } = await withHeader(jobS, 60, 1);
		expect(late).toBeLessThanOrEqual(1.2);
		if (jobS >= 60) expect(perMinute).toBeLessThanOrEqual(31);
	});
});

describe('five requests', () => {
	it.each([5, 20, 60, 400])('of %i s, 300 a minute with the header', async (jobS) => {
		const { late, perMinute } = await withHeader(jobS, 300, 5);
		expect(late).toBeLessThanOrEqual(1.2);
		if (jobS >= 60) expect(perMinute).toBeLessThanOrEqual(155);
	});
});

it('with little left of the window status checks leave it a call for the submission and one for the result, and nothing is refused', async () => {
	const limit = 10;
	const { perMinute } = await withHeader(60, limit, 1);
	expect(perMinute).toBeLessThanOrEqual(limit - 2);
});
