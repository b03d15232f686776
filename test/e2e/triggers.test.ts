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
	succeeded,
	until,
} from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

const host = useSingleN8n();

const poller = async (event: string, parameters: INodeParameters) =>
	await activeTrigger(host.it, event, 'segmindTrigger', {
		pollTimes: OFTEN,
		event,
		...parameters,
	});

test('each trigger fires once for each event, and not again after a restart; the webhook wants its secret', async () => {
	const { api, emulator } = host.it;
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 100, webhooks: { copies: 3 } });
	const workflows = [
		await poller('requestFinished', { watch: 'account', options: {} }),
		await poller('fineTuneStatusChanged', { statuses: ['AVAILABLE'], options: {} }),
		await poller('creditsBelow', { threshold: 5 }),
		await activeTrigger(host.it, 'hook', 'segmindFineTuneTrigger', {
			events: ['TRAINING_COMPLETED', 'AVAILABLE'],
			secret: 'tell-nobody',
			confirmWithSegmind: true,
		}),
	];
	const startedAll = async () =>
		await Promise.all(workflows.map(async (one) => await startedWith(api, one)));
	expect(await startedAll()).toEqual([[], [], [], []]);
	const url = `${api.url}/webhook/hook/webhook`;
	expect(await postJson(url, { event: 'AVAILABLE' })).toBe(401);

	emulator.registerWebhook(`${url}?secret=tell-nobody`);
	await succeeded(api, (await started(host.it, [...prompts(1), inference()])).id);
	const finetune_id = await submitFineTune(emulator, 'sneakers');
	emulator.set({ balance: { credits: 1, freeCredits: 2 } });
	const counts = async () => (await startedAll()).map(({ length }) => length);
	await until(async () => String(await counts()) === '1,1,1,2');
	// Of copies that come together, only the first is confirmed; the others are told to come again.
	await until(() => emulator.deliveries.every(({ status }) => status === 200 || status === 503));
	expect(emulator.deliveries).toHaveLength(9);
	await pause(1000);
	const [{ requestId: request_id }] = emulator.jobs;
	const expected = [
		[expect.objectContaining({ request_id, status: 'COMPLETED' })],
		[expect.objectContaining({ finetune_id, status: 'AVAILABLE' })],
		[expect.objectContaining({ total: 3, threshold: 5 })],
		['TRAINING_COMPLETED', 'AVAILABLE'].map((event) =>
			expect.objectContaining({ event, finetune_id, confirmed: true }),
		),
	];
	expect(await startedAll()).toEqual(expected);

	await host.it.restart(true);
	const { length } = emulator.calls;
	const polls = (kind: string) => emulator.calls.slice(length).filter((one) => one.kind === kind);
	await until(async () => (await postJson(url, {})) === 401);
	const again = { event: 'AVAILABLE', finetune_id };
	expect(await postJson(`${url}?secret=tell-nobody`, again)).toBe(200);
	// At activation, which a restart is too, then at its times: when the third begins, the second has ended.
	await until(() => ['history', 'finetune', 'credits'].every((kind) => polls(kind).length > 2));
	await pause(1000);
	expect(await startedAll()).toEqual(expected);
});
