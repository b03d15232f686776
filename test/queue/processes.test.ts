import type { IBinaryData } from 'n8n-workflow';

import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import {
	acceptedIdsIn,
	activateTrigger,
	errorOf,
	inferenceNode,
	itemsOf,
	POLL_TIMES,
	POLL_INTERVAL_MS,
	postJson,
	promptNodes,
	publish,
	startExecution,
	triggerItems,
	expectSuccess,
	until,
} from '../helpers/n8nWorkflows';
import { WORKER_CONCURRENCY, useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

const requestIdsOf = (executions: Execution[]) =>
	executions.flatMap((execution) =>
		itemsOf(execution, 'segmind').map(({ json }) => json.request_id),
	);
const submittedIds = () => queue.emulator.jobs.map(({ requestId }) => requestId);

test('production executions use both workers, which wait out a rate limit; each request is charged once', async () => {
	const { emulator, workers, main, webhook, api } = queue;
	emulator.set({ jobMs: 4000 });
	const { workflow, call } = await publish(queue, [...promptNodes(1), inferenceNode()]);
	// More than one worker alone can run at once.
	const calls = Array.from({ length: WORKER_CONCURRENCY + 3 }, async () => await call());
	expect(await Promise.all(calls)).toEqual(calls.map(() => 200));
	await until(() => emulator.jobs.length === calls.length);
	emulator.set({ rateLimit: { perMinute: 0, windowMs: 2000 } });
	await until(() => emulator.calls.filter(({ status }) => status === 429).length > 1);
	emulator.set({ rateLimit: null });
	await until(async () => (await api.listExecutions(workflow.id)).length === calls.length);
	const ids = (await api.listExecutions(workflow.id)).map(({ id }) => id);
	const executions = await Promise.all(ids.map(async (id) => await expectSuccess(api, id)));
	expect(emulator.callsOf('submit')).toHaveLength(executions.length);
	expect(requestIdsOf(executions).sort()).toEqual(submittedIds().sort());
	const shares = workers.map((worker) => acceptedIdsIn(worker.output()));
	for (const share of shares) expect(share.length).toBeGreaterThan(0);
	expect(shares.flat().sort()).toEqual(submittedIds().sort());
	// The other processes run no execution.
	expect(acceptedIdsIn(main.output() + webhook.output())).toEqual([]);
	// The main process, which has another disk, serves a file that a worker downloaded.
	for (const execution of executions) {
		const { id } = itemsOf(execution, 'segmind')[0].binary?.data as IBinaryData;
		expect(id).toMatch(/^database:/);
		const file = await api.download(`/rest/binary-data?id=${id}&action=download`);
		expect(file.length).toBeGreaterThan(0);
	}
});

test('a file above the size limit of the database stays a URL, and the item succeeds', async () => {
	const { emulator, api } = queue;
	emulator.set({ fileBytes: 2 * 1024 * 1024 });
	const { id } = await startExecution(queue, [...promptNodes(1), inferenceNode()]);
	const execution = await expectSuccess(api, id);
	const [{ json, binary }] = itemsOf(execution, 'segmind');
	expect(json).toMatchObject({ status: 'COMPLETED', url: expect.stringMatching(/^http/) });
	expect(binary).toBeUndefined();
	const [run] = execution.data.resultData.runData.segmind;
	expect(run.hints?.map(({ message }) => message).join()).toContain('could not be downloaded');
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

/** Expects that a worker ran each execution of a workflow. Returns the trigger's items, those of the oldest execution first. */
async function triggerItemsOnWorkers(workflow: SavedWorkflow) {
	const { api, workerOf } = queue;
	for (const { id } of await api.listExecutions(workflow.id)) await workerOf(id);
	return await triggerItems(api, workflow);
}

test('only the main process polls, and each event starts one execution on a worker', async () => {
	const { emulator, api } = queue;
	const workflow = await activateTrigger(queue, 'poller', 'segmindTrigger', {
		pollTimes: POLL_TIMES,
		event: 'creditsBelow',
		threshold: 5,
	});
	expect(emulator.callsOf('credits')).toHaveLength(1);
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () => (await api.listExecutions(workflow.id)).length > 0);
	await until(() => emulator.callsOf('credits').length > 3);
	expect(await triggerItemsOnWorkers(workflow)).toMatchObject([{ total: 3, threshold: 5 }]);
	await api.deactivate(workflow.id);
	// If a second process polled too, there would be more polls than scheduled times.
	const [activation, ...polls] = emulator.callsOf('credits').map(({ at }) => at);
	const scheduledTimes =
		Math.floor(Date.now() / POLL_INTERVAL_MS) - Math.floor(activation / POLL_INTERVAL_MS);
	expect(polls.length).toBeLessThanOrEqual(scheduledTimes);
});

test('the webhook processor starts one execution per event, however often and wherever it is delivered', async () => {
	const { main, webhook } = queue;
	const workflow = await activateTrigger(queue, 'hook', 'segmindFineTuneTrigger', {
		events: ['AVAILABLE'],
		secret: 'tell-nobody',
	});
	const deliver = async ({ url }: { url: string }, job: string, secret = 'tell-nobody') =>
		await postJson(`${url}/webhook/hook/webhook?secret=${secret}`, {
			event: 'AVAILABLE',
			finetune_id: job,
		});
	const jobs = async () =>
		(await triggerItemsOnWorkers(workflow)).map(({ finetune_id: job }) => job);

	expect(await deliver(webhook, 'first', 'guessed')).toBe(401);
	const sameDelivery = Array.from({ length: 3 }, async () => await deliver(webhook, 'first'));
	expect(await Promise.all(sameDelivery)).toEqual([200, 200, 200]);
	await until(async () => (await jobs()).includes('first'));
	// The main process takes production webhooks too, and reads from the database what the webhook processor has started.
	expect(await deliver(main, 'first')).toBe(200);
	expect(await deliver(main, 'second')).toBe(200);
	await until(async () => (await jobs()).includes('second'));
	expect(await jobs()).toEqual(['first', 'second']);
});

test('Retry submits only failed requests, even if another worker runs it', async () => {
	const { emulator, api } = queue;
	emulator.set({ failJobs: [1] });
	const { id } = await startExecution(queue, [...promptNodes(3), inferenceNode()]);
	const failed = await api.waitForEnd(id);
	expect(failed.status).toBe('error');
	expect(errorOf(failed)).toContain(emulator.jobs[1].requestId);
	const first = await queue.workerOf(id);
	await first.stop();
	const retried = await expectSuccess(api, await api.retry(id));
	const second = await queue.workerOf(retried.id);
	expect(second).not.toBe(first);
	expect(retried.mode).toBe('retry');
	expect(emulator.callsOf('submit')).toHaveLength(4);
	const ids = submittedIds();
	expect(requestIdsOf([retried]).sort()).toEqual([ids[0], ids[2], ids[3]].sort());
	expect(acceptedIdsIn(second.output()).filter((one) => ids.includes(one))).toEqual([ids[3]]);
	for (const { binary } of itemsOf(retried, 'segmind'))
		expect(binary?.data.id).toMatch(/^database:/);
});
