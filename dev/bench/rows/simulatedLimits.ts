import { runBatch } from '../../simulation/simulatedBatch';
import { repeated, type Bench, type Line, type Row } from '../row';

interface Limit {
	perMinute: number;
	/** Each response shows the remaining calls. */
	sendRemaining: boolean;
}

const SHORT: Limit[] = [false, true].flatMap((sendRemaining) =>
	[5, 50, 500].map((perMinute) => ({ perMinute, sendRemaining })),
);

const LONGER = [
	{ items: 20, jobMs: 60_000, perMinute: 60, sendRemaining: true, targetS: 85 },
	{ items: 20, jobMs: 20_000, perMinute: 300, sendRemaining: true, targetS: 28 },
	{ items: 1_000, jobMs: 60_000, perMinute: 1_000, sendRemaining: false, targetS: 125 },
	{ items: 1_000, jobMs: 60_000, perMinute: 1_000, sendRemaining: true, targetS: 125 },
];

export const simulatedLimits: Row = {
	name: 'simulatedLimits',
	about: 'batches under limits of 5 to 1,000 calls a minute, on virtual time',
	async measure(bench) {
		const { length } = SHORT;
		const short = await repeated(length, async (at) => await overLeast(bench, SHORT[at]));
		const longer = await repeated(LONGER.length, async (at) => await walls(bench, LONGER[at]));
		return { lines: [...short, ...longer] };
	},
};

/** Twenty jobs of 5 s with the node's own rate limiter and waiting, in windows that the batch opens or finds partly used. */
async function overLeast(bench: Bench, limit: Limit): Promise<Line> {
	const { perMinute, sendRemaining } = limit;
	const reached = async (pollIntervalMs: number) =>
		await repeated(bench.times(12), async (at) => {
			const windowAgeMs = [0, 20_000, 45_000][at % 3];
			const { took, least } = await runBatch({ ...limit, seed: at, windowAgeMs, pollIntervalMs });
			return took / least;
		});
	return {
		measure: `${perMinute} calls a minute${reported(sendRemaining)}, 20 jobs of 5 s: total over the least (virtual time)`,
		unit: '×',
		values: await reached(0),
		target: 1.2,
		rivals: [
			{ name: 'these nodes, asking every 2 s', values: await reached(2_000) },
			{ name: 'these nodes, asking every 5 s', values: await reached(5_000) },
		],
		...(sendRemaining && { headline: true as const }),
	};
}

/** Jobs of usual length, from submission to the last result, s on virtual time. */
async function walls(bench: Bench, { targetS, ...batch }: (typeof LONGER)[0]): Promise<Line> {
	const { items, jobMs, perMinute, sendRemaining } = batch;
	const wall = async (pollIntervalMs: number) =>
		await repeated(bench.times(items > 100 ? 3 : 12), async (seed) => {
			const { took } = await runBatch({ ...batch, seed, pollIntervalMs });
			return took / 1_000;
		});
	const count = items.toLocaleString('en');
	return {
		measure: `${count} jobs of ${jobMs / 1_000} s, ${perMinute.toLocaleString('en')} calls a minute${reported(sendRemaining)}: wall time (virtual time)`,
		unit: 's',
		values: await wall(0),
		target: targetS,
		rivals:
			items > 100 ? [] : [{ name: 'these nodes, asking every 5 s', values: await wall(5_000) }],
		headline: true,
	};
}

function reported(sendRemaining: boolean): string {
	return sendRemaining ? ', reported' : '';
}
