import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { EmulatorOptions } from '../../dev/emulator';
import { EACH_PROMPT, model, prompts, rows, submitting } from '../helpers/inference';
import { bytesOf } from '../helpers/runNode';
import { PollHost, type PollOptions } from '../helpers/triggers';
import { useVirtualEngine } from '../helpers/virtualEngine';

/** The emulator's time, to be set forth and back. */
let shift = 0;
const orders: EmulatorOptions = { clock: () => Date.now() + shift };
const { emulator, runNode, during } = useVirtualEngine(orders);

beforeEach(() => {
	shift = 0;
});

const HOUR = 3_600_000;

async function submit(
	count = 1,
	more: INodeParameters = {},
	options: IDataObject = {},
): Promise<INodeExecutionData[]> {
	const { items, error } = await runNode({
		parameters: submitting({ prompt: EACH_PROMPT, ...more }, options),
		items: prompts(count),
		// A gate of its own for each: a 429 meant for the poller must not hold it up.
		credentialId: `submitter${Math.random()}`,
	});
	if (error) throw error;
	return items;
}
const idsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.request_id);
const passed = async (ms: number) => await during(sleep(ms));
/** Nothing happens for this many days. */
const skip = (days: number) => jest.setSystemTime(Date.now() + days * 24 * HOUR);
const finished = async () => await passed(120);
let hosts = 0;

function host(parameters: INodeParameters, more: Partial<PollOptions> = {}): PollHost {
	return new PollHost({
		emulator: emulator.it,
		during,
		parameters,
		credentialId: `poller${++hosts}`,
		...more,
	});
}

const account = (more: INodeParameters = {}, options?: Partial<PollOptions>) =>
	host({ event: 'requestFinished', ...more }, options);
const listed = (requests: unknown, more: INodeParameters = {}, options?: Partial<PollOptions>) =>
	host(
		{ event: 'requestFinished', watch: 'requests', requests: requests as string, ...more },
		options,
	);

describe.each([false, true])('requests of the account (durable cursors: %s)', (durable) => {
	test('nothing for what was there, once for what finishes, also across restarts', async () => {
		await submit(2);
		await finished();
		const trigger = account({}, { durable });
		expect(await trigger.activate()).toEqual([]);
		const first = await submit(2);
		expect(await trigger.poll()).toBeUndefined();
		await finished();
		expect((await trigger.ids()).sort()).toEqual(idsOf(first).sort());
		expect(await trigger.poll()).toBeUndefined();
		emulator.it.set({ jobMs: 2_000 });
		const later = await submit(1);
		expect(await trigger.restart()).toEqual([]);
		await passed(2_100);
		expect(idsOf(await trigger.restart())).toEqual(idsOf(later));
		expect(await trigger.restart()).toEqual([]);
		expect(await trigger.poll()).toBeUndefined();
	});

	test('a long outage, and several pages', async () => {
		const trigger = account({}, { durable });
		await trigger.activate();
		const early = await submit(130);
		await finished();
		skip(15);
		const late = await submit(120);
		await finished();
		skip(10);
		const items = await trigger.restart();
		expect(await trigger.poll()).toBeUndefined();
		expect(idsOf(items)).toHaveLength(250);
		expect(new Set(idsOf(items))).toEqual(new Set(idsOf([...early, ...late])));
	});
});

test('one event a request, with all its files, and what the history has of it', async () => {
	const trigger = account();
	await trigger.activate();
	await submit(
		1,
		{ model: model('sdxl1.0-txt2img') },
		{ additionalParameters: rows({ name: 'samples', type: 'number', numberValue: 3 }) },
	);
	await finished();
	const [{ json, binary }, ...others] = (await trigger.poll()) ?? [];
	const [job] = emulator.it.jobs;
	expect(others).toEqual([]);
	expect(json).toMatchObject({
		request_id: job.requestId,
		status: 'COMPLETED',
		model: 'sdxl1.0-txt2img',
		url: job.files[0],
		urls: job.files,
		cost: job.cost,
		latency_ms: expect.any(Number),
		created_at: new Date(job.submittedAt).toISOString(),
		request_body: { prompt: 'prompt 0' },
	});
	expect(binary).toBeUndefined();
});

