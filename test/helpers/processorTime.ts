/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** For eight times the input, work may take at most this many times as long: linear work takes about 8 times (more if memory is slow), quadratic 64. */
const MAX_RATIO = 40;
/** Work that takes no longer than this counts as linear. */
const NEGLIGIBLE_MS = 60;
/** Other work on the computer only adds time, so the smallest of this many measurements counts. */
const MEASUREMENTS = 5;

/** Returns the processor time of this process while some work runs. Other work on the computer hardly changes it. */
async function processorMsOf(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

/** Expects that eight times the input takes about eight times the processor time. `make` returns an input of the given size. */
export async function expectLinear<T>(
	make: (size: number) => T,
	work: (value: T) => unknown,
	size: number,
): Promise<void> {
	const [one, eight] = [make(size), make(8 * size)];
	let lowestRatio = Infinity;
	for (let at = 0; at < MEASUREMENTS && lowestRatio >= MAX_RATIO; at++) {
		const ms = await processorMsOf(() => work(eight));
		const base = Math.max(await processorMsOf(() => work(one)), 1);
		lowestRatio = ms < NEGLIGIBLE_MS ? 0 : Math.min(lowestRatio, ms / base);
	}
	expect(lowestRatio).toBeLessThan(MAX_RATIO);
}
