import type { INode, IRunData } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nApi';
import {
	acceptedIdsIn,
	chain,
	nodesForTexts,
	errorOf,
	inferenceNode,
	itemsOf,
	node,
	promptNodes,
	startExecution,
	expectSuccess,
	until,
	type Production,
} from '../helpers/n8nWorkflows';
import { useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

/** Starts a batch and waits until the log of its worker names this many accepted requests. */
async function startBatch(count: number, loggedCount = count, production: Production = queue) {
	const { id } = await startExecution(production, [...promptNodes(count), inferenceNode()]);
	const worker = await queue.workerOf(id);
	await until(() => queue.emulator.jobs.length === count);
	const logged = () =>
		acceptedIdsIn(worker.output()).filter((one) =>
			queue.emulator.jobs.some(({ requestId }) => requestId === one),
		);
	await until(() => logged().length === loggedCount);
	return { id, worker, logged };
}

const submissions = () => queue.emulator.callsOf('submit').length;
const nodesRunIn = ({ data }: Execution): string[] => Object.keys(data.resultData.runData);
const RESULT_NODE: INode = node('segmind', {
	resource: 'request',
	operation: 'getResult',
	request: '={{ $json.prompt }}',
	options: {},
});

test('after kill -9 of a worker, Get Result gets the results by the IDs in its log, and Retry runs no node', async () => {
	const { emulator, api } = queue;
	emulator.set({ jobMs: 3000 });
	// The last five are accepted, but the worker is killed before it gets the responses.
	emulator.fault({ on: 'submit', after: 15, times: 'always', do: { delayMs: 60_000 } });
	const { id, worker, logged } = await startBatch(20, 15);
	await worker.kill();
	const replacing = queue.replace(worker);
	const killed = await api.waitForEnd(id);
	expect(killed.status).toBe('error');
	expect(errorOf(killed)).toContain('failed to be processed too many times');
	// n8n has overwritten the execution's data, so nothing is left to run.
	const retried = await api.waitForEnd(await api.retry(id));
	expect([retried.status, nodesRunIn(retried)]).toEqual(['error', []]);
	expect(submissions()).toBe(20);
	expect(emulator.jobs).toHaveLength(20);

	emulator.clearFaults();
	const fetching = await startExecution(queue, [...nodesForTexts(logged()), RESULT_NODE]);
	const fetched = itemsOf(await expectSuccess(api, fetching.id), 'segmind');
	expect(fetched.map(({ json }) => json.request_id)).toEqual(logged());
	for (const { json, binary } of fetched) {
		expect(json.status).toBe('COMPLETED');
		expect(binary?.data.id).toMatch(/^database:/);
	}
	expect(submissions()).toBe(20);
	await replacing;
});

test('a worker that receives SIGTERM finishes its batch first', async () => {
	const { emulator, api } = queue;
	emulator.set({ jobMs: 3000 });
	const { id, worker, logged } = await startBatch(5);
	const ending = worker.stop();
	const replacing = queue.replace(worker);
	const execution = await expectSuccess(api, id);
	const ids = itemsOf(execution, 'segmind').map(({ json }) => json.request_id);
	expect(ids.sort()).toEqual(logged().sort());
	expect(submissions()).toBe(5);
	await Promise.all([ending, replacing]);
});

describe('Stop', () => {
	test('ends an execution at once if the main process queued it; the log names its requests', async () => {
		const { emulator, api, credentials, main } = queue;
		emulator.set({ jobMs: 60_000 });
		const { id, worker } = await startBatch(2, 2, { api, credentials, webhookUrl: main.url });
		const stoppedAt = Date.now();
		await api.stop(id);
		expect((await api.waitForEnd(id)).status).toBe('canceled');
		await until(() => worker.output().includes(`Worker errored while running execution ${id} `));
		expect(Date.now() - stoppedAt).toBeLessThan(2000);
		expect(submissions()).toBe(2);
	});

	test('does not reach the worker if the webhook processor queued the execution: it finishes, n8n drops its output, and Get Result gets the results', async () => {
		const { emulator, api } = queue;
		emulator.set({ jobMs: 4000 });
		const { id, worker, logged } = await startBatch(2);
		await api.stop(id);
		expect((await api.waitForEnd(id)).status).toBe('canceled');
		await until(() => worker.output().includes(`Worker finished execution ${id} `));
		const after = await api.readExecution(id);
		// Before 2.41, n8n then showed the execution as a success, with its output.
		expect([after.status, itemsOf(after, 'segmind')]).toEqual(['canceled', []]);
		const fetching = await startExecution(queue, [...nodesForTexts(logged()), RESULT_NODE]);
		const fetched = itemsOf(await expectSuccess(api, fetching.id), 'segmind');
		expect(fetched.map(({ json }) => json.status)).toEqual(['COMPLETED', 'COMPLETED']);
		expect(submissions()).toBe(2);
	});
});

test('if the worker and the process that queued the execution are killed, n8n marks it as crashed, and Retry starts over', async () => {
	const { emulator, webhook } = queue;
	emulator.set({ jobMs: 60_000 });
	const { id, worker, logged } = await startBatch(3);
	await Promise.all([worker.kill(), webhook.kill()]);
	// n8n looks for crashed executions when it starts and then, by default, every 180 minutes.
	await queue.restartMain({ N8N_EXECUTIONS_QUEUE_RECOVERY_INTERVAL: '0.05' });
	const { api } = queue;
	expect((await api.waitForEnd(id)).status).toBe('crashed');
	const ids = logged();
	expect(ids).toHaveLength(3);
	expect(submissions()).toBe(3);
	emulator.set({ jobMs: 100 });
	await expectSuccess(api, await api.retry(id));
	expect(submissions()).toBe(6);
});

test('Execute step resumes a stopped request on the same worker; another worker sends a new one, as the error said, and Get Result gets the first', async () => {
	const { emulator, api, credentials } = queue;
	emulator.set({ jobMs: 20_000 });
	const createByHand = async (nodes: INode[]) => {
		const file = chain('by hand', [node('manualTrigger'), ...nodes]);
		return await api.createWorkflow({ ...file, pinData: {} }, credentials);
	};
	const workflow = await createByHand([...promptNodes(1), inferenceNode({ timeoutSeconds: 5 })]);
	/** Like the editor, sends the data of an earlier execution along. */
	const executeStep = async (runData?: IRunData) => {
		const body = { destinationNode: { nodeName: 'segmind', mode: 'inclusive' }, runData };
		const path = `/workflows/${workflow.id}/run`;
		const { executionId } = await api.call<{ executionId: string }>('POST', path, body);
		return await api.waitForEnd(executionId);
	};

	const stopped = await api.run(workflow);
	const worker = await queue.workerOf(stopped);
	await until(() => acceptedIdsIn(worker.output()).includes(emulator.jobs[0]?.requestId));
	const [{ requestId: id }] = emulator.jobs;
	await api.stop(stopped);
	// n8n doesn't always store the error of a stopped node, so the ID may be only in the worker's log.
	await until(() => worker.output().includes(`Worker errored while running execution ${stopped} `));
	const [other] = queue.workers.filter((one) => one !== worker);
	await other.stop();
	const timedOut = await executeStep();
	const { runData } = timedOut.data.resultData;
	const failedItems = [{ kind: 'timedOut', requestId: id }];
	expect(runData.segmind[0].error?.context).toMatchObject({ failedItems });
	expect(errorOf(timedOut)).toContain('n8n process');
	expect(submissions()).toBe(1);

	await queue.replace(other);
	await worker.stop();
	emulator.set({ jobMs: 100 });
	const anew = await executeStep(runData);
	expect(itemsOf(anew, 'segmind')[0].json.request_id).toBe(emulator.jobs[1].requestId);
	await until(() => emulator.jobs[0].state === 'COMPLETED');
	const fetching = await createByHand([...nodesForTexts([id]), RESULT_NODE]);
	const fetched = itemsOf(await expectSuccess(api, await api.run(fetching)), 'segmind');
	expect(fetched).toMatchObject([{ json: { request_id: id, status: 'COMPLETED' } }]);
	expect(emulator.jobs.map(({ charged }) => charged > 0)).toEqual([true, true]);
});