test('filters by state and by model; a failed one says why', async () => {
	emulator.it.set({ failJobs: [0, 1] });
	const failed = account({ states: ['FAILED'], model: model('nano-banana-pro') });
	await failed.activate();
	const [bad] = await submit(1);
	await submit(1, { model: model('nano-banana') });
	await submit(1);
	await finished();
	const items = (await failed.poll()) ?? [];
	expect(idsOf(items)).toEqual([bad.json.request_id]);
	expect(items[0].json).toMatchObject({
		status: 'FAILED',
		error_message: expect.stringMatching(/\w/),
	});
	expect(items[0].json).not.toHaveProperty('error');
	// The whole name counts, although the service takes a part for it.
	emulator.it.set({ failJobs: [] });
	const part = account({ model: model('nano') });
	await part.activate();
	await submit(1);
	await finished();
	expect(await part.poll()).toBeUndefined();
});

test('an outage of more than a month says that something may have been missed', async () => {
	const trigger = account();
	await trigger.activate();
	await submit(1);
	await finished();
	skip(50);
	await trigger.poll();
	expect(trigger.errors).toMatchObject([
		{ message: expect.stringMatching(/may have been missed/) },
	]);
	const items = await submit(1);
	await finished();
	expect(await trigger.ids()).toEqual(idsOf(items));
	expect(trigger.errors).toHaveLength(1);
});

test('emitExisting emits what finished before', async () => {
	const items = await submit(1);
	await finished();
	const trigger = account({ options: { emitExisting: true } });
	expect(idsOf(await trigger.activate())).toEqual(idsOf(items));
	expect(await trigger.restart()).toEqual([]);
});

test('a history that is not there: the error names the other way', async () => {
	emulator.it.set({ history: false });
	await expect(account().activate()).rejects.toMatchObject({
		message: expect.stringMatching(/no request history.*404/),
		description: expect.stringMatching(/Listed Requests/),
	});
});

test('transient faults are left to the next poll, lasting ones show, a bad key shows at once', async () => {
	const trigger = account({}, { budgetMs: 700 });
	await trigger.activate();
	const [item] = await submit(1);
	await finished();
	const fault = emulator.it.fault({ on: 'history', times: Infinity, do: { status: 503 } });
	for (let poll = 1; poll <= 4; poll++) expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toEqual([]);
	await trigger.poll();
	expect(trigger.errors).toMatchObject([
		{ message: expect.stringMatching(/503/), httpCode: '503' },
	]);
	await trigger.poll();
	expect(trigger.errors).toHaveLength(1);
	fault.remove();
	expect(await trigger.ids()).toEqual([item.json.request_id]);
	for (const transient of ['dropBeforeAccept', 'hang', { status: 429 }] as const) {
		emulator.it.fault({ on: 'history', times: Infinity, do: transient });
		expect(await trigger.poll()).toBeUndefined();
		emulator.it.clearFaults();
	}
	expect(trigger.errors).toHaveLength(1);
	// Of its own gate, which does not pause for the 429.
	const refused = account();
	await refused.activate();
	emulator.it.fault({
		on: 'history',
		times: Infinity,
		do: { status: 401, body: { error: 'Unauthorized' } },
	});
	await refused.poll();
	await refused.poll();
	expect(refused.errors).toMatchObject(
		[1, 2].map(() => ({
			httpCode: '401',
			message: expect.stringMatching(/API key was not accepted/) as unknown,
		})),
	);
});

test('a first poll that meets a fault does not activate, so that nothing is taken for known', async () => {
	emulator.it.fault({ on: 'history', times: Infinity, do: { status: 503 } });
	await expect(account({}, { budgetMs: 500 }).activate()).rejects.toMatchObject({
		message: expect.stringMatching(/503/),
	});
	// One that goes on from an earlier activation waits for the service.
	emulator.it.clearFaults();
	const trigger = account({}, { budgetMs: 500 });
	await trigger.activate();
	emulator.it.fault({ on: 'history', times: Infinity, do: { status: 503 } });
	expect(await trigger.restart()).toEqual([]);
});

