/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Execution } from '../../dev/n8n/n8nApi';
import { readExample } from '../../dev/base/workflows';
import {
	acceptedIn,
	errorOf,
	inference,
	itemsOf,
	node,
	prompts,
	started as startedIn,
	until,
} from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();
beforeEach(() => host.it.emulator.reset());

/** Publishes webhook → the nodes, and calls it. */
const started = async (nodes: INode[], settings?: IDataObject) =>
	await startedIn({ ...host.it, hooks: host.it.n8n.url }, nodes, settings);

const ended = async (id: string): Promise<Execution> => await host.it.api.ended(id);

const submissions = () => host.it.emulator.callsOf('submit').length;

test('Retry of a failed batch submits only what failed for free', async () => {
	host.it.emulator.set({ failJobs: [1] });
	const { id } = await started([...prompts(3), inference()]);
	const failed = await ended(id);
	expect(failed.status).toBe('error');
	expect(errorOf(failed)).toContain(host.it.emulator.jobs[1].requestId);
	expect(submissions()).toBe(3);
	const retried = await ended(await host.it.api.retry(id));
	expect([retried.status, retried.mode]).toEqual(['success', 'retry']);
	expect(submissions()).toBe(4);
	const items = itemsOf(retried, 'segmind');
	// Which item got the failing job is chance.
	const ids = host.it.emulator.jobs.map(({ requestId }) => requestId);
	expect(items.map(({ json }) => json.request_id).sort()).toEqual([ids[0], ids[2], ids[3]].sort());
	for (const { binary } of items) expect(binary?.data.id).toMatch(/^filesystem/);
});

test.each([false, true])(
	'Retry goes on waiting for a request that timed out (currently saved workflow: %s)',
	async (loadWorkflow) => {
		host.it.emulator.set({ jobMs: 4000 });
		const { id } = await started([...prompts(1), inference({ timeoutSeconds: 1 })]);
		const failed = await ended(id);
		expect(errorOf(failed)).toMatch(/still (QUEUED|PROCESSING)/);
		await until(() => host.it.emulator.jobs[0].state === 'COMPLETED');
		const retried = await ended(await host.it.api.retry(id, loadWorkflow));
		expect(errorOf(retried)).toBe('');
		expect(itemsOf(retried, 'segmind')[0].json.request_id).toBe(host.it.emulator.jobs[0].requestId);
		expect(submissions()).toBe(1);
	},
);

test('Stop ends a waiting execution at once, and the log knows the request', async () => {
	host.it.emulator.set({ jobMs: 60_000 });
	const { id } = await started([...prompts(2), inference()]);
	await until(() => host.it.emulator.jobs.length === 2);
	await pause(300);
	const at = Date.now();
	await host.it.api.stop(id);
	const stopped = await ended(id);
	expect(stopped.status).toBe('canceled');
	expect(Date.now() - at).toBeLessThan(2000);
	const { length } = host.it.emulator.calls;
	await pause(2500);
	expect(host.it.emulator.calls).toHaveLength(length);
	for (const { requestId } of host.it.emulator.jobs)
		expect(host.it.output()).toContain(`Segmind accepted request ${requestId}`);
});

test('after a crash the log knows the requests, and Get Result fetches them', async () => {
	host.it.emulator.set({ jobMs: 5000 });
	const { id } = await started([...prompts(2), inference()]);
	await until(() => host.it.emulator.jobs.length === 2);
	await pause(300);
	await host.it.restart(true);
	expect((await ended(id)).status).toBe('crashed');
	const ids = host.it.emulator.jobs.map(({ requestId }) => requestId);
	expect(acceptedIn(host.it.output())).toEqual(expect.arrayContaining(ids));
	const fetching = node('segmind', {
		resource: 'request',
		operation: 'getResult',
		request: ids[0],
		options: {},
	});
	const fetched = await ended((await started([fetching])).id);
	expect(itemsOf(fetched, 'segmind')[0].json).toMatchObject({
		request_id: ids[0],
		status: 'COMPLETED',
	});
	expect(submissions()).toBe(2);
});

test("the workflow's own time-out ends it; Retry fetches the same request", async () => {
	host.it.emulator.set({ jobMs: 6000 });
	const { id } = await started([...prompts(1), inference()], { executionTimeout: 2 });
	const over = await ended(id);
	expect(over.status).not.toBe('success');
	expect(submissions()).toBe(1);
	await until(() => host.it.emulator.jobs[0].state === 'COMPLETED');
	const retried = await ended(await host.it.api.retry(id));
	expect([retried.status, errorOf(retried)]).toEqual(['success', '']);
	expect(submissions()).toBe(1);
	expect(itemsOf(retried, 'segmind')[0].json.request_id).toBe(host.it.emulator.jobs[0].requestId);
});

/** Runs a recipe whose Wait lasts so long that n8n puts the execution aside: from 65 s on. */
async function runParking(file: string): Promise<string> {
	const { api, credentials } = host.it;
	const example = readExample(file);
	const nodes = example.nodes.map((one) =>
		one.name === 'Wait' ? { ...one, parameters: { amount: 66, unit: 'seconds' } } : one,
	);
	return await api.run(await api.createWorkflow({ ...example, nodes }, credentials));
}

test('n8n ends while an execution waits between submission and result, and goes on after its restart', async () => {
	host.it.emulator.set({ jobMs: 1000 });
	const id = await runParking('submit-and-fetch-later.json');
	const waiting = await host.it.api.ended(id, ['waiting']);
	expect(waiting.status).toBe('waiting');
	await host.it.restart(true);
	const execution = await ended(id);
	expect(errorOf(execution)).toBe('');
	expect(execution.status).toBe('success');
	expect(itemsOf(execution, 'Get Result')[0].json).toMatchObject({
		status: 'COMPLETED',
		request_id: host.it.emulator.jobs[0].requestId,
	});
	expect(submissions()).toBe(1);
});

test('n8n is killed during a status check of the loop: Retry goes on at it, with the same request', async () => {
	const { emulator } = host.it;
	emulator.set({ jobMs: 1000 });
	emulator.fault({ on: 'status', do: { delayMs: 7000 } });
	const id = await runParking('long-job.json');
	await until(() => emulator.callsOf('status').length > 0);
	await host.it.restart(true);
	const crashed = await ended(id);
	expect(crashed.status).toBe('crashed');
	const execution = await ended(await host.it.api.retry(id));
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	expect(itemsOf(execution, 'Finished')[0].json.request_id).toBe(emulator.jobs[0].requestId);
	expect(submissions()).toBe(1);
});
