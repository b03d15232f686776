import { runBatch } from '../../simulation/simulatedBatch';
import { repeat, type Bench, type Line, type Row } from '../row';

interface Limit {
	perMinute: number;
	/** Whether each response has the number of remaining calls. */
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
		const short = await repeat(length, async (at) => await shortBatchLine(bench, SHORT[at]));
		const longer = await repeat(
			LONGER.length,
			async (at) => await longBatchLine(bench, LONGER[at]),
		);
		return { lines: [...short, ...longer] };
	},
};

/** Measures twenty jobs of 5 s with the nodes' own rate limiter and polling. The batch opens the first window, or begins while a window is open. */
async function shortBatchLine(bench: Bench, limit: Limit): Promise<Line> {
	const { perMinute, sendRemaining } = limit;
	const measureRatios = async (pollIntervalMs: number) =>
		await repeat(bench.times(12), async (at) => {
			const windowAgeMs = [0, 20_000, 45_000][at % 3];
			const { durationMs, minMs } = await runBatch({
				...limit,
				seed: at,
				windowAgeMs,
				pollIntervalMs,
			});
			return durationMs / minMs;
		});
	return {
		measure: `${perMinute} calls a minute${reportedText(sendRemaining)}, 20 jobs of 5 s: total over the least (virtual time)`,
		unit: '×',
		values: await measureRatios(0),
		target: 1.2,
		rivals: [
			{ name: 'these nodes, asking every 2 s', values: await measureRatios(2_000) },
			{ name: 'these nodes, asking every 5 s', values: await measureRatios(5_000) },
		],
		...(sendRemaining && { headline: true as const }),
	};
}

/** Measures jobs of usual duration, from the first submission to the last result, in virtual time. */
async function longBatchLine(
	bench: Bench,
	{ targetS, ...batch }: (typeof LONGER)[0],
): Promise<Line> {
	const { items, jobMs, perMinute, sendRemaining } = batch;
	const measureWallTimes = async (pollIntervalMs: number) =>
		await repeat(bench.times(items > 100 ? 3 : 12), async (seed) => {
			const { durationMs } = await runBatch({ ...batch, seed, pollIntervalMs });
			return durationMs / 1_000;
		});
	const count = items.toLocaleString('en');
	return {
		measure: `${count} jobs of ${jobMs / 1_000} s, ${perMinute.toLocaleString('en')} calls a minute${reportedText(sendRemaining)}: wall time (virtual time)`,
		unit: 's',
		values: await measureWallTimes(0),
		target: targetS,
		rivals:
			items > 100
				? []
				: [{ name: 'these nodes, asking every 5 s', values: await measureWallTimes(5_000) }],
		headline: true,
	};
}

function reportedText(sendRemaining: boolean): string {
	return sendRemaining ? ', reported' : '';
}