test('a poll ends in its time, and two at once do not find the same', async () => {
	const trigger = account({}, { budgetMs: 1_200 });
	await trigger.activate();
	const items = await submit(1);
	await finished();
	emulator.it.fault({ on: 'history', do: { delayMs: 300 } });
	const [one, two] = await Promise.all([trigger.poll(), trigger.poll()]);
	expect([one, two].map((found) => idsOf(found ?? []))).toEqual([idsOf(items), []]);
	emulator.it.fault({ on: 'history', times: Infinity, do: 'hang' });
	const startedAt = Date.now();
	expect(await trigger.poll()).toBeUndefined();
	expect(Date.now() - startedAt).toBeLessThan(2_500);
});

test('a changed filter does not bring up what the old one left out', async () => {
	const trigger = account({ states: ['FAILED'] });
	await trigger.activate();
	await submit(1);
	await finished();
	expect(await trigger.poll()).toBeUndefined();
	expect(await trigger.restart({ states: ['COMPLETED', 'FAILED'] })).toEqual([]);
	const next = await submit(1);
	await finished();
	expect(await trigger.ids()).toEqual(idsOf(next));
});

/** Real time for a thousand requests on a machine that does much else, ms. */
const BUSY_MS = 180_000;

describe('listed requests', () => {
	test('each once, with result and file; finished ones cost no further call', async () => {
		const submitted = await submit(2);
		const [one, two] = submitted;
		emulator.it.set({ jobMs: 600 });
		const [slow] = await submit(1);
		const requests = JSON.stringify([one.json, two.json.response_url, slow.json.request_id]);
		await finished();
		const trigger = listed(requests, { options: { downloadOutput: true, outputField: 'image' } });
		const items = await trigger.activate();
		expect(idsOf(items)).toEqual([one.json.request_id, two.json.request_id]);
		expect(items[0].json).toMatchObject({
			status: 'COMPLETED',
			model: 'nano-banana-pro',
			url: expect.stringMatching(/^http/),
		});
		expect((await bytesOf(items[0], 'image')).toString('latin1', 1, 4)).toBe('PNG');
		await passed(600);
		const calls = emulator.it.calls.length;
		expect(await trigger.ids()).toEqual([slow.json.request_id]);
		expect(emulator.it.calls.slice(calls).map(({ kind }) => kind)).toEqual([
			'status',
			'result',
			'file',
		]);
		expect(await trigger.poll()).toBeUndefined();
		expect(await trigger.restart()).toEqual([]);
		expect(emulator.it.calls.slice(calls)).toHaveLength(3);
	});

	test('one 422 of a gateway at the only address is not FAILED', async () => {
		emulator.it.set({ workflowUrls: 'pollOnly', jobMs: 2_000 });
		const { json } = await runNode({
			node: 'segmindWorkflow',
			parameters: {
				operation: 'run',
				slug: 'product-photo',
				waitForCompletion: false,
				inputs: { values: [{ name: 'prompt', type: 'string', stringValue: 'a shoe' }] },
			},
		});
		const body = { error: 'Unprocessable' };
		emulator.it.fault({ on: ['poll', 'status'], do: { status: 422, body } });
		const trigger = listed([json[0]]);
		const first = await trigger.activate();
		await passed(2_500);
		const second = (await trigger.poll()) ?? [];
		expect([...first, ...second].map((item) => item.json.status)).toEqual(['COMPLETED']);
	});

	test('text, list, one object; the same request in several forms is one', async () => {
		const [one, two] = await submit(2);
		await finished();
		expect(
			await listed(
				`${String(one.json.request_id)}\n${String(two.json.status_url)}, ${String(one.json.poll_url)}`,
			).activate(),
		).toHaveLength(2);
		expect(await listed(one.json).activate()).toHaveLength(1);
		expect(await listed([one, two.json.request_id]).activate()).toHaveLength(2);
	});

	test('an entry that is none, or of another host, is refused at activation without a call', async () => {
		const [one] = await submit(1);
		const calls = emulator.it.calls.length;
		const hostile = `${emulator.it.urls.hostile}/v2/requests/x`;
		await expect(listed([one.json.request_id, hostile]).activate()).rejects.toMatchObject({
			message: expect.stringMatching(/an entry that cannot be read/),
			description: expect.stringMatching(/^Entry 2: .*not an origin/),
		});
		expect(emulator.it.calls).toHaveLength(calls);
	});

	test('a failed one, and a filter', async () => {
		emulator.it.set({ failJobs: [0] });
		const [bad, good] = await submit(2);
		await finished();
		const requests = [bad.json, good.json];
		const both = await listed(requests).activate();
		expect(both.map(({ json }) => json.status).sort()).toEqual(['COMPLETED', 'FAILED']);
		expect(both.find(({ json }) => json.status === 'FAILED')?.json).toMatchObject({
			error_message: expect.stringMatching(/\w/),
			model: 'nano-banana-pro',
		});
		expect(idsOf(await listed(requests, { states: ['FAILED'] }).activate())).toHaveLength(1);
	});

	test('expired: found in the history, or said to be expired, or left out', async () => {
		const [one] = await submit(1);
		await finished();
		emulator.it.set({ recordMs: 0 });
		const [item] = await listed([one.json]).activate();
		expect(item.json).toMatchObject({
			request_id: one.json.request_id,
			status: 'COMPLETED',
		});
		emulator.it.set({ history: false });
		const silent = listed([one.json]);
		expect(await silent.activate()).toEqual([]);
		expect(await silent.poll()).toBeUndefined();
		const told = listed([one.json], { options: { emitExpired: true } });
		expect(await told.activate()).toEqual([]);
		expect((await told.poll())?.map(({ json }) => json.status)).toEqual(['EXPIRED']);
		const calls = emulator.it.calls.length;
		await Promise.all([silent.poll(), told.poll()]);
		expect(emulator.it.calls).toHaveLength(calls);
	});

	test.each([false, true])(
		'one 404 is no proof that it has expired (restart: %p)',
		async (restart) => {
			const [one] = await submit(1);
			await finished();
			emulator.it.set({ history: false });
			const trigger = listed([one.json], { options: { emitExpired: true } });
			emulator.it.fault({ on: 'status', do: { status: 404 } });
			expect(await trigger.activate()).toEqual([]);
			const items = restart ? await trigger.restart() : await trigger.poll();
			expect(items?.map(({ json }) => json.status)).toEqual(['COMPLETED']);
		},
	);

	test('a text that has expired: the history knows no more than that it completed', async () => {
		const [one] = await submit(1, { model: model('gpt-5.5') });
		await finished();
		emulator.it.set({ recordMs: 0 });
		const trigger = listed([one.json]);
		expect((await trigger.activate())[0].json).toMatchObject({
			request_id: one.json.request_id,
			status: 'COMPLETED',
		});
		expect(await trigger.poll()).toBeUndefined();
	});

	test('one that this key may not read shows, and does not hold up the others', async () => {
		const [one, two] = await submit(2);
		await finished();
		emulator.it.fault({
			on: ({ path, kind }) => kind === 'status' && path.includes(String(one.json.request_id)),
			times: Infinity,
			do: { status: 403 },
		});
		const trigger = listed([one.json, two.json]);
		expect(idsOf(await trigger.activate())).toEqual([two.json.request_id]);
		await trigger.poll();
		expect(trigger.errors).toMatchObject([
			{ httpCode: '403', message: expect.stringContaining(String(one.json.request_id)) as unknown },
		]);
	});

	test('a history out of reach is no proof that a request has expired', async () => {
		const [one] = await submit(1);
		await finished();
		emulator.it.set({ recordMs: 0 });
		const trigger = listed([one.json], { options: { emitExpired: true } }, { budgetMs: 600 });
		emulator.it.fault({ on: 'history', times: Infinity, do: { status: 503 } });
		await trigger.activate().catch(() => undefined);
		emulator.it.clearFaults();
		expect((await trigger.activate()).map(({ json }) => json.status)).toEqual(['COMPLETED']);
	});

	test(
		'a thousand, in rotation, each checked as often as the others',
		async () => {
			emulator.it.set({ jobMs: 60_000 });
			emulator.it.set({ cost: 0 });
			const submitted = await submit(1_000);
			const trigger = listed(
				submitted.map(({ json }) => json),
				{},
				{ budgetMs: 400 },
			);
			// A look takes as long as through a network.
			emulator.it.fault({ on: 'status', times: Infinity, do: { delayMs: 20 } });
			await trigger.activate();
			for (let round = 0; round < 100 && emulator.it.callsOf('status').length < 1_500; round++)
				await trigger.poll();
			const checks = new Map<string, number>();
			for (const { requestId = '' } of emulator.it.callsOf('status'))
				checks.set(requestId, (checks.get(requestId) ?? 0) + 1);
			expect(checks.size).toBe(1_000);
			expect(Math.max(...checks.values()) - Math.min(...checks.values())).toBeLessThanOrEqual(1);
			expect(trigger.errors).toEqual([]);
		},
		BUSY_MS,
	);

	test(
		'keeps within the rate limit',
		async () => {
			const submitted = await submit(60);
			await finished();
			emulator.it.set({ rateLimit: { perMinute: 20, windowMs: 500 } });
			const trigger = listed(
				submitted.map(({ json }) => json),
				{},
				{ budgetMs: 3_000 },
			);
			const ids: unknown[] = idsOf(await trigger.activate());
			for (let round = 0; round < 40 && ids.length < 60; round++)
				ids.push(...(await trigger.ids()));
			expect(new Set(ids)).toEqual(new Set(idsOf(submitted)));
			expect(ids).toHaveLength(60);
			expect(trigger.errors).toEqual([]);
			expect(emulator.it.calls.filter(({ status }) => status === 429).length).toBeLessThan(60);
		},
		BUSY_MS,
	);

	test('files the time does not allow come with the next poll, each request once', async () => {
		const submitted = await submit(9);
		await finished();
		// Four are fetched at once.
		const fault = emulator.it.fault({ on: 'file', after: 2, times: Infinity, do: 'hang' });
		const trigger = listed(
			submitted.map(({ json }) => json),
			{ options: { downloadOutput: true } },
			{ budgetMs: 900 },
		);
		const items = await trigger.activate();
		expect(items.length).toBeGreaterThan(0);
		expect(items.length).toBeLessThan(9);
		fault.remove();
		for (let round = 0; round < 30 && items.length < 9; round++)
			items.push(...((await trigger.poll()) ?? []));
		expect(await trigger.poll()).toBeUndefined();
		expect(idsOf(items).sort()).toEqual(idsOf(submitted).sort());
	});

	test('one that breaks does not hold up the others', async () => {
		const [one, two] = await submit(2);
		await finished();
		emulator.it.fault({
			on: ({ path, kind }) => kind === 'status' && path.includes(String(one.json.request_id)),
			times: Infinity,
			do: { status: 500 },
		});
		const trigger = listed([one.json, two.json]);
		expect(idsOf(await trigger.activate())).toEqual([two.json.request_id]);
		emulator.it.clearFaults();
		expect(await trigger.ids()).toEqual([one.json.request_id]);
	});

	test('the list changes from poll to poll, and may be empty', async () => {
		const trigger = listed('');
		expect(await trigger.activate()).toEqual([]);
		const [one] = await submit(1);
		await finished();
		expect(idsOf(await trigger.reactivate({ requests: one.json as never }))).toEqual([
			one.json.request_id,
		]);
		expect(await trigger.reactivate({ requests: '' })).toEqual([]);
		expect(await trigger.reactivate({ requests: one.json as never })).toEqual([]);
	});

	test('a workflow run has its named outputs, although an id does not say what it is', async () => {
		const { items } = await runNode({
			emulator: emulator.it,
			node: 'segmindWorkflow',
			parameters: {
				operation: 'run',
				slug: 'plain-values',
				waitForCompletion: false,
				options: { requestBody: '{"prompt": "a fox"}' },
			},
		});
		await finished();
		const [item] = await listed([items[0].json.poll_url]).activate();
		expect(item.json).toMatchObject({ status: 'COMPLETED', outputs: expect.any(Object) });
	});
});

