import type { SavedWorkflow } from '../../dev/n8n/n8nApi';
import {
	activeTrigger,
	OFTEN,
	OFTEN_MS,
	postJson,
	startedWith as startedItems,
	until,
} from '../helpers/n8nWorkflows';
import { useQueueN8n } from './queueN8n';

const queue = useQueueN8n();

/** What each execution of a workflow started with, the oldest first, and that a worker ran it. */
async function startedWith(workflow: SavedWorkflow) {
	const { api, workerOf } = queue.it;
	for (const { id } of await api.executions(workflow.id)) await workerOf(id);
	return await startedItems(api, workflow);
}

test('only the main process polls, and an event starts one execution, on a worker', async () => {
	const { emulator, api } = queue.it;
	const workflow = await activeTrigger(queue.it, 'poller', 'segmindTrigger', {
		pollTimes: OFTEN,
		event: 'creditsBelow',
		threshold: 5,
	});
	expect(emulator.callsOf('credits')).toHaveLength(1);
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () => (await api.executions(workflow.id)).length > 0);
	await until(() => emulator.callsOf('credits').length > 3);
	expect(await startedWith(workflow)).toMatchObject([{ total: 3, threshold: 5 }]);
	await api.deactivate(workflow.id);
	// A second process would have looked at the same times.
	const [activation, ...polls] = emulator.callsOf('credits').map(({ at }) => at);
	const times = Math.floor(Date.now() / OFTEN_MS) - Math.floor(activation / OFTEN_MS);
	expect(polls.length).toBeLessThanOrEqual(times);
});

test('the webhook processor starts one execution for an event, however often and wherever it is delivered', async () => {
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
