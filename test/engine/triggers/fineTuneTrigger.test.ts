/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Segmind Fine-Tune Trigger: the response to a delivery, and the executions that it starts. */
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Delivery } from '../../../dev/engine/webhookHost';
import { ALL_EVENTS, event, useFineTuneTrigger } from '../../helpers/fineTuneTrigger';
import { until } from '../../helpers/until';

const { emulator, host, submitJob } = useFineTuneTrigger();

test.each(['flat', 'nested', 'callback'] as const)(
	'a job starts the workflow once per event, with payload %s, also if deliveries are repeated',
	async (shape) => {
		const trigger = await host({ events: ALL_EVENTS });
		emulator.set({ webhooks: { shape, copies: 2 } });
		emulator.registerWebhook(trigger.url);
		const job = await submitJob(20);
		const endedDeliveries = () => emulator.deliveries.filter(({ status }) => status !== undefined);
		await until(() => endedDeliveries().length === 6);
		await trigger.whenIdle();
		const started = trigger.executions.map((json) => [json.event, json.finetune_id]);
		expect(started.sort()).toEqual(ALL_EVENTS.map((name) => [name, job]).sort());
		const executionOf = (name: string) => trigger.executions.find((json) => json.event === name);
		expect(executionOf('TRAINING_COMPLETED')?.trained_model_url).toMatch(/weights/);
		expect(executionOf('AVAILABLE')?.inference_api_url).toMatch(/\/v1\/shoes-/);
		expect(new Set(endedDeliveries().map(({ status }) => status))).toEqual(new Set([200]));
		expect(emulator.callsOf('finetune')).toHaveLength(1);
	},
);

test.each<[IDataObject, IDataObject]>([
	[{ type: ' available ', id: 5 }, { finetune_id: '5' }],
	[{ status: 'AVAILABLE', id: 'evt', data: { finetune_id: 'job' } }, { finetune_id: 'job' }],
	[{ event: { type: 'AVAILABLE', request_id: ' a ' }, id: 'b' }, { finetune_id: 'a' }],
	[{ list: [[{ status: 'AVAILABLE', id: 'a' }]] }, { finetune_id: 'a' }],
	[{ status: 'AVAILABLE', old: { status: 'TRAINING_COMPLETED' }, id: '' }, {}],
	[{ event: 'AVAILABLE', id: 'x'.repeat(201), request_id: {} }, {}],
	[
		{
			event: 'AVAILABLE',
			data: { inference_api_url: 'u' },
			deep: { er: { inference_api_url: 'v' } },
		},
		{ inference_api_url: 'u' },
	],
	[{ event: 'AVAILABLE', error: 'x', finetune: 'x', confirmed: true, test: true }, {}],
])('%j starts the workflow with the whole payload and %j', async (payload, fields) => {
	const trigger = await host();
	await trigger.deliver({ body: payload });
	expect(trigger.executions).toEqual([{ event: 'AVAILABLE', ...fields, payload }]);
});

test('an event that is not chosen, or not known, starts nothing; one short log line names the fields', async () => {
	const trigger = await host();
	await trigger.deliver({ body: event('TRAINING_COMPLETED') });
	expect(trigger.log).toEqual([]);
	const bodies: IDataObject[] = [
		{ event: 'FAILED', notify_on: ['AVAILABLE'] },
		{ event: 'AVAILABLE!', 'a\nforged log line': 'x'.repeat(5_000), ['y'.repeat(5_000)]: 1 },
	];
	for (const body of bodies) expect((await trigger.deliver({ body })).status).toBe(200);
	expect(trigger.executions).toEqual([]);
	expect(trigger.log).toHaveLength(2);
	expect(trigger.log[1]).toMatch(/event, a forged log line, y[^\n]{1,700}$/);
});

test('the test URL emits every delivery, marked as a test', async () => {
	const trigger = await host({ confirmWithSegmind: true }, { hasCredential: false });
	const sample = event('TRAINING_COMPLETED', 'sample');
	const bodies: IDataObject[] = [sample, sample, { sample: 1 }, {}, { error: 'x' }];
	for (const body of bodies)
		expect(await trigger.deliver({ body, test: true })).toMatchObject({
			status: 200,
			json: { received: true },
		});
	const fieldsOfSample = { event: 'TRAINING_COMPLETED', finetune_id: 'sample' };
	expect(trigger.executions).toEqual(
		bodies.map((payload) => ({ ...(payload === sample && fieldsOfSample), test: true, payload })),
	);
	expect(trigger.storedStaticData).toEqual({});
});

test.each<[string, INodeParameters]>([
	['neither a secret nor a confirmation', {}],
	['a secret that was deleted', { secret: '', confirmWithSegmind: false }],
	['a confirmation that an expression turns off', { confirmWithSegmind: '={{ 1 > 2 }}' }],
])(
	'with %s, the workflow is never activated, but the test URL works',
	async (_name, parameters) => {
		const trigger = await host(parameters);
		for (const activation of ['activate', 'init', 'update', 'leadershipChange'] as const)
			await expect(trigger.activate(activation)).rejects.toMatchObject({
				message: expect.stringMatching(/Secret.*Confirm With Segmind/),
			});
		await trigger.activate('manual');
	},
);