describe('fine-tune jobs', () => {
	const STEP = 10_000;
	const jobs = (more: INodeParameters = {}, options?: Partial<PollOptions>) =>
		host({ event: 'fineTuneStatusChanged', ...more }, options);

	async function train(name = 'sneakers'): Promise<unknown> {
		emulator.it.set({ fineTuneOpen: true, fineTuneStepMs: STEP });
		const { json } = await runNode({
			emulator: emulator.it,
			node: 'segmindFineTune',
			parameters: {
				operation: 'submit',
				name,
				dataSourcePath: 'https://example.com/x.zip',
				instancePrompt: 'TOK',
			},
		});
		return json[0].finetune_id;
	}

	test('each change once, in a baseline of what is there, across restarts', async () => {
		const id = await train();
		const trigger = jobs();
		expect(await trigger.activate()).toEqual([]);
		shift += STEP;
		const [change] = (await trigger.poll()) ?? [];
		expect(change.json).toMatchObject({
			finetune_id: id,
			name: 'sneakers',
			status: 'TRAINING_COMPLETED',
			previous_status: 'REQUESTED',
		});
		expect(await trigger.restart()).toEqual([]);
		shift += STEP;
		expect((await trigger.restart()).map(({ json }) => json.status)).toEqual(['INFERENCE_QUEUED']);
		const second = await train('boots');
		const more = (await trigger.poll()) ?? [];
		expect(more.map(({ json }) => [json.finetune_id, json.status, json.previous_status])).toEqual([
			[second, 'REQUESTED', null],
		]);
		expect(await trigger.restart()).toEqual([]);
	});

	test('the chosen statuses only, also when silent polls were forgotten; a failed job says why', async () => {
		emulator.it.set({ failFineTunes: [1] });
		const id = await train();
		const trigger = jobs({ statuses: ['AVAILABLE', 'FAILED'] });
		await trigger.activate();
		const bad = await train('broken');
		shift += STEP;
		const failed = (await trigger.poll()) ?? [];
		expect(failed.map(({ json }) => [json.finetune_id, json.status])).toEqual([[bad, 'FAILED']]);
		expect(failed[0].json.error_message).toMatch(/GPU/);
		shift += STEP;
		expect(await trigger.poll()).toBeUndefined();
		shift += STEP;
		expect((await trigger.restart()).map(({ json }) => [json.finetune_id, json.status])).toEqual([
			[id, 'AVAILABLE'],
		]);
		expect(await trigger.poll()).toBeUndefined();
	});

	test('emitExisting, and samples', async () => {
		await expect(jobs().sample()).rejects.toMatchObject({
			message: expect.stringMatching(/no fine-tune job/),
		});
		await train();
		expect(await jobs({ options: { emitExisting: true } }).activate()).toHaveLength(1);
		expect(
			(await jobs({ statuses: ['AVAILABLE'] }).sample()).map(({ json }) => json.status),
		).toEqual(['REQUESTED']);
	});
});

