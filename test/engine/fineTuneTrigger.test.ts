/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Segmind Fine-Tune Trigger behind a real HTTP server, against the emulator. */
import { gzipSync } from 'node:zlib';

import fc from 'fast-check';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { systemClock } from '../../nodes/shared/base/clock';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { closeConnections, hasDeliveryInExpressions } from '../../dev/engine/version';
import {
	webhookMethodContext,
	hostTrigger,
	type WebhookHost,
	type HostOptions,
} from '../helpers/triggers';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();

let hosted: WebhookHost[] = [];
async function host(
	parameters: INodeParameters = {},
	more: Partial<HostOptions> = {},
): Promise<WebhookHost> {
	const one = await hostTrigger({ emulator: emulator.it, parameters, ...more });
	hosted.push(one);
	return one;
}
afterEach(async () => {
	await Promise.all(hosted.map(async (one) => await one.idle()));
	for (const { thrown } of hosted) expect(thrown).toEqual([]);
	await Promise.all(hosted.map(async (one) => await one.close()));
	hosted = [];
	jest.restoreAllMocks();
});

const ALL = ['TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'];
const RECEIVED = { received: true };
const event = (name: string, job: string | undefined = 'job-1', more: IDataObject = {}) => ({
	event_type: name,
	finetune_id: job,
	...more,
});

/** A fine-tune job at the emulator; its id. */
async function submitJob(stepMs: number): Promise<string> {
	emulator.it.set({ fineTuneOpen: true, fineTuneStepMs: stepMs });
	return await submitFineTune(emulator.it, 'shoes');
}

/** A payload of this many members. */
function bodyOfNames(count: number): IDataObject {
	return Object.fromEntries(
		Array.from({ length: count }, (_unused, at) => [`n${at}`.padEnd(at, 'x'), at]),
	);
}

async function until(isTrue: () => boolean): Promise<void> {
	while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** Lets waits of our own code pass at once, in the clock it reads. */
function hurry(): () => number {
	let skipped = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + skipped);
	jest.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
		skipped += ms;
		await new Promise<void>((resolve) => setImmediate(resolve));
	});
	return () => skipped;
}

const details = () => emulator.it.calls.filter(({ path }) => path === '/finetune/request/details');

