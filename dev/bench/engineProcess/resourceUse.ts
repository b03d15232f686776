/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import type { Cost as ResourceUse } from './messages';

/** The interval of memory samples, each of which takes about a millisecond. */
const SAMPLE_MS = 50;

/**
 * Does some work and measures what it costs this process. Run Node.js with --expose-gc: without a garbage collection before the work, memory that
 * is freed during the work would hide what it uses.
 */
export async function measureResources<T>(
	work: () => Promise<T>,
): Promise<{ value: T; cost: ResourceUse }> {
	global.gc?.();
	const before = process.memoryUsage();
	let { rss, heapUsed } = before;
	const sampling = setInterval(() => {
		const now = process.memoryUsage();
		rss = Math.max(rss, now.rss);
		heapUsed = Math.max(heapUsed, now.heapUsed);
	}, SAMPLE_MS);
	const cpu = process.cpuUsage();
	const startedAt = performance.now();
	try {
		const value = await work();
		const tookMs = performance.now() - startedAt;
		const { user, system } = process.cpuUsage(cpu);
		return {
			value,
			cost: {
				tookMs,
				cpuMs: (user + system) / 1_000,
				rssGrowth: rss - before.rss,
				heapGrowth: heapUsed - before.heapUsed,
			},
		};
	} finally {
		clearInterval(sampling);
	}
}
