/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Segmind Fine-Tune Trigger: the response to a delivery, and the executions that it starts. */
import { gzipSync } from 'node:zlib';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { Delivery } from '../../dev/engine/webhookHost';
import { ALL_EVENTS, event, useFineTuneTrigger } from '../helpers/fineTuneTrigger';
import { until } from '../helpers/until';

const { emulator, host, submitJob } = useFineTuneTrigger();
const RECEIVED = { received: true };

describe('with default fields', () => {
	test.each(['flat', 'nested', 'callback'] as const)(
		'a job starts the workflow once per event, with payload %s, also if deliveries are repeated, late and out of order',
		async (shape) => {
			const trigger = await host({ events: ALL_EVENTS });
			emulator.set({ webhooks: { shape, copies: 2, lateMs: 10, order: 'reversed' } });
			emulator.registerWebhook(trigger.url);
			const job = await submitJob(20);
			const endedDeliveries = () =>
				emulator.deliveries.filter(({ status }) => status !== undefined);
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

	test('the output contains the whole payload, apart from the fields of the node', async () => {
		const trigger = await host();
		const payload = {
			event: { status: 'available', id: 7, nested: [1, { a: null }] },
			error: 'x',
			finetune: 'x',
			confirmed: true,
			test: true,
		};
		await trigger.deliver({ body: payload });
		expect(trigger.executions).toEqual([{ event: 'AVAILABLE', finetune_id: '7', payload }]);
	});

	test('starts for the chosen events, and for others by name, in any spelling', async () => {
		const trigger = await host({ events: ['AVAILABLE'], otherEvents: 'FAILED, model.archived' });
		const names = ['TRAINING_COMPLETED', 'available', 'Failed', 'Model Archived', 'whatever'];
		for (const [at, name] of names.entries()) {
			const response = await trigger.deliver({ body: event(name, `job-${at}`) });
			expect(response).toMatchObject({ status: 200, json: RECEIVED });
		}
		const started = trigger.executions.map((json) => json.event);
		expect(started).toEqual(['AVAILABLE', 'FAILED', 'model.archived']);
	});

	test('a delivery without an event starts nothing, and one short log line says so', async () => {
		const trigger = await host({ events: ALL_EVENTS });
		const names = Array.from({ length: 100 }, (_unused, at) => `n${at}`.padEnd(at, 'x'));
		const more = Object.fromEntries(names.map((name) => [name, 1]));
		const body = { hello: 'world', 'a\nforged log line': 1, ...more };
		expect((await trigger.deliver({ body })).status).toBe(200);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toEqual([expect.stringMatching(/hello, a forged log line, n0, [^\n]*$/)]);
		expect(trigger.log[0].length).toBeLessThan(1_000);
	});

	test('the test URL emits every delivery, marked as a test', async () => {
		const trigger = await host(
			{ events: ['AVAILABLE'], confirmWithSegmind: true },
			{ hasCredential: false },
		);
		const sample = event('TRAINING_COMPLETED', 'sample');
		const bodies: IDataObject[] = [sample, sample, { sample: 1 }, {}, { error: 'x' }];
		for (const body of bodies)
			expect(await trigger.deliver({ body, test: true })).toMatchObject({
				status: 200,
				json: RECEIVED,
			});
		const fieldsOfSample = { event: 'TRAINING_COMPLETED', finetune_id: 'sample' };
		expect(trigger.executions).toEqual(
			bodies.map((payload) => ({ ...(payload === sample && fieldsOfSample), test: true, payload })),
		);
		expect(trigger.storedStaticData).toEqual({});
	});
});

describe('a delivery that is not an event is rejected', () => {
	test.each<[string, unknown, Record<string, string>, number]>([
		['a list', [], {}, 400],
		['text', '"AVAILABLE"', {}, 400],
		['nothing', '', {}, 400],
		[
			'a form',
			'event=AVAILABLE&id=1',
			{ 'content-type': 'application/x-www-form-urlencoded' },
			400,
		],
		['a form with files', '', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
		['XML', '<event>AVAILABLE</event>', { 'content-type': 'text/xml' }, 400],
		[
			'broken JSON with the content type of text',
			'{"event":',
			{ 'content-type': 'text/plain' },
			400,
		],
		['broken JSON (n8n itself)', '{"event":', {}, 422],
		['JSON nested 60 levels deep', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`, {}, 400],
		[
			'JSON nested 30,000 levels deep',
			`{"event":"AVAILABLE","a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
			{},
			400,
		],
		['64 kB and a byte', JSON.stringify(event('AVAILABLE')).padEnd(64 * 1024 + 1), {}, 413],
		[
			'more than 64 kB, compressed',
			gzipSync(JSON.stringify({ event: 'AVAILABLE', pad: 'x'.repeat(2 * 1024 * 1024) })),
			{ 'content-encoding': 'gzip' },
			413,
		],
	])('%s', async (_name, body, headers, status) => {
		const trigger = await host();
		const response = await trigger.deliver({ body, headers });
		expect(response.status).toBe(status);
		expect(response.json).toHaveProperty('message');
		expect(trigger.executions).toEqual([]);
	});

	test('JSON with another content type, and JSON of exactly 64 kB, start the workflow', async () => {
		const trigger = await host();
		const headers = { 'content-type': 'text/plain' };
		await trigger.deliver({ body: JSON.stringify(event('AVAILABLE')), headers });
		const full = JSON.stringify(event('AVAILABLE', 'job-2')).padEnd(64 * 1024);
		await trigger.deliver({ body: full });
		expect(trigger.executions).toHaveLength(2);
	});
});

describe('the secret', () => {
	const secret = 'correct horse';
	const QUERY = { query: '?secret=correct%20horse' };
	const HEADER = { headers: { 'x-webhook-secret': secret } };

	test.each<[string, INodeParameters, Delivery, number]>([
		['right, in the query', {}, QUERY, 200],
		['right, in the header', { secretIn: 'header' }, HEADER, 200],
		[
			'right, in a header of another name',
			{ secretIn: 'header', headerName: 'X-Mine' },
			{ headers: { 'x-mine': secret } },
			200,
		],
		['right, from an expression', { secret: '={{ "correct" + " horse" }}' }, QUERY, 200],
		['missing', {}, {}, 401],
		['missing, at the test URL', {}, { test: true }, 401],
		['wrong', {}, { query: '?secret=correct%20horsf' }, 401],
		['longer', {}, { query: '?secret=correct%20horse%20' }, 401],
		['twice', {}, { query: '?secret=correct%20horse&secret=correct%20horse' }, 401],
		['an object', {}, { query: '?secret[toString]=x' }, 401],
		['in the header instead of the query', {}, HEADER, 401],
		['in the query instead of the header', { secretIn: 'header' }, QUERY, 401],
		['in a header without a name', { secretIn: 'header', headerName: '' }, HEADER, 401],
		[
			'missing, although the delivery has other errors',
			{},
			{ body: 'x'.repeat(2 * 1024 * 1024), headers: { 'content-type': 'text/plain' } },
			401,
		],
		['missing, and the expression resolves to nothing', { secret: '={{ undefined }}' }, {}, 401],
		[
			'"undefined" in the query, and the expression resolves to nothing',
			{ secret: '={{ undefined }}' },
			{ query: '?secret=undefined' },
			401,
		],
	])('%s', async (_name, parameters, delivery, status) => {
		const trigger = await host({ secret, ...parameters });
		const response = await trigger.deliver({ body: event('AVAILABLE'), ...delivery });
		expect(response.status).toBe(status);
		expect(trigger.executions).toHaveLength(status === 200 ? 1 : 0);
		expect(JSON.stringify([trigger.executions, trigger.log, response.json])).not.toContain(secret);
	});

	test('rejects every delivery if its expression fails', async () => {
		const trigger = await host({ secret: '={{ $("Nowhere").first().json.x }}' });
		const response = await trigger.deliver({ body: event('AVAILABLE') });
		expect([401, 500]).toContain(response.status);
		expect(trigger.executions).toEqual([]);
	});
});

describe('repeated deliveries', () => {
	test('start one execution for each job and event, also after a restart', async () => {
		const trigger = await host({ events: ALL_EVENTS });
		const bodies: IDataObject[] = [
			event('AVAILABLE'),
			{ id: 'job-1', data: { status: 'available' } },
			event('TRAINING_COMPLETED'),
			event('AVAILABLE', 'job-2'),
		];
		for (const body of bodies) await trigger.deliver({ body });
		trigger.restart();
		for (const body of bodies) expect((await trigger.deliver({ body })).status).toBe(200);
		expect(trigger.executions.map((json) => [json.event, json.finetune_id])).toEqual([
			['AVAILABLE', 'job-1'],
			['TRAINING_COMPLETED', 'job-1'],
			['AVAILABLE', 'job-2'],
		]);
	});

	test('are recognized with bounded memory', async () => {
		const trigger = await host();
		for (let at = 0; at < 510; at++)
			await trigger.deliver({ body: event('AVAILABLE', `job-${at}`) });
		expect(trigger.storedStaticData.started).toHaveLength(500);
		trigger.restart();
		await trigger.deliver({ body: event('AVAILABLE', 'job-509') });
		expect(trigger.executions).toHaveLength(510);
	});

	test('cannot be distinguished without a job ID', async () => {
		const trigger = await host();
		for (const body of [
			{ event: 'AVAILABLE' },
			{ event: 'AVAILABLE', id: 'x'.repeat(201) },
			{ event: 'AVAILABLE', id: {} },
		])
			await trigger.deliver({ body });
		expect(trigger.executions).toHaveLength(3);
		expect(trigger.storedStaticData).toEqual({});
	});
});
