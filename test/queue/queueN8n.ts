import type { N8nProcess } from '../../dev/n8n/n8nProcess';
import { startQueueN8n, type QueueN8n } from '../../dev/n8n/queueN8n';
import { until, type Production } from '../helpers/n8nWorkflows';
import { useStarted } from '../helpers/started';

/** Executions that one worker runs at once, unless told otherwise. */
export const WORKER_CONCURRENCY = 5;

interface Cluster extends QueueN8n, Production {
	/** The worker that took an execution. */
	workerOf(executionId: string): Promise<N8nProcess>;
}

interface ClusterOptions {
	/** 2 by default. */
	workerCount?: number;
	workerConcurrency?: number;
	/** The tests of the file are stages of one story: each starts with the emulator's state that the one before left. */
	isOneStory?: boolean;
}

/** One n8n in queue mode for a test file. A call beyond loopback or a leaked secret fails the test. */
export function useQueueN8n({
	workerCount,
	workerConcurrency = WORKER_CONCURRENCY,
	isOneStory = false,
}: ClusterOptions = {}): Cluster {
	const cluster = useStarted(async () => {
		const queue = await startQueueN8n({
			orders: { queueMs: 10, jobMs: 100 },
			workerConcurrency,
			workerCount,
		});
		return {
			...queue,
			webhookUrl: queue.webhook.url,
			async workerOf(executionId: string) {
				const line = `Worker started execution ${executionId} `;
				const took = (worker: N8nProcess) => worker.output().includes(line);
				await until(() => queue.processes.some(took));
				return queue.processes.filter(took)[0];
			},
		};
	}, 300_000);
	if (!isOneStory) beforeEach(() => cluster.emulator.reset());
	afterEach(() => {
		expect(cluster.emulator.leaks).toEqual([]);
		for (const one of cluster.processes) expect(one.output()).not.toContain('left loopback');
	});
	afterAll(async () => await cluster.stop?.(), 60_000);
	return cluster;
}
