/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { INodeParameters } from 'n8n-workflow';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import {
	activeTrigger,
	inference,
	OFTEN,
	postJson,
	prompts,
	started,
	startedWith,
	until,
} from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();

test('pollers fire once for each event, and not again after a restart', async () => {
	const { api, emulator } = host.it;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const poller = async (event: string, parameters: INodeParameters) =>
		await activeTrigger(host.it, event, 'segmindTrigger', {
			pollTimes: OFTEN,
			event,
			...parameters,
		});
	const workflows = [
		await poller('requestFinished', { watch: 'account', options: {} }),
		await poller('fineTuneStatusChanged', { statuses: ['AVAILABLE'], options: {} }),
		await poller('creditsBelow', { threshold: 5 }),
	];
	const startedAll = async () =>
		await Promise.all(workflows.map(async (one) => await startedWith(api, one)));
	expect(await startedAll()).toEqual([[], [], []]);

	const production = { ...host.it, hooks: host.it.n8n.url };
	await api.ended((await started(production, [...prompts(1), inference()])).id);
	const finetune_id = await submitFineTune(emulator, 'sneakers');
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	await until(async () => (await startedAll()).every(({ length }) => length > 0));
	const [{ requestId: request_id }] = emulator.jobs;
	const expected = [
		[expect.objectContaining({ request_id, status: 'COMPLETED' })],
		[expect.objectContaining({ finetune_id, status: 'AVAILABLE', previous_status: null })],
		[expect.objectContaining({ total: 3, threshold: 5 })],
	];
	expect(await startedAll()).toEqual(expected);

	await host.it.restart(true);
	const { length } = emulator.calls;
	const polls = (kind: string) => emulator.calls.slice(length).filter((one) => one.kind === kind);
	// At activation, which a restart is too, then at its times: when the third begins, the second has ended.
	await until(() => ['history', 'finetune', 'credits'].every((kind) => polls(kind).length > 2));
	expect(await startedAll()).toEqual(expected);
	for (const { id } of workflows) await api.deactivate(id);
});

test('the webhook wants its secret, starts once for each event, and remembers that', async () => {
	const { api, emulator, n8n } = host.it;
	emulator.reset();
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 100 });
	const workflow = await activeTrigger(host.it, 'hook', 'segmindFineTuneTrigger', {
		events: ['TRAINING_COMPLETED', 'AVAILABLE'],
		secret: 'tell-nobody',
		confirmWithSegmind: true,
	});
	const url = `${n8n.url}/webhook/hook/webhook`;
	expect(await postJson(url, { event: 'AVAILABLE' })).toBe(401);
	emulator.set({ webhooks: { copies: 3 } });
	emulator.registerWebhook(`${url}?secret=tell-nobody`);
	const finetune_id = await submitFineTune(emulator, 'sneakers');
	await until(async () => (await startedWith(api, workflow)).length === 2);
	await pause(1000);
	expect(await startedWith(api, workflow)).toMatchObject([
		{ event: 'TRAINING_COMPLETED', finetune_id, confirmed: true },
		{ event: 'AVAILABLE', finetune_id, confirmed: true },
	]);
	// Of copies that come together, only the first is confirmed; the others are told to come again.
	for (const { status } of emulator.deliveries) expect([200, 503]).toContain(status);
	expect(emulator.deliveries).toHaveLength(9);

	await host.it.restart(true);
	await until(async () => (await postJson(url, {})) === 401);
	const again = { event: 'AVAILABLE', finetune_id };
	expect(await postJson(`${url}?secret=tell-nobody`, again)).toBe(200);
	await pause(1500);
	expect(await startedWith(api, workflow)).toHaveLength(2);
});
