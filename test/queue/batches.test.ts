import type { IBinaryData } from 'n8n-workflow';

import type { N8nProcess } from '../../dev/n8n/n8nProcess';
import {
	acceptedIn,
	chain,
	errorOf,
	inference,
	itemsOf,
	node,
	prompts,
	published,
	started,
	until,
} from '../helpers/n8nWorkflows';
import { WORKER_CONCURRENCY, useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

/** Calls a production workflow so often that one worker alone cannot take them all. Gives the executions. */
async function onBothWorkers(nodes: Parameters<typeof published>[1]) {
	const { api } = queue.it;
	const { workflow, call } = await published(queue.it, nodes);
	const calls = Array.from({ length: WORKER_CONCURRENCY + 3 }, async () => await call());
	expect(await Promise.all(calls)).toEqual(calls.map(() => 200));
	await until(async () => (await api.executions(workflow.id)).length === calls.length);
	const executions = await api.executions(workflow.id);
	const all = await Promise.all(executions.map(async ({ id }) => await api.ended(id)));
	expect(all).toHaveLength(calls.length);
	for (const execution of all)
		expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	return all;
}

const idsOf = (executions: Awaited<ReturnType<typeof onBothWorkers>>) =>
	executions.flatMap((execution) =>
		itemsOf(execution, 'segmind').map(({ json }) => json.request_id),
	);
const submittedIds = () => queue.it.emulator.jobs.map(({ requestId }) => requestId);

test('production executions are spread over both workers, each request is paid for once', async () => {
	const { emulator, workers, main, webhook, api } = queue.it;
	emulator.set({ jobMs: 2000 });
	const executions = await onBothWorkers([...prompts(1), inference()]);
	expect(idsOf(executions).sort()).toEqual(submittedIds().sort());
	expect(emulator.callsOf('submit')).toHaveLength(executions.length);
	const shares = workers.map((worker) => acceptedIn(worker.output()));
	for (const share of shares) expect(share.length).toBeGreaterThan(0);
	expect(shares.flat().sort()).toEqual(submittedIds().sort());
	// The other processes run none.
	expect(acceptedIn(main.output() + webhook.output())).toEqual([]);
	// A file that a worker fetched is shown by the main process, which has another disk.
	for (const execution of executions) {
		const { id } = itemsOf(execution, 'segmind')[0].binary?.data as IBinaryData;
		expect(id).toMatch(/^database:/);
		const file = await api.download(`/rest/binary-data?id=${id}&action=download`);
		expect(file.length).toBeGreaterThan(0);
	}
});

test('the editor runs on a worker too', async () => {
	const { api, credentials, emulator } = queue.it;
	const nodes = [node('manualTrigger'), ...prompts(1), inference()];
	const id = await api.run(await api.createWorkflow(chain('by hand', nodes), credentials));
	const execution = await api.ended(id);
	expect([execution.mode, errorOf(execution)]).toEqual(['manual', '']);
	expect(idsOf([execution])).toEqual(submittedIds());
	expect(acceptedIn((await queue.it.workerOf(id)).output())).toContain(emulator.jobs[0].requestId);
});

test('a rate limit shared by two workers is waited out by both, and nothing is paid for twice', async () => {
	const { emulator } = queue.it;
	emulator.set({ rateLimit: { perMinute: 20, windowMs: 3000 } });
	const executions = await onBothWorkers([...prompts(3), inference()]);
	expect(emulator.calls.some(({ status }) => status === 429)).toBe(true);
	expect(submittedIds()).toHaveLength(executions.length * 3);
	expect(idsOf(executions).sort()).toEqual(submittedIds().sort());
	expect(emulator.callsOf('submit').filter(({ status }) => status !== 429)).toHaveLength(
		executions.length * 3,
	);
	const took = (worker: N8nProcess) =>
		acceptedIn(worker.output()).some((id) => submittedIds().includes(id));
	expect(queue.it.workers.map(took)).toEqual([true, true]);
});

test('a file above the limit of the database stays an address, and the paid item succeeds', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ fileBytes: 2 * 1024 * 1024 });
	const { id } = await started(queue.it, [...prompts(1), inference()]);
	const execution = await api.ended(id);
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	const [{ json, binary }] = itemsOf(execution, 'segmind');
	expect(json).toMatchObject({ status: 'COMPLETED', url: expect.stringMatching(/^http/) });
	expect(binary).toBeUndefined();
	const [run] = execution.data.resultData.runData.segmind;
	expect(run.hints?.map(({ message }) => message).join()).toContain('could not be downloaded');
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

test('Retry submits only what failed for free, also when another worker runs it', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ failJobs: [1] });
	const { id } = await started(queue.it, [...prompts(3), inference()]);
	const failed = await api.ended(id);
	expect(failed.status).toBe('error');
	expect(errorOf(failed)).toContain(emulator.jobs[1].requestId);
	const first = await queue.it.workerOf(id);
	await first.stop();
	const retried = await api.ended(await api.retry(id));
	const second = await queue.it.workerOf(retried.id);
	expect(second).not.toBe(first);
	expect([retried.status, retried.mode]).toEqual(['success', 'retry']);
	expect(emulator.callsOf('submit')).toHaveLength(4);
	const ids = submittedIds();
	expect(idsOf([retried]).sort()).toEqual([ids[0], ids[2], ids[3]].sort());
	expect(acceptedIn(second.output()).filter((one) => ids.includes(one))).toEqual([ids[3]]);
	for (const { binary } of itemsOf(retried, 'segmind'))
		expect(binary?.data.id).toMatch(/^database:/);
});

test('a main process that restarts leaves a running batch alone', async () => {
	const { emulator, main } = queue.it;
	// Nobody sees a job's end until this is taken away.
	emulator.fault({ on: 'status', times: 'always', do: { status: 503 } });
	const production = { ...queue.it, hooks: main.url };
	const { id } = await started(production, [...prompts(3), inference()]);
	await until(() => emulator.jobs.length === 3);
	await queue.it.restartMain();
	const { api } = queue.it;
	expect((await api.execution(id)).status).toBe('running');
	emulator.clearFaults();
	const execution = await api.ended(id);
	expect([execution.status, errorOf(execution)]).toEqual(['success', '']);
	expect(idsOf([execution]).sort()).toEqual(submittedIds().sort());
	expect(emulator.callsOf('submit')).toHaveLength(3);
});
