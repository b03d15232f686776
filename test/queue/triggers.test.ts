import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { SavedWorkflow } from '../../dev/n8n/n8nApi';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { chain, itemsOf, node, until } from '../helpers/n8nWorkflows';
import { useQueueN8n } from '../helpers/queueN8n';

const queue = useQueueN8n();

async function activated(name: string, type: string, parameters: INodeParameters) {
	const { api, credentials } = queue.it;
	const trigger = node(type, parameters, { webhookId: name });
	const workflow = await api.createWorkflow(chain(name, [trigger, node('noOp')]), credentials);
	await api.activate(workflow);
	return workflow;
}

/** What each execution of a workflow started with, the oldest first, and that a worker ran it. */
async function startedWith({ id, nodes }: SavedWorkflow): Promise<IDataObject[]> {
	const { api } = queue.it;
	const executions = (await api.executions(id)).reverse();
	return await Promise.all(
		executions.map(async (one) => {
			await queue.it.workerOf(one.id);
			return itemsOf(await api.ended(one.id), nodes[0].name)[0].json;
		}),
	);
}

test('only the main process polls, and an event starts one execution, on a worker', async () => {
	const { emulator, api } = queue.it;
	const workflow = await activated('poller', 'segmindTrigger', {
		pollTimes: { item: [{ mode: 'everyMinute' }] },
		event: 'creditsBelow',
		threshold: 5,
	});
	expect(emulator.callsOf('credits')).toHaveLength(1);
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () => (await api.executions(workflow.id)).length > 0);
	expect(await startedWith(workflow)).toMatchObject([{ total: 3, threshold: 5 }]);
	// One at the activation, one that found it; a second process would have looked as well.
	expect(emulator.callsOf('credits')).toHaveLength(2);
	await api.deactivate(workflow.id);
});

test('the webhook processor starts one execution for an event, however often and wherever it is delivered', async () => {
	const { main, webhook } = queue.it;
	const workflow = await activated('hook', 'segmindFineTuneTrigger', {
		events: ['AVAILABLE'],
		secret: 'tell-nobody',
	});
	const deliver = async (process: { url: string }, job: string, secret = 'tell-nobody') =>
		(
			await fetch(`${process.url}/webhook/hook/webhook?secret=${secret}`, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ event: 'AVAILABLE', finetune_id: job }),
			})
		).status;
	const jobs = async () => (await startedWith(workflow)).map(({ finetune_id: job }) => job);

	expect(await deliver(webhook, 'first', 'guessed')).toBe(401);
	const together = [
		deliver(webhook, 'first'),
		deliver(webhook, 'first'),
		deliver(webhook, 'first'),
	];
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

test('the webhook processor confirms an event before it starts the workflow', async () => {
	const { emulator, webhook } = queue.it;
	const workflow = await activated('confirmed', 'segmindFineTuneTrigger', {
		events: ['TRAINING_COMPLETED', 'AVAILABLE'],
		confirmWithSegmind: true,
	});
	emulator.set({ webhooks: { copies: 2 } });
	emulator.registerWebhook(`${webhook.url}/webhook/confirmed/webhook`);
	await fillAccount(emulator);
	const [{ finetuneId }] = emulator.fineTunes;
	await until(async () => (await startedWith(workflow)).length > 1);
	// Of copies that come together, only the first is confirmed; the others are told to come again.
	await until(() => emulator.deliveries.every(({ status }) => status === 200 || status === 503));
	const started = await startedWith(workflow);
	expect(started).toHaveLength(2);
	for (const item of started)
		expect(item).toMatchObject({ finetune_id: finetuneId, confirmed: true });
	expect(started.map(({ event }) => event).sort()).toEqual(['AVAILABLE', 'TRAINING_COMPLETED']);
});

test('n8n refuses a second main process without a licence for it', async () => {
	await expect(queue.it.start('start', { N8N_MULTI_MAIN_SETUP_ENABLED: 'true' })).rejects.toThrow(
		'license does not allow for feat:multipleMainInstances',
	);
});