test.each<[string, INodeParameters]>([
	['a secret', { secret: 'correct-horse' }],
	['a secret from an expression', { secret: '={{ $vars.secret }}' }],
	['a confirmation', { confirmWithSegmind: true }],
	['a confirmation from an expression', { confirmWithSegmind: '={{ 1 < 2 }}' }],
])('with %s, the workflow is activated', async (_name, parameters) => {
	const trigger = await host(parameters);
	await trigger.activate();
});

test.each<[string, unknown, string, number]>([
	['nothing', '', '', 400],
	['a form', 'event=AVAILABLE&id=1', 'application/x-www-form-urlencoded', 400],
	['XML', '<event>AVAILABLE</event>', 'text/xml', 400],
	['broken JSON as text', '{"event":', 'text/plain', 400],
	['broken JSON (n8n itself)', '{"event":', '', 422],
	[
		'JSON 30,000 levels deep',
		`{"event":"AVAILABLE","a":${'['.repeat(3e4)}${']'.repeat(3e4)}}`,
		'',
		400,
	],
	['64 kB and a byte', JSON.stringify(event('AVAILABLE')).padEnd(64 * 1024 + 1), '', 413],
	['2 MB, compressed', gzipSync(`{"event":"AVAILABLE","x":"${'x'.repeat(2e6)}"}`), 'gzip', 413],
])('%s is rejected', async (_name, body, type, status) => {
	const trigger = await host();
	const headers: Record<string, string> =
		type === 'gzip' ? { 'content-encoding': type } : type ? { 'content-type': type } : {};
	const response = await trigger.deliver({ body, headers });
	expect(response.status).toBe(status);
	expect(response.json).toHaveProperty('message');
	expect(trigger.executions).toEqual([]);
});

const secret = 'correct horse';
const TEXT = { 'content-type': 'text/plain' };
const QUERY = { query: '?secret=correct%20horse' };
const noSecret = { secret: '={{ undefined }}' };
test.each<[string, INodeParameters, Delivery, number]>([
	['right', {}, QUERY, 200],
	['right, from an expression', { secret: '={{ "correct" + " horse" }}' }, QUERY, 200],
	['missing', {}, {}, 401],
	['missing, at the test URL', {}, { test: true }, 401],
	['missing, and the body is too long', {}, { body: 'x'.repeat(2e6), headers: TEXT }, 401],
	['wrong', {}, { query: '?secret=correct%20horsf' }, 401],
	['longer', {}, { query: '?secret=correct%20horse%20' }, 401],
	['twice', {}, { query: '?secret=correct%20horse&secret=correct%20horse' }, 401],
	['an object', {}, { query: '?secret[toString]=x' }, 401],
	['missing, and the expression returns nothing', noSecret, {}, 401],
	['empty, and the expression returns nothing', noSecret, { query: '?secret=' }, 401],
	['empty, as the expression', { secret: '={{ "" }}' }, { query: '?secret=' }, 401],
	[
		'"undefined", and the expression returns nothing',
		noSecret,
		{ query: '?secret=undefined' },
		401,
	],
])('the secret is %s', async (_name, parameters, delivery, status) => {
	const trigger = await host({ secret, ...parameters });
	const response = await trigger.deliver({ body: event('AVAILABLE'), ...delivery });
	expect(response.status).toBe(status);
	expect(trigger.executions).toHaveLength(status === 200 ? 1 : 0);
	expect(trigger.log).toHaveLength(status === 401 ? 1 : 0);
	expect(JSON.stringify([trigger.executions, trigger.log, response.json])).not.toContain(secret);
});

test('repeated deliveries start one execution for each job and event, also after a restart', async () => {
	const trigger = await host({ events: ALL_EVENTS });
	const bodies: IDataObject[] = [
		event('AVAILABLE'),
		{ id: 'job-1', data: { status: 'available' } },
		event('TRAINING_COMPLETED'),
		event('AVAILABLE', 'job-2'),
	];
	await Promise.all(bodies.map(async (body) => await trigger.deliver({ body })));
	trigger.restart();
	for (const body of bodies) expect((await trigger.deliver({ body })).status).toBe(200);
	const started = trigger.executions.map(
		(json) => `${json.event as string} ${json.finetune_id as string}`,
	);
	expect(started.sort()).toEqual([
		'AVAILABLE job-1',
		'AVAILABLE job-2',
		'TRAINING_COMPLETED job-1',
	]);
});

test('only the last 500 deliveries that started the workflow are remembered, and none without a job', async () => {
	const trigger = await host();
	// JSON with another content type, and of exactly 64 kB.
	const full = JSON.stringify(event('AVAILABLE', 'full')).padEnd(64 * 1024);
	await trigger.deliver({ body: full, headers: TEXT });
	for (let at = 1; at < 510; at++) await trigger.deliver({ body: event('AVAILABLE', `job-${at}`) });
	await trigger.deliver({ body: event('TRAINING_COMPLETED', 'not chosen') });
	const { started } = trigger.storedStaticData;
	expect(started).toHaveLength(500);
	trigger.restart();
	await trigger.deliver({ body: event('AVAILABLE', 'job-509') });
	expect(trigger.executions).toHaveLength(510);
	for (let copy = 0; copy < 2; copy++) await trigger.deliver({ body: { event: 'AVAILABLE' } });
	expect(trigger.executions).toHaveLength(512);
	expect(trigger.storedStaticData.started).toEqual(started);
});
