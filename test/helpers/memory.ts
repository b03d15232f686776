/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often memory is measured, ms. */
const INTERVAL_MS = 20;
/** After a measurement the work goes on for this many times as long. */
const REST_FACTOR = 5;
/** From this much growth on garbage is collected before it counts, bytes: a collection takes up to a second. */
const SUSPICIOUS_BYTES = 40 * 1024 * 1024;

/** Those of real time, also where a test file goes by virtual time: there it would go on in steps of a measurement. */
const { setInterval: every, clearInterval: end } = globalThis;

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Highest memory in use while some work runs, buffers included, over what it was before; bytes. Much garbage does not count: how much of it lies
 * about depends on the machine. The benchmarks measure what the process takes as a whole.
 */
export async function memoryGrowthOf(work: () => Promise<void>): Promise<number> {
	collectGarbage();
	const before = bytesInUse();
	let highest = 0;
	let restsUntil = 0;
	const measure = () => {
		const startedAt = performance.now();
		if (startedAt < restsUntil) return;
		if (bytesInUse() - before > SUSPICIOUS_BYTES) collectGarbage();
		highest = Math.max(highest, bytesInUse() - before);
		// In a large heap collections would leave no time for the work.
		restsUntil = performance.now() + REST_FACTOR * (performance.now() - startedAt);
	};
	const watch = every(measure, INTERVAL_MS);
	try {
		await work();
	} finally {
		end(watch);
	}
	return highest;
}

function bytesInUse(): number {
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
