import type { N8nProcess } from '../../dev/n8n/n8nProcess';
import { startQueueN8n, type QueueN8n } from '../../dev/n8n/queueN8n';
import { until, type Production } from './n8nWorkflows';

/** Executions that one worker runs at once. */
export const WORKER_CONCURRENCY = 5;

export interface Cluster extends QueueN8n, Production {
	/** The worker that took an execution. */
	workerOf(executionId: string): Promise<N8nProcess>;
}

/** One n8n in queue mode for a test file. It may call nobody but loopback, and no secret may go astray. */
export function useQueueN8n(): { readonly it: Cluster } {
	const held = {} as { it: Cluster };
	beforeAll(async () => {
		const queue = await startQueueN8n({
			orders: { queueMs: 10, jobMs: 100 },
			workerConcurrency: WORKER_CONCURRENCY,
		});
		held.it = {
			...queue,
			hooks: queue.webhook.url,
			async workerOf(executionId) {
				const line = `Worker started execution ${executionId} `;
				const took = (worker: N8nProcess) => worker.output().includes(line);
				await until(() => queue.processes.some(took));
				return queue.processes.filter(took)[0];
			},
		};
	}, 300_000);
	beforeEach(() => held.it.emulator.reset());
	afterEach(() => {
		expect(held.it.emulator.leaks).toEqual([]);
		for (const one of held.it.processes) expect(one.output()).not.toContain('left loopback');
	});
	afterAll(async () => await held.it?.stop(), 60_000);
	return held;
}
