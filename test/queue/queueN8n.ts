import type { N8nProcess } from '../../dev/n8n/n8nProcess';
import { startQueueN8n, type QueueN8n } from '../../dev/n8n/queueN8n';
import { until, type Production } from '../helpers/n8nWorkflows';
import { useStarted } from '../helpers/started';

/** How many executions a worker runs at once by default. */
export const WORKER_CONCURRENCY = 5;

interface Cluster extends QueueN8n, Production {
	/** The worker that took an execution. */
	workerOf(executionId: string): Promise<N8nProcess>;
}

interface ClusterOptions {
	/** 2 by default. */
	workerCount?: number;
	workerConcurrency?: number;
	/** Whether each test continues with the emulator's state that the test before it left. */
	keepsState?: boolean;
}

/** Starts one n8n in queue mode for a test file. A call beyond loopback or a leaked secret fails the test. */
export function useQueueN8n({
	workerCount,
	workerConcurrency = WORKER_CONCURRENCY,
	keepsState = false,
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
				const hasTaken = (worker: N8nProcess) => worker.output().includes(line);
				await until(() => queue.processes.some(hasTaken));
				return queue.processes.filter(hasTaken)[0];
			},
		};
	}, 300_000);
	if (!keepsState) beforeEach(() => cluster.emulator.reset());
	afterEach(() => {
		expect(cluster.emulator.leaks).toEqual([]);
		for (const one of cluster.processes) expect(one.output()).not.toContain('left loopback');
	});
	afterAll(async () => await cluster.stop?.(), 60_000);
	return cluster;
}