describe('credits', () => {
	const credits = (more: INodeParameters = {}) =>
		host({ event: 'creditsBelow', threshold: 5, ...more });
	const balance = (total: number) =>
		emulator.it.set({ balance: { credits: total, freeCredits: 0 } });

	test('once for each crossing, not every poll', async () => {
		balance(6);
		const trigger = credits();
		expect(await trigger.activate()).toEqual([]);
		balance(4);
		expect((await trigger.poll())?.map(({ json }) => json)).toEqual([
			{ credits: 4, 'free-credits': 0, total: 4, threshold: 5 },
		]);
		balance(3);
		expect(await trigger.poll()).toBeUndefined();
		balance(9);
		expect(await trigger.poll()).toBeUndefined();
		balance(4.9);
		expect(await trigger.poll()).toHaveLength(1);
		balance(5);
		expect(await trigger.poll()).toBeUndefined();
	});

	test('restarts: not again while it stays low, again when credits were added and used up', async () => {
		balance(6);
		const trigger = credits();
		await trigger.activate();
		balance(4);
		await trigger.poll();
		balance(3.5);
		expect(await trigger.restart()).toEqual([]);
		// It had risen, which no poll could save, and fell while n8n was down.
		balance(20);
		await trigger.poll();
		balance(4.5);
		expect(await trigger.restart()).toHaveLength(1);
		balance(20);
		expect(await trigger.restart()).toEqual([]);
		balance(1);
		expect(await trigger.poll()).toHaveLength(1);
	});

	test('low at activation starts nothing unless asked for; no record of credits shows at once', async () => {
		balance(1);
		expect(await credits().activate()).toEqual([]);
		expect(await credits({ options: { emitExisting: true } }).activate()).toHaveLength(1);
		expect(await credits().sample()).toHaveLength(1);
		emulator.it.set({ noCreditRecord: true });
		await expect(credits().activate()).rejects.toMatchObject({ httpCode: '404' });
		await expect(credits({ threshold: 'much' as never }).activate()).rejects.toMatchObject({
			message: expect.stringMatching(/Threshold is 'much'/),
		});
	});
});

