/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Eight times the work, with room for what memory costs; what grows with the square of it takes 64 times as long. */
const MAX_RATIO = 40;
/** What takes no longer than this has no weight, ms. */
const NEGLIGIBLE_MS = 60;
/** What else a busy computer does only adds: the measurement that speaks best for the work is the one that tells. */
const MEASUREMENTS = 5;

/** Processor time of this process while some work runs, ms: unlike real time, what else the computer does hardly changes it. */
async function processorMsOf(work: () => unknown): Promise<number> {
	const before = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1_000;
}

/** Expects that eight times as much of anything takes about eight times the processor's time. `make` gives it in a size. */
export async function expectLinear<T>(
	make: (size: number) => T,
	work: (value: T) => unknown,
	size: number,
): Promise<void> {
	const [one, eight] = [make(size), make(8 * size)];
	let times = Infinity;
	for (let at = 0; at < MEASUREMENTS && times >= MAX_RATIO; at++) {
		const ms = await processorMsOf(() => work(eight));
		const base = Math.max(await processorMsOf(() => work(one)), 1);
		times = ms < NEGLIGIBLE_MS ? 0 : Math.min(times, ms / base);
	}
	expect(times).toBeLessThan(MAX_RATIO);
}
