/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How often it is looked, ms: each time costs a full collection of garbage. */
const EVERY_MS = 250;

setFlagsFromString('--expose_gc');
const collectGarbage = runInNewContext('gc') as () => void;

/**
 * Highest memory in use while some work runs, buffers included, over what it was before; bytes. Garbage does not count: how much of it lies about
 * depends on the machine. The benchmarks measure what the process takes as a whole.
 */
export async function memoryGrowthOf(work: () => Promise<void>): Promise<number> {
	const before = bytesInUse();
	let highest = before;
	const watch = setInterval(() => (highest = Math.max(highest, bytesInUse())), EVERY_MS);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return highest - before;
}

function bytesInUse(): number {
	collectGarbage();
	const { heapUsed, external } = process.memoryUsage();
	return heapUsed + external;
}
