/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Highest resident memory of this process while some work runs, over what it was before; bytes. */
export async function memoryGrowthOf(work: () => Promise<void>): Promise<number> {
	global.gc?.();
	const before = process.memoryUsage().rss;
	let highest = before;
	const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 20);
	try {
		await work();
	} finally {
		clearInterval(watch);
	}
	return highest - before;
}
