/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { SavedWorkflow } from '../../dev/n8n/n8nApi';
import { chain, itemsOf, node, slug, until } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();

async function activated(name: string, type: string, parameters: INodeParameters) {
	const { api, credentials } = host.it;
	const trigger = node(type, parameters, { webhookId: name });
	const workflow = await api.createWorkflow(chain(name, [trigger, node('noOp')]), credentials);
	await api.activate(workflow);
	return workflow;
}

/** Items of each execution of a workflow, the oldest first. */
async function startedWith({ id, nodes }: SavedWorkflow): Promise<IDataObject[][]> {
	const { api } = host.it;
	const executions = [];
	for (const { id: one } of (await api.executions(id)).reverse()) {
		const execution = await api.ended(one);
		executions.push(itemsOf(execution, nodes[0].name).map(({ json }) => json));
	}
	return executions;
}

test('pollers fire once for each event, and not again after a restart', async () => {
	const { api, credentials, emulator } = host.it;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const poller = async (event: string, parameters: INodeParameters = {}) =>
		await activated(event, 'segmindTrigger', { pollTimes, event, ...parameters });
	const workflows = [
		await poller('requestFinished', { watch: 'account', options: {} }),
		await poller('fineTuneStatusChanged', { statuses: ['AVAILABLE'], options: {} }),
		await poller('creditsBelow', { threshold: 5 }),
	];
	expect(await Promise.all(workflows.map(startedWith))).toEqual([[], [], []]);

	const generate = await api.createWorkflow(
		chain('generate', [
			node('manualTrigger'),
			node('segmind', { model: slug('nano-banana'), prompt: 'a boat', options: {} }),
		]),
		credentials,
	);
	await api.ended(await api.run(generate));
	const finetuneId = await submitFineTune(emulator, 'sneakers');
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () =>
		(await Promise.all(workflows.map(startedWith))).every(({ length }) => length > 0),
	);
	const expected = [
		[[expect.objectContaining({ request_id: emulator.jobs[0].requestId, status: 'COMPLETED' })]],
		[
			[
				expect.objectContaining({
					finetune_id: finetuneId,
					status: 'AVAILABLE',
					previous_status: null,
				}),
			],
		],
		[[expect.objectContaining({ total: 3, threshold: 5 })]],
	];
	expect(await Promise.all(workflows.map(startedWith))).toEqual(expected);

	await host.it.restart(true);
	// n8n polls at activation, which a restart is too, and then once a minute.
	await pause(62_000);
	expect(await Promise.all(workflows.map(startedWith))).toEqual(expected);
	for (const { id } of workflows) await api.deactivate(id);
});

test('the webhook wants its secret, starts once for each event, and remembers that', async () => {
	const { emulator, n8n } = host.it;
	emulator.reset();
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 100 });
	const workflow = await activated('hook', 'segmindFineTuneTrigger', {
		events: ['TRAINING_COMPLETED', 'AVAILABLE'],
		secret: 'tell-nobody',
		confirmWithSegmind: true,
	});
	const url = `${n8n.url}/webhook/hook/webhook`;
	const forged = await fetch(url, { method: 'POST', body: '{"event":"AVAILABLE"}' });
	expect(forged.status).toBe(401);
	emulator.set({ webhooks: { copies: 3 } });
	emulator.registerWebhook(`${url}?secret=tell-nobody`);
	const finetuneId = await submitFineTune(emulator, 'sneakers');
	await until(async () => (await startedWith(workflow)).length === 2);
	await pause(1000);
	const started = (await startedWith(workflow)).flat();
	expect(started).toMatchObject([
		{ event: 'TRAINING_COMPLETED', finetune_id: finetuneId, confirmed: true },
		{ event: 'AVAILABLE', finetune_id: finetuneId, confirmed: true },
	]);
	// Of copies that come together, only the first is confirmed; the others are told to come again.
	for (const { status } of emulator.deliveries) expect([200, 503]).toContain(status);
	expect(emulator.deliveries).toHaveLength(9);

	await host.it.restart(true);
	await until(async () => (await fetch(url, { method: 'POST' })).status === 401);
	const again = await fetch(`${url}?secret=tell-nobody`, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify({ event: 'AVAILABLE', finetune_id: finetuneId }),
	});
	expect(again.status).toBe(200);
	await pause(1500);
	expect(await startedWith(workflow)).toHaveLength(2);
});
