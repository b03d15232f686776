/** Processes of n8n that use one account without knowing of each other: all get on, and nothing is lost. */
import { runProcesses, type Sharing } from '../../dev/simulation/simulatedProcesses';

/** Real time for many minutes of virtual time on a machine that does much else, ms. */
jest.setTimeout(120_000);

/** More seeds, and the shares of two processes: `npm run bench`. */
const SEEDS = [1];
const PROCESSES = [1, 4];
const accounts = [60, 300].flatMap((perMinute) =>
	[false, true].flatMap((sendRemaining) =>
		PROCESSES.map((processes) => ({ perMinute, sendRemaining, processes })),
	),
);
type Account = Pick<Sharing, 'perMinute' | 'sendRemaining' | 'processes'>;

it.each<Account>(accounts)(
	'20 jobs of 60 s in each process all finish, in little more than the least (%j)',
	async (account) => {
		for (const seed of SEEDS) {
			const { shares, tookMs, leastMs } = await runProcesses({
				...account,
				jobs: 20,
				jobMs: 60_000,
				seed,
			});
			expect(shares.map(({ finished }) => finished)).toEqual(shares.map(() => 20));
			// A window or two more where three calls a job are not enough: looks that come too early, and refusals.
			expect(tookMs).toBeLessThanOrEqual(leastMs + 125_000);
		}
	},
);

it.each<Account>(accounts.filter(({ perMinute }) => perMinute === 60))(
	'while the limit is used up for many minutes no process starves (%j)',
	async (account) => {
		for (const seed of SEEDS) {
			const { shares, tookMs, leastMs } = await runProcesses({
				...account,
				jobs: 100,
				jobMs: 5_000,
				seed,
			});
			for (const { finished, overFair } of shares) {
				expect(finished).toBe(100);
				expect(overFair).toBeGreaterThanOrEqual(0.5);
			}
			expect(tookMs / leastMs).toBeLessThanOrEqual(1.25);
		}
	},
);

it.each([{ processes: 4, sendRemaining: true, least: 0.65 }])(
	'in batches of a few windows the last process has its part too (%j)',
	async ({ least, ...account }) => {
		const smallest = [];
		for (const seed of [1, 2, 3]) {
			const { shares } = await runProcesses({
				...account,
				perMinute: 300,
				jobs: 100,
				jobMs: 5_000,
				seed,
			});
			smallest.push(Math.min(...shares.map(({ overFair }) => overFair)));
		}
		expect(smallest.sort((one, other) => one - other)[1]).toBeGreaterThanOrEqual(least);
	},
);
