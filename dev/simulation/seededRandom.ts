/** Returns a generator of random numbers from 0 to 1 (mulberry32). Equal seeds give equal numbers, so a run can be repeated. */
export function seededRandom(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** Returns a random number from the normal distribution with mean 0 and standard deviation 1. */
export function normalRandom(random: () => number): number {
	return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Runs `work` with `random` in place of `Math.random`, so that jitter is the same in each run. */
export async function runWithRandom<T>(random: () => number, work: () => Promise<T>): Promise<T> {
	const { random: original } = Math;
	Math.random = random;
	try {
		return await work();
	} finally {
		Math.random = original;
	}
}