describe('what it starts with', () => {
	test.each(['flat', 'nested', 'callback'] as const)(
		'the life cycle of a job, payload %s',
		async (shape) => {
			const trigger = await host({ events: ALL });
			emulator.it.set({ webhooks: { shape } });
			emulator.it.registerWebhook(trigger.url);
			const job = await submitJob(80);
			await until(
				() => emulator.it.deliveries.filter(({ status }) => status !== undefined).length === 3,
			);
			await trigger.idle();
			expect(trigger.executions.map((json) => [json.event, json.finetune_id])).toEqual(
				ALL.map((name) => [name, job]),
			);
			expect(trigger.executions[0].trained_model_url).toMatch(/weights/);
			expect(trigger.executions[2].inference_api_url).toMatch(/\/v1\/shoes-/);
			for (const json of trigger.executions) expect(json).not.toHaveProperty('error');
			expect(emulator.it.deliveries.map(({ status }) => status)).toEqual([200, 200, 200]);
			expect(emulator.it.callsOf('finetune')).toHaveLength(1);
		},
	);

	test('all of the payload comes out, apart from what the node says', async () => {
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

	test('chosen events only, others by name, whatever the spelling', async () => {
		const trigger = await host({ events: ['AVAILABLE'], otherEvents: 'FAILED, model.archived' });
		for (const [index, name] of [
			'TRAINING_COMPLETED',
			'available',
			'Failed',
			'Model Archived',
			'REQUESTED',
			'whatever',
		].entries())
			expect(await trigger.deliver({ body: event(name, `job-${index}`) })).toMatchObject({
				status: 200,
				json: RECEIVED,
			});
		expect(trigger.executions.map((json) => json.event)).toEqual([
			'AVAILABLE',
			'FAILED',
			'model.archived',
		]);
	});

	test('nothing without an event word, and the log says so', async () => {
		const trigger = await host({ events: ALL });
		const body = { hello: 'world', 'a\nforged log line': 1, ...bodyOfNames(100) };
		expect((await trigger.deliver({ body })).status).toBe(200);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toEqual([
			expect.stringMatching(
				/^Segmind Fine-Tune Trigger 'Segmind': .*: hello, a forged log line, n0, [^\n]*$/,
			),
		]);
		expect(trigger.log[0].length).toBeLessThan(1_000);
	});

	test('the test URL shows whatever came, as a test, every time, and only there', async () => {
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
		const about = { event: 'TRAINING_COMPLETED', finetune_id: 'sample' };
		expect(trigger.executions).toEqual(
			bodies.map((payload) => ({ ...(payload === sample && about), test: true, payload })),
		);
		expect(trigger.stored).toEqual({});
	});

	test("the console's test button, at the production URL, starts nothing when the event is to be confirmed", async () => {
		const trigger = await host({ events: ALL, confirmWithSegmind: true });
		emulator.it.registerWebhook(trigger.url);
		emulator.it.testWebhook();
		await until(() => trigger.log.length > 0);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log[0]).toMatch(
			/was not confirmed and started nothing: Segmind answered HTTP 404/,
		);
	});
});

describe('answers', () => {
	test.each<[string, unknown, Record<string, string>, number]>([
		['a list', [], {}, 400],
		['a list of objects', [{ event: 'AVAILABLE' }], {}, 400],
		['text', '"AVAILABLE"', {}, 400],
		['null', 'null', {}, 400],
		['a number', '5', {}, 400],
		['nothing', '', {}, 400],
		[
			'a form',
			'event=AVAILABLE&id=1',
			{ 'content-type': 'application/x-www-form-urlencoded' },
			400,
		],
		['a form with files', '', { 'content-type': 'multipart/form-data; boundary=x' }, 400],
		['XML', '<event>AVAILABLE</event>', { 'content-type': 'text/xml' }, 400],
		['broken JSON that calls itself text', '{"event":', { 'content-type': 'text/plain' }, 400],
		['broken JSON (n8n itself)', '{"event":', {}, 422],
		['an abyss', `${'{"a":'.repeat(60)}1${'}'.repeat(60)}`, {}, 400],
		[
			'an endless abyss',
			`{"event":"AVAILABLE","a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
			{},
			400,
		],
		['64 kB and a byte', JSON.stringify(event('AVAILABLE')).padEnd(64 * 1024 + 1), {}, 413],
		[
			'more, compressed',
			gzipSync(JSON.stringify({ event: 'AVAILABLE', pad: 'x'.repeat(2 * 1024 * 1024) })),
			{ 'content-encoding': 'gzip' },
			413,
		],
	])('%s', async (_name, body, headers, status) => {
		const trigger = await host();
		const answer = await trigger.deliver({ body, headers });
		expect(answer.status).toBe(status);
		expect(answer.json).toHaveProperty('message');
		expect(trigger.executions).toEqual([]);
	});

	test('JSON of another content type, and 64 kB to the byte', async () => {
		const trigger = await host();
		expect(
			(
				await trigger.deliver({
					body: JSON.stringify(event('AVAILABLE')),
					headers: { 'content-type': 'text/plain' },
				})
			).status,
		).toBe(200);
		expect(
			(
				await trigger.deliver({
					body: JSON.stringify(event('AVAILABLE', 'job-2')).padEnd(64 * 1024),
				})
			).status,
		).toBe(200);
		expect(trigger.executions).toHaveLength(2);
	});

	test('only POST is served', async () => {
		const trigger = await host();
		expect((await trigger.deliver({ method: 'GET' })).status).toBe(404);
	});
});

describe('the secret', () => {
	const secret = 'correct horse';
	test.each<
		[
			string,
			INodeParameters,
			{ query?: string; headers?: Record<string, string>; test?: boolean },
			number,
		]
	>([
		['right, in the query', {}, { query: '?secret=correct%20horse' }, 200],
		[
			'right, in the header',
			{ secretIn: 'header' },
			{ headers: { 'x-webhook-secret': secret } },
			200,
		],
		[
			'right, in a header of another name',
			{ secretIn: 'header', headerName: 'X-Mine' },
			{ headers: { 'x-mine': secret } },
			200,
		],
		['missing', {}, {}, 401],
		['missing, at the test URL', {}, { test: true }, 401],
		['wrong', {}, { query: '?secret=correct%20horsf' }, 401],
		['empty', {}, { query: '?secret=' }, 401],
		['longer', {}, { query: '?secret=correct%20horse%20' }, 401],
		['twice', {}, { query: '?secret=correct%20horse&secret=correct%20horse' }, 401],
		['an object', {}, { query: '?secret[toString]=x' }, 401],
		['in the header instead of the query', {}, { headers: { 'x-webhook-secret': secret } }, 401],
		[
			'in the query instead of the header',
			{ secretIn: 'header' },
			{ query: '?secret=correct%20horse' },
			401,
		],
		[
			'in a header without a name',
			{ secretIn: 'header', headerName: '' },
			{ headers: { 'x-webhook-secret': secret } },
			401,
		],
	])('%s', async (_name, parameters, delivery, status) => {
		const trigger = await host({ secret, ...parameters });
		const answer = await trigger.deliver({ body: event('AVAILABLE'), ...delivery });
		expect(answer.status).toBe(status);
		expect(trigger.executions).toHaveLength(status === 200 ? 1 : 0);
		expect(JSON.stringify([trigger.executions, trigger.log, answer.json])).not.toContain(secret);
	});

	test('comes before everything else that could be reported', async () => {
		const trigger = await host({ secret });
		for (const body of ['[]', 'x'.repeat(2 * 1024 * 1024)])
			expect(
				(await trigger.deliver({ body, headers: { 'content-type': 'text/plain' } })).status,
			).toBe(401);
	});

	test('from an expression; one that gives nothing lets nobody in', async () => {
		const good = await host({ secret: '={{ "correct" + " horse" }}' });
		expect(
			(await good.deliver({ body: event('AVAILABLE'), query: '?secret=correct%20horse' })).status,
		).toBe(200);
		const empty = await host({ secret: '={{ undefined }}' });
		for (const query of ['', '?secret=', '?secret=undefined'])
			expect((await empty.deliver({ body: event('AVAILABLE'), query })).status).toBe(401);
		expect(empty.executions).toEqual([]);
		expect(empty.log[0]).toContain('every delivery is refused');
	});

	test('an expression that fails is answered, and lets nobody in', async () => {
		const trigger = await host({ secret: '={{ $("Nowhere").first().json.x }}' });
		const answer = await trigger.deliver({ body: event('AVAILABLE') });
		expect([401, 500]).toContain(answer.status);
		expect(trigger.executions).toEqual([]);
	});
});

describe('deliveries that come more than once', () => {
	test('start one execution for each job and event', async () => {
		const trigger = await host({ events: ALL });
		for (const body of [
			event('AVAILABLE'),
			{ id: 'job-1', data: { status: 'available' } },
			event('TRAINING_COMPLETED'),
			event('AVAILABLE', 'job-2'),
			event('AVAILABLE'),
		])
			expect((await trigger.deliver({ body })).status).toBe(200);
		expect(trigger.executions.map((json) => [json.event, json.finetune_id])).toEqual([
			['AVAILABLE', 'job-1'],
			['TRAINING_COMPLETED', 'job-1'],
			['AVAILABLE', 'job-2'],
		]);
	});

	test.each([false, true])(
		'three at the same moment (confirmed: %p)',
		async (confirmWithSegmind) => {
			const trigger = await host({ confirmWithSegmind });
			const job = await submitJob(0);
			emulator.it.fault({ on: 'finetune', do: { delayMs: 500 } });
			const deliver = async () => await trigger.deliver({ body: event('AVAILABLE', job) });
			const answers = await Promise.all([deliver(), deliver(), deliver()]);
			// Nobody knows yet whether the first will be confirmed.
			expect(answers.map(({ status }) => status).sort()).toEqual(
				confirmWithSegmind ? [200, 503, 503] : [200, 200, 200],
			);
			expect((await deliver()).status).toBe(200);
			expect(trigger.executions).toHaveLength(1);
			expect(details()).toHaveLength(confirmWithSegmind ? 1 : 0);
		},
	);

	test('are known after a restart, in bounded memory', async () => {
		const trigger = await host();
		await trigger.deliver({ body: event('AVAILABLE', 'old') });
		trigger.restart();
		await trigger.deliver({ body: event('AVAILABLE', 'old') });
		expect(trigger.executions).toHaveLength(1);
		for (let index = 0; index < 520; index++)
			await trigger.deliver({ body: event('AVAILABLE', `job-${index}`) });
		expect(trigger.stored.started).toHaveLength(500);
		trigger.restart();
		await trigger.deliver({ body: event('AVAILABLE', 'job-519') });
		expect(trigger.executions).toHaveLength(521);
	});

	test('what came while another waited for its confirmation is not forgotten', async () => {
		const trigger = await host({ events: ALL, confirmWithSegmind: true });
		const job = await submitJob(0);
		emulator.it.fault({ on: 'finetune', do: { delayMs: 800 } });
		const first = trigger.deliver({ body: event('AVAILABLE', job) });
		await until(() => details().length === 1);
		await trigger.deliver({ body: event('TRAINING_COMPLETED', job) });
		await first;
		expect(trigger.executions.map((json) => json.event)).toEqual([
			'TRAINING_COMPLETED',
			'AVAILABLE',
		]);
		trigger.restart();
		for (const name of ALL) await trigger.deliver({ body: event(name, job) });
		await trigger.idle();
		expect(trigger.executions.map((json) => json.event)).toEqual([
			'TRAINING_COMPLETED',
			'AVAILABLE',
			'INFERENCE_QUEUED',
		]);
	});

	test('cannot be told apart without a job id', async () => {
		const trigger = await host();
		for (const body of [
			{ event: 'AVAILABLE' },
			{ event: 'AVAILABLE', id: 'x'.repeat(201) },
			{ event: 'AVAILABLE', id: {} },
		])
			await trigger.deliver({ body });
		expect(trigger.executions).toHaveLength(3);
		expect(trigger.stored).toEqual({});
	});
});

describe('Confirm With Segmind', () => {
	const confirming = async (more: Partial<HostOptions> = {}, events = ALL) =>
		await host({ events, confirmWithSegmind: true }, more);

	test('equal to the status, and before it', async () => {
		const trigger = await confirming();
		const job = await submitJob(0);
		for (const name of ALL)
			await trigger.deliver({
				body: event(name, job, { inference_api_url: 'https://forged.example' }),
			});
		await trigger.idle();
		expect(trigger.executions.map((json) => json.event).sort()).toEqual([...ALL].sort());
		expect(trigger.executions[0]).toMatchObject({
			confirmed: true,
			finetune: { id: job, status: 'AVAILABLE', name: 'shoes' },
		});
		const [call] = details();
		expect(call).toMatchObject({ method: 'GET', body: { request_id: job }, status: 200 });
		expect(call.headers['x-api-key']).toBe(emulator.it.key);
	});

	test('a status that lies before the event starts nothing, and the same delivery counts when it comes again', async () => {
		const trigger = await confirming();
		const job = await submitJob(3_600_000);
		const answer = await trigger.deliver({ body: event('AVAILABLE', job) });
		expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
		expect(trigger.executions).toEqual([]);
		expect(trigger.stored).toEqual({});
		expect(details()).toHaveLength(1);
		expect(trigger.log).toEqual([
			`Segmind Fine-Tune Trigger 'Segmind': AVAILABLE of fine-tune ${job} was not confirmed and started nothing: the job's status is REQUESTED`,
		]);
		emulator.it.fault({
			on: 'finetune',
			do: { body: { finetune: { id: job, status: 'AVAILABLE' } } },
		});
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
		expect(trigger.executions).toMatchObject([{ event: 'AVAILABLE', confirmed: true }]);
		expect(details()).toHaveLength(2);
	});

	test('other names must be equal', async () => {
		emulator.it.set({ failFineTunes: 'all' });
		const trigger = await host({ otherEvents: 'FAILED, STOPPED', confirmWithSegmind: true });
		const job = await submitJob(0);
		for (const name of ['FAILED', 'STOPPED', 'AVAILABLE'])
			await trigger.deliver({ body: event(name, job) });
		await trigger.idle();
		expect(trigger.executions).toMatchObject([
			{ event: 'FAILED', finetune: { error_message: expect.stringContaining('GPU') } },
		]);
	});

	test('a forged job, no job, and a key that is refused start nothing at once', async () => {
		const trigger = await confirming();
		await trigger.deliver({ body: event('AVAILABLE', 'c0ffee\n[info] all is well') });
		await trigger.deliver({ body: { event: 'AVAILABLE' } });
		const other = await confirming({ credential: { apiKey: 'SG_ffffffffffffffff' } });
		await other.deliver({ body: event('AVAILABLE', await submitJob(0)) });
		await Promise.all([trigger.idle(), other.idle()]);
		expect([...trigger.executions, ...other.executions]).toEqual([]);
		expect(
			details()
				.map(({ status }) => status)
				.sort(),
		).toEqual([401, 404]);
		const lines = [...new Set([...trigger.log, ...other.log])];
		expect(lines).toHaveLength(3);
		for (const line of lines) expect(line).not.toMatch(/\n|SG_/);
	});

	test('an answer about another job confirms nothing', async () => {
		const trigger = await confirming();
		const [job, other] = [await submitJob(0), await submitJob(0)];
		for (const body of [
			{ finetune: { id: other, finetune_id: other, status: 'AVAILABLE' } },
			{ finetune: { status: 'AVAILABLE' } },
			{ status: 'AVAILABLE', id: other },
		]) {
			emulator.it.clearFaults();
			emulator.it.fault({ on: 'finetune', times: 'always', do: { body } });
			await trigger.deliver({ body: event('AVAILABLE', job) });
			await trigger.idle();
		}
		expect(trigger.executions).toEqual([]);
		expect(trigger.log.join()).toContain("Segmind's answer is not about this job");
	});

	test('what the job says goes before the delivery', async () => {
		const trigger = await confirming();
		const job = await submitJob(0);
		const payload = event('AVAILABLE', job, {
			slug: 'forged',
			inference_api_url: 'https://forged.example',
			trained_model_url: 'https://forged.example/w',
			finetune: { slug: 'forged' },
		});
		await trigger.deliver({ body: payload });
		const [{ finetune, inference_api_url: address, ...rest }] = trigger.executions;
		expect(rest).toMatchObject({ event: 'AVAILABLE', finetune_id: job, confirmed: true, payload });
		expect(finetune).toMatchObject({ id: job, name: 'shoes' });
		expect(address).toBe((finetune as IDataObject).inference_api_url);
		expect(rest.trained_model_url).toBe((finetune as IDataObject).trained_model_url);
	});

	test.each<[string, FaultAction]>([
		['a connection that breaks', 'dropBeforeAccept'],
		['a gateway', { status: 502, body: '<html>Bad gateway</html>' }],
		['a rate limit', { status: 429, body: { error: 'rate limit' } }],
		['no JSON', { body: '<html>Maintenance</html>' }],
		['no status', { body: { finetune: {} } }],
		['silence', 'hang'],
	])('%s: one call, and the delivery counts when it comes again', async (_name, action) => {
		const passed = hurry();
		const trigger = await confirming();
		const job = await submitJob(0);
		emulator.it.fault({ on: 'finetune', do: action });
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(503);
		expect(passed()).toBeLessThan(11_000);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toHaveLength(1);
		expect(details()).toHaveLength(1);
		expect(trigger.stored).toEqual({});
	});

	test('an API out of reach', async () => {
		const trigger = await confirming();
		const job = await submitJob(0);
		closeConnections();
		await emulator.it.refuse('api');
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(503);
		expect(trigger.log).toEqual([expect.stringMatching(/the connection was refused/)]);
		await emulator.it.listen('api');
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
		expect(trigger.executions).toHaveLength(1);
	});

	test('twenty wait at most, whatever node they are for', async () => {
		const triggers = [await confirming(), await confirming(), await confirming()];
		emulator.it.fault({ on: 'finetune', times: 'always', do: { delayMs: 1_500 } });
		const answers = await Promise.all(
			triggers.flatMap((trigger) =>
				Array.from(
					{ length: 10 },
					async (_unused, at) => await trigger.deliver({ body: event('AVAILABLE', `job-${at}`) }),
				),
			),
		);
		expect(answers.filter(({ status }) => status === 503)).toHaveLength(10);
		expect(details()).toHaveLength(20);
	});

	test('six hundred forgeries cost ten calls a minute and a few lines', async () => {
		const trigger = await confirming();
		const statuses = new Set<number>();
		for (let sent = 0; sent < 600; sent++)
			statuses.add((await trigger.deliver({ body: event('AVAILABLE', `forged-${sent}`) })).status);
		expect([...statuses].sort()).toEqual([200, 503]);
		expect(trigger.executions).toEqual([]);
		expect(details().length).toBeLessThanOrEqual(20);
		expect(trigger.log.length).toBeLessThanOrEqual(60);
		expect(trigger.log[29]).toContain('further lines are left out for a minute');
		const passed = Date.now() + 60_000;
		jest.spyOn(systemClock, 'now').mockImplementation(() => passed);
		const job = await submitJob(0);
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
		expect(trigger.executions).toMatchObject([{ finetune_id: job, confirmed: true }]);
	});

	test('no credential: 500 when it is needed, and only then', async () => {
		const needing = await confirming({ hasCredential: false });
		expect((await needing.deliver({ body: event('AVAILABLE') })).status).toBe(500);
		expect((await needing.deliver({ body: event('REQUESTED') })).status).toBe(200);
		const nowhere = await confirming({ credential: { baseUrl: 'nowhere' } });
		expect((await nowhere.deliver({ body: event('AVAILABLE') })).status).toBe(500);
		const plain = await host({}, { hasCredential: false });
		expect((await plain.deliver({ body: event('AVAILABLE') })).status).toBe(200);
		expect([needing, nowhere, plain].map(({ executions }) => executions.length)).toEqual([0, 0, 1]);
		expect(emulator.it.calls).toEqual([]);
	});

	test('the key goes nowhere: not along a redirect, into no log and no item', async () => {
		const trigger = await confirming();
		const job = await submitJob(0);
		emulator.it.fault({ on: 'finetune', do: { redirect: `${emulator.it.urls.hostile}/steal` } });
		await trigger.deliver({ body: event('AVAILABLE', job) });
		await trigger.idle();
		emulator.it.fault({
			on: 'finetune',
			do: { status: 403, body: { error: `key ${emulator.it.key} may not` } },
		});
		await trigger.deliver({ body: event('TRAINING_COMPLETED', job) });
		await trigger.idle();
		await trigger.deliver({ body: event('INFERENCE_QUEUED', job) });
		await trigger.idle();
		expect(trigger.executions).toHaveLength(1);
		expect(trigger.log).toHaveLength(2);
		expect(JSON.stringify([trigger.log, trigger.executions, trigger.stored])).not.toContain(
			emulator.it.key,
		);
		expect(emulator.it.callsOf('hostile')).toEqual([]);
	});
});