describe('Fetch Test Event', () => {
	test('the latest finished request, or why there is none', async () => {
		await expect(account().sample()).rejects.toMatchObject({
			message: expect.stringMatching(/no finished request/),
		});
		await submit(2);
		const [last] = await submit(1);
		await finished();
		const trigger = account();
		expect(idsOf(await trigger.sample())).toEqual([last.json.request_id]);
		// It remembers nothing.
		expect(await trigger.activate()).toEqual([]);
	});

	test('what has finished of the listed requests, or why there is none', async () => {
		await expect(listed('').sample()).rejects.toMatchObject({
			message: expect.stringMatching(/list of requests is empty/),
		});
		emulator.it.set({ jobMs: 60_000 });
		const [one] = await submit(1);
		await expect(listed([one.json]).sample()).rejects.toMatchObject({
			message: expect.stringMatching(/None of the 1 listed requests.*is (QUEUED|PROCESSING)/),
		});
		shift = 120_000;
		const trigger = listed([one.json]);
		expect(idsOf(await trigger.sample())).toEqual([one.json.request_id]);
		expect(idsOf(await trigger.activate())).toEqual([one.json.request_id]);
	});
});

test('another event, or another account, starts over', async () => {
	await submit(1);
	await finished();
	emulator.it.set({ balance: { credits: 1, freeCredits: 0 } });
	const trigger = account();
	await trigger.activate();
	expect(await trigger.reactivate({ event: 'creditsBelow', threshold: 5 })).toEqual([]);
	expect(await trigger.reactivate({ event: 'requestFinished' })).toEqual([]);
	expect(trigger.stored).not.toMatch(/SG_/);
});

