/** A generator of numbers from 0 to 1 (mulberry32): the same seed gives the same run. */
export function seeded(seed: number): () => number {
	let state = seed | 0;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
	};
}

/** A number from a normal distribution of mean 0 and deviation 1. */
export function normal(random: () => number): number {
	return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Does some work with these numbers in place of `Math.random`'s: jitter then comes out the same each time. */
export async function withRandom<T>(random: () => number, work: () => Promise<T>): Promise<T> {
	const { random: real } = Math;
	Math.random = random;
	try {
		return await work();
	} finally {
		Math.random = real;
	}
}
