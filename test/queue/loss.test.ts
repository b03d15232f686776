import type { INode } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nApi';
import {
	acceptedIn,
	eachOf,
	errorOf,
	inference,
	itemsOf,
	node,
	prompts,
	started,
	succeeded,
	until,
	type Production,
} from '../helpers/n8nWorkflows';
import { useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

/** Starts a batch and waits until the log of its worker knows this many requests. */
async function underWay(count: number, known = count, production: Production = queue.it) {
	const { id } = await started(production, [...prompts(count), inference()]);
	const worker = await queue.it.workerOf(id);
	await until(() => queue.it.emulator.jobs.length === count);
	const logged = () =>
		acceptedIn(worker.output()).filter((one) =>
			queue.it.emulator.jobs.some(({ requestId }) => requestId === one),
		);
	await until(() => logged().length === known);
	return { id, worker, logged };
}

const submissions = () => queue.it.emulator.callsOf('submit').length;
const ran = ({ data }: Execution): string[] => Object.keys(data.resultData.runData);
const fetching: INode = node('segmind', {
	resource: 'request',
	operation: 'getResult',
	request: '={{ $json.prompt }}',
	options: {},
});

test('kill -9 of a worker: Get Result gets its requests by the IDs in its log; Retry runs nothing', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ jobMs: 3000 });
	// The last five are accepted, and the worker does not live to see the answer.
	emulator.fault({ on: 'submit', after: 15, times: 'always', do: { delayMs: 60_000 } });
	const { id, worker, logged } = await underWay(20, 15);
	await worker.kill();
	const replacing = queue.it.replace(worker);
	const killed = await api.waitForEnd(id);
	expect(killed.status).toBe('error');
	expect(errorOf(killed)).toContain('failed to be processed too many times');
	// n8n replaced what it knew of the execution: nothing is left to run.
	const retried = await api.waitForEnd(await api.retry(id));
	expect([retried.status, ran(retried)]).toEqual(['error', []]);
	expect(submissions()).toBe(20);
	expect(emulator.jobs).toHaveLength(20);

	emulator.clearFaults();
	const again = await started(queue.it, [...eachOf(logged()), fetching]);
	const fetched = itemsOf(await succeeded(api, again.id), 'segmind');
	expect(fetched.map(({ json }) => json.request_id)).toEqual(logged());
	for (const { json, binary } of fetched) {
		expect(json.status).toBe('COMPLETED');
		expect(binary?.data.id).toMatch(/^database:/);
	}
	expect(submissions()).toBe(20);
	await replacing;
});

test('a worker that receives SIGTERM finishes its batch first', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ jobMs: 3000 });
	const { id, worker, logged } = await underWay(5);
	const ending = worker.stop();
	const replacing = queue.it.replace(worker);
	const execution = await succeeded(api, id);
	const ids = itemsOf(execution, 'segmind').map(({ json }) => json.request_id);
	expect(ids.sort()).toEqual(logged().sort());
	expect(submissions()).toBe(5);
	await Promise.all([ending, replacing]);
});

describe('Stop', () => {
	test('ends at once if the main process queued it, and the log has the requests', async () => {
		const { emulator, api, main } = queue.it;
		emulator.set({ jobMs: 60_000 });
		const { id, worker } = await underWay(2, 2, { ...queue.it, hooks: main.url });
		const at = Date.now();
		await api.stop(id);
		expect((await api.waitForEnd(id)).status).toBe('canceled');
		await until(() => worker.output().includes(`Worker errored while running execution ${id} `));
		expect(Date.now() - at).toBeLessThan(2000);
		expect(submissions()).toBe(2);
	});

	test('does not reach a worker if the webhook processor queued it: it finishes, n8n drops its output, and Get Result gets it', async () => {
		const { emulator, api } = queue.it;
		emulator.set({ jobMs: 4000 });
		const { id, worker, logged } = await underWay(2);
		await api.stop(id);
		expect((await api.waitForEnd(id)).status).toBe('canceled');
		await until(() => worker.output().includes(`Worker finished execution ${id} `));
		const after = await api.readExecution(id);
		// Before 2.41 n8n showed it as a success then, with its output.
		expect([after.status, itemsOf(after, 'segmind')]).toEqual(['canceled', []]);
		const again = await started(queue.it, [...eachOf(logged()), fetching]);
		const fetched = itemsOf(await succeeded(api, again.id), 'segmind');
		expect(fetched.map(({ json }) => json.status)).toEqual(['COMPLETED', 'COMPLETED']);
		expect(submissions()).toBe(2);
	});
});

test('if the process that queued it is gone too, n8n marks the execution as crashed, and Retry starts over', async () => {
	const { emulator, webhook } = queue.it;
	emulator.set({ jobMs: 60_000 });
	const { id, worker, logged } = await underWay(3);
	await Promise.all([worker.kill(), webhook.kill()]);
	// n8n looks at its start and every 180 minutes.
	await queue.it.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' });
	const { api } = queue.it;
	expect((await api.waitForEnd(id)).status).toBe('crashed');
	const ids = logged();
	expect(ids).toHaveLength(3);
	expect(submissions()).toBe(3);
	emulator.set({ jobMs: 100 });
	await succeeded(api, await api.retry(id));
	expect(submissions()).toBe(6);
});