test.each([
	{ event: 'requestFinished', states: [{ toString: [] }] },
	{ event: 'requestFinished', states: { toString: [] } },
	{ event: { toString: [] } },
	{
		event: 'requestFinished',
		watch: 'requests',
		requests: 'x',
		options: { outputField: { toString: [] } },
	},
	{ event: 'fineTuneStatusChanged', statuses: [{ toString: [] }] },
])('parameters that cannot be made text, %j, give no raw error', async (parameters) => {
	const poller = host(parameters as unknown as INodeParameters);
	const thrown = await poller.activate().catch((error: unknown) => error);
	await poller.poll();
	for (const error of [thrown, ...poller.errors]) expect(error).not.toBeInstanceOf(TypeError);
});

test('jobs whose id or status has no end are not remembered', async () => {
	const jobs = [
		{ id: 'x'.repeat(5_000), status: 'AVAILABLE' },
		{ id: 'a', status: 'S'.repeat(5_000) },
		{ id: 'b', status: 'AVAILABLE' },
	];
	emulator.it.fault({ on: 'finetune', times: 'always', do: { body: jobs } });
	const poller = host({ event: 'fineTuneStatusChanged' });
	await poller.activate();
	expect(poller.stored).toContain('AVAILABLE');
	expect(poller.stored.length).toBeLessThan(1_000);
});
