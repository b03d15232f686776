import type { IBinaryData } from 'n8n-workflow';

import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import {
	acceptedIn,
	activeTrigger,
	chain,
	errorOf,
	expectNoSelfStart,
	inference,
	itemsOf,
	node,
	OFTEN,
	OFTEN_MS,
	postJson,
	prompts,
	published,
	started,
	startedWith as startedItems,
	succeeded,
	until,
} from '../helpers/n8nWorkflows';
import { WORKER_CONCURRENCY, useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

const idsOf = (executions: Execution[]) =>
	executions.flatMap((execution) =>
		itemsOf(execution, 'segmind').map(({ json }) => json.request_id),
	);
const submittedIds = () => queue.it.emulator.jobs.map(({ requestId }) => requestId);

test('production executions use both workers, which wait out a rate limit; each request is charged once', async () => {
	const { emulator, workers, main, webhook, api } = queue.it;
	emulator.set({ jobMs: 4000 });
	const { workflow, call } = await published(queue.it, [...prompts(1), inference()]);
	// More than one worker alone can take.
	const calls = Array.from({ length: WORKER_CONCURRENCY + 3 }, async () => await call());
	expect(await Promise.all(calls)).toEqual(calls.map(() => 200));
	await until(() => emulator.jobs.length === calls.length);
	emulator.set({ rateLimit: { perMinute: 0, windowMs: 2000 } });
	await until(() => emulator.calls.filter(({ status }) => status === 429).length > 1);
	emulator.set({ rateLimit: null });
	await until(async () => (await api.listExecutions(workflow.id)).length === calls.length);
	const ids = (await api.listExecutions(workflow.id)).map(({ id }) => id);
	const executions = await Promise.all(ids.map(async (id) => await succeeded(api, id)));
	expect(emulator.callsOf('submit')).toHaveLength(executions.length);
	expect(idsOf(executions).sort()).toEqual(submittedIds().sort());
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

test('a workflow that would start itself forever cannot be published', async () => {
	queue.it.emulator.reset();
	await expectNoSelfStart(queue.it);
});

test('the editor runs on a worker too', async () => {
	const { api, credentials, emulator } = queue.it;
	const nodes = [node('manualTrigger'), ...prompts(1), inference()];
	const id = await api.run(await api.createWorkflow(chain('by hand', nodes), credentials));
	const execution = await succeeded(api, id);
	expect(execution.mode).toBe('manual');
	expect(idsOf([execution])).toEqual(submittedIds());
	expect(acceptedIn((await queue.it.workerOf(id)).output())).toContain(emulator.jobs[0].requestId);
});

test('a file above the limit of the database stays a URL, and the item succeeds', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ fileBytes: 2 * 1024 * 1024 });
	const { id } = await started(queue.it, [...prompts(1), inference()]);
	const execution = await succeeded(api, id);
	const [{ json, binary }] = itemsOf(execution, 'segmind');
	expect(json).toMatchObject({ status: 'COMPLETED', url: expect.stringMatching(/^http/) });
	expect(binary).toBeUndefined();
	const [run] = execution.data.resultData.runData.segmind;
	expect(run.hints?.map(({ message }) => message).join()).toContain('could not be downloaded');
	expect(emulator.callsOf('submit')).toHaveLength(1);
});

/** What each execution of a workflow started with, the oldest first, and that a worker ran it. */
async function startedWith(workflow: SavedWorkflow) {
	const { api, workerOf } = queue.it;
	for (const { id } of await api.listExecutions(workflow.id)) await workerOf(id);
	return await startedItems(api, workflow);
}

test('only the main process polls, and each event starts one execution on a worker', async () => {
	const { emulator, api } = queue.it;
	const workflow = await activeTrigger(queue.it, 'poller', 'segmindTrigger', {
		pollTimes: OFTEN,
		event: 'creditsBelow',
		threshold: 5,
	});
	expect(emulator.callsOf('credits')).toHaveLength(1);
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () => (await api.listExecutions(workflow.id)).length > 0);
	await until(() => emulator.callsOf('credits').length > 3);
	expect(await startedWith(workflow)).toMatchObject([{ total: 3, threshold: 5 }]);
	await api.deactivate(workflow.id);
	// A second process would have looked at the same times.
	const [activation, ...polls] = emulator.callsOf('credits').map(({ at }) => at);
	const times = Math.floor(Date.now() / OFTEN_MS) - Math.floor(activation / OFTEN_MS);
	expect(polls.length).toBeLessThanOrEqual(times);
});

test('the webhook processor starts one execution per event, however often and wherever it is delivered', async () => {
	const { main, webhook } = queue.it;
	const workflow = await activeTrigger(queue.it, 'hook', 'segmindFineTuneTrigger', {
		events: ['AVAILABLE'],
		secret: 'tell-nobody',
	});
	const deliver = async ({ url }: { url: string }, job: string, secret = 'tell-nobody') =>
		await postJson(`${url}/webhook/hook/webhook?secret=${secret}`, {
			event: 'AVAILABLE',
			finetune_id: job,
		});
	const jobs = async () => (await startedWith(workflow)).map(({ finetune_id: job }) => job);

	expect(await deliver(webhook, 'first', 'guessed')).toBe(401);
	const together = Array.from({ length: 3 }, async () => await deliver(webhook, 'first'));
	expect(await Promise.all(together)).toEqual([200, 200, 200]);
	await until(async () => (await jobs()).includes('first'));
	// The main process takes production webhooks too, and knows from the database what the other one started.
	expect(await deliver(main, 'first')).toBe(200);
	expect(await deliver(main, 'second')).toBe(200);
	await until(async () => (await jobs()).includes('second'));
	expect(await jobs()).toEqual(['first', 'second']);

	// Both at the same moment is the exception the README names: once a process at most.
	await Promise.all([deliver(main, 'third'), deliver(webhook, 'third')]);
	await deliver(webhook, 'fourth');
	await until(async () => {
		const known = await jobs();
		return known.includes('third') && known.includes('fourth');
	});
	const thirds = (await jobs()).filter((job) => job === 'third').length;
	expect([1, 2]).toContain(thirds);
});

test('Retry submits only failed requests, also if another worker runs it', async () => {
	const { emulator, api } = queue.it;
	emulator.set({ failJobs: [1] });
	const { id } = await started(queue.it, [...prompts(3), inference()]);
	const failed = await api.waitForEnd(id);
	expect(failed.status).toBe('error');
	expect(errorOf(failed)).toContain(emulator.jobs[1].requestId);
	const first = await queue.it.workerOf(id);
	await first.stop();
	const retried = await succeeded(api, await api.retry(id));
	const second = await queue.it.workerOf(retried.id);
	expect(second).not.toBe(first);
	expect(retried.mode).toBe('retry');
	expect(emulator.callsOf('submit')).toHaveLength(4);
	const ids = submittedIds();
	expect(idsOf([retried]).sort()).toEqual([ids[0], ids[2], ids[3]].sort());
	expect(acceptedIn(second.output()).filter((one) => ids.includes(one))).toEqual([ids[3]]);
	for (const { binary } of itemsOf(retried, 'segmind'))
		expect(binary?.data.id).toMatch(/^database:/);
});
