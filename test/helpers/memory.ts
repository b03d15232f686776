/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Time between two measurements. */
const INTERVAL_MS = 20;
/** After a measurement, the next one waits at least this many times as long as the measurement took. */
const REST_FACTOR = 5;
/** Beyond this growth, garbage is collected before measuring. Not always, because a collection takes up to a second. */
const SUSPICIOUS_BYTES = 40 * 1024 * 1024;

/** Real timers, even if the test file uses virtual time: a fake timer would make virtual time advance with each measurement. */
const { setInterval: setRealInterval, clearInterval: clearRealInterval } = globalThis;

setFlagsFromString('--expose_gc');
export const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Returns by how many bytes the memory in use grows while some work runs, buffers included. Garbage mostly doesn't count, because its amount
 * depends on the machine. The benchmarks measure the whole process.
 */
export async function memoryGrowthOf(work: () => Promise<void>): Promise<number> {
	collectGarbage();
	const before = bytesInUse();
	let highest = 0;
	let restUntil = 0;
	const measure = () => {
		const startedAt = performance.now();
		if (startedAt < restUntil) return;
		if (bytesInUse() - before > SUSPICIOUS_BYTES) collectGarbage();
		highest = Math.max(highest, bytesInUse() - before);
		// In a large heap, collecting garbage would leave no time for the work.
		restUntil = performance.now() + REST_FACTOR * (performance.now() - startedAt);
	};
	const timer = setRealInterval(measure, INTERVAL_MS);
	try {
		await work();
	} finally {
		clearRealInterval(timer);
	}
	return highest;
}

function bytesInUse(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