test('doubled, late, out of order and forged: each event of the job once', async () => {
	const trigger = await host({ events: ALL, confirmWithSegmind: true, secret: 's3cret' });
	emulator.it.set({
		webhooks: { copies: 3, lateMs: 30, order: 'reversed', forged: true, shape: 'nested' },
	});
	emulator.it.registerWebhook(`${trigger.url}?secret=s3cret`);
	const job = await submitJob(300);
	await until(
		() => emulator.it.deliveries.filter(({ status }) => status !== undefined).length === 11,
	);
	await trigger.idle();
	expect(trigger.executions.map((json) => json.event).sort()).toEqual([...ALL].sort());
	for (const json of trigger.executions)
		expect(json).toMatchObject({
			finetune_id: job,
			confirmed: true,
			finetune: { status: 'AVAILABLE' },
		});
	// Of three that come together two are sent away while the first is being confirmed.
	for (const { status } of emulator.it.deliveries) expect([200, 503]).toContain(status);
});

test('any body and any setting: an answer, never a throw', async () => {
	const trigger = await host({
		events: ALL,
		otherEvents: hasDeliveryInExpressions ? '={{ $json.body }}' : '={{ [{ a: 1 }, null] }}',
	});
	const keys = fc.constantFrom(
		'event',
		'event_type',
		'type',
		'status',
		'id',
		'finetune_id',
		'request_id',
		'test',
		'error',
		'data',
		'__proto__',
		'constructor',
		'toString',
		'trained_model_url',
	);
	const words = fc.constantFrom<unknown>(
		'AVAILABLE',
		'training.completed',
		'',
		' ',
		'x'.repeat(300),
		'\ud800',
		true,
		null,
		0,
		-1e308,
	);
	const { tree } = fc.letrec((tie) => ({
		tree: fc.oneof(
			{ maxDepth: 4 },
			words,
			fc.jsonValue({ maxDepth: 2 }),
			fc.array(tie('tree'), { maxLength: 3 }),
			fc.dictionary(keys, tie('tree'), { maxKeys: 6 }),
		),
	}));
	await fc.assert(
		fc.asyncProperty(tree, fc.boolean(), async (body, test) => {
			const answer = await trigger.deliver({ body: JSON.stringify(body) ?? '', test });
			const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
			expect(answer.status).toBe(isObject ? 200 : 400);
		}),
		{ numRuns: 300 },
	);
	await trigger.idle();
	for (const json of trigger.executions) {
		expect(json).not.toHaveProperty('error');
		expect(Object.getPrototypeOf(json)).toBe(Object.prototype);
		expect(json.test === true || typeof json.event === 'string').toBe(true);
	}
	expect(trigger.thrown).toEqual([]);
});

test("activating and deactivating call nobody, and the address is n8n's own", async () => {
	const context = webhookMethodContext({ emulator: emulator.it }, false);
	const { SegmindFineTuneTrigger } = await import(
		'../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node'
	);
	const methods = new SegmindFineTuneTrigger().webhookMethods.default;
	expect([await methods.checkExists(), await methods.create(), await methods.delete()]).toEqual([
		true,
		true,
		true,
	]);
	expect(context.getNodeWebhookUrl('default')).toMatch(
		/^http:\/\/localhost\/webhook\/.*abc\/webhook$/,
	);
	expect(emulator.it.calls).toEqual([]);
});
