/** Segmind Trigger: requests of the account, and the behavior of all events. */

import type { FaultAction } from '../../../dev/emulator';
import { idsOf, model, numberRow, rows } from '../../helpers/inference';
import { usePolling } from '../../helpers/polling';
import type { PollHost } from '../../helpers/triggers';

const polling = usePolling();
const { emulator, watchAccount, submit, submitMany, pass, skip, waitForJobs } = polling;
const DAY_MS = 24 * 3_600_000;
const failHistory = (action: FaultAction) =>
	emulator.fault({ on: 'history', times: 'always', do: action });

describe.each([false, true])('requests of the account (durable cursors: %s)', (savesEveryPoll) => {
	test('emits nothing that existed before, and each request that finishes once, also across restarts', async () => {
		await submit(2);
		await waitForJobs();
		const trigger = watchAccount({}, { savesEveryPoll });
		expect(await trigger.activate()).toEqual([]);
		const first = await submit(2);
		expect(await trigger.poll()).toBeUndefined();
		await waitForJobs();
		expect((await trigger.pollIds()).sort()).toEqual(idsOf(first).sort());
		expect(await trigger.poll()).toBeUndefined();
		emulator.set({ jobMs: 2_000 });
		const later = await submit(1);
		expect(await trigger.restart()).toEqual([]);
		await pass(2_100);
		expect(idsOf(await trigger.restart())).toEqual(idsOf(later));
		expect(await trigger.restart()).toEqual([]);
		expect(await trigger.poll()).toBeUndefined();
	});

	test('emits every request after an outage of 25 days, over several pages', async () => {
		const trigger = watchAccount({}, { savesEveryPoll });
		await trigger.activate();
		const early = submitMany(130);
		await waitForJobs();
		skip(15 * DAY_MS);
		const late = submitMany(120);
		await waitForJobs();
		skip(10 * DAY_MS);
		const items = await trigger.restart();
		expect(await trigger.poll()).toBeUndefined();
		expect(idsOf(items)).toHaveLength(250);
		expect(new Set(idsOf(items))).toEqual(new Set([...early, ...late]));
	});
});

test.each([403, 404])("a proxy's page with %i isn't shown until it stays", async (status) => {
	const trigger = watchAccount();
	await trigger.activate();
	failHistory({ status, body: '<html>a proxy</html>' });
	for (let polls = 0; polls < 4; polls++) expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toEqual([]);
	await trigger.poll();
	expect(trigger.errors).toHaveLength(1);
});

test('Model accepts what a row may have: the slug or the title', async () => {
	const trigger = watchAccount({ model: model('nano-banana-pro') });
	await trigger.activate();
	const [{ json }] = await submit(1);
	await submit(1, { model: model('sdxl1.0-txt2img') });
	const title = (row: Record<string, unknown>) =>
		row.model_name === 'nano-banana-pro' ? { ...row, model_name: 'Nano Banana Pro' } : row;
	emulator.set({ historyRow: title, historyModelFilter: 'ignored' });
	await waitForJobs();
	expect(await trigger.pollIds()).toEqual([json.request_id]);
});

test('emits one item per request, with all its files and the fields of the history', async () => {
	const trigger = watchAccount();
	await trigger.activate();
	const additionalParameters = rows(numberRow('samples', 3));
	await submit(1, { model: model('sdxl1.0-txt2img') }, { additionalParameters });
	await waitForJobs();
	const [{ json, binary }, ...others] = (await trigger.poll()) ?? [];
	const [job] = emulator.jobs;
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

test('filters by status and by model; a failed request has its reason', async () => {
	emulator.set({ failJobs: [0, 1] });
	const failed = watchAccount({ states: ['FAILED'], model: model('nano-banana-pro') });
	await failed.activate();
	const [bad] = await submit(1);
	await submit(1, { model: model('nano-banana') });
	await submit(1);
	await waitForJobs();
	const items = (await failed.poll()) ?? [];
	expect(idsOf(items)).toEqual([bad.json.request_id]);
	const error_message = expect.stringMatching(/\w/);
	expect(items[0].json).toMatchObject({ status: 'FAILED', error_message });
	expect(items[0].json).not.toHaveProperty('error');
	// The filter compares whole names, although the service accepts a part.
	emulator.set({ failJobs: [] });
	const part = watchAccount({ model: model('nano') });
	await part.activate();
	await submit(1);
	await waitForJobs();
	expect(await part.poll()).toBeUndefined();
});

test('after an outage of more than a month, an error says that requests may have been missed', async () => {
	const trigger = watchAccount();
	await trigger.activate();
	await submit(1);
	await waitForJobs();
	skip(50 * DAY_MS);
	await trigger.poll();
	expect(trigger.errors).toHaveLength(1);
	const items = await submit(1);
	await waitForJobs();
	expect(await trigger.pollIds()).toEqual(idsOf(items));
	expect(trigger.errors).toHaveLength(1);
});

test('if there is more than one poll reads, emits the newest, says that some may be missed, and emits nothing twice', async () => {
	const trigger = watchAccount();
	await trigger.activate();
	const ids = Array.from({ length: 80 }, (_unused, at) => {
		const submittedAt = Date.now() + at;
		return emulator.submitElsewhere({ slug: 'nano-banana', input: {}, submittedAt, durationMs: 1 });
	});
	await waitForJobs();
	emulator.set({ historyPageRows: 2 });
	const emitted = await trigger.pollIds();
	// The oldest request that was read isn't emitted, because the next page may have more of its files.
	expect(emitted).toEqual(ids.slice(-59));
	expect(await trigger.poll()).toBeUndefined();
	expect(await trigger.restart()).toEqual([]);
});

test('without a history, the workflow is not activated', async () => {
	emulator.set({ history: false });
	await expect(watchAccount().activate()).rejects.toMatchObject({ httpCode: '404' });
});

test('the next poll retries after transient faults; lasting ones fail, and a bad key fails at once', async () => {
	const trigger = watchAccount({}, { budgetMs: 700 });
	await trigger.activate();
	const [item] = await submit(1);
	await waitForJobs();
	const fault = failHistory({ status: 503 });
	for (let poll = 1; poll <= 4; poll++) expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toEqual([]);
	await trigger.poll();
	await trigger.poll();
	expect(trigger.errors).toMatchObject([{ httpCode: '503' }]);
	fault.remove();
	expect(await trigger.pollIds()).toEqual([item.json.request_id]);
	// A new host has its own rate limiter, which the earlier faults don't pause.
	const rejected = watchAccount();
	await rejected.activate();
	failHistory({ status: 401, body: { error: 'Unauthorized' } });
	await rejected.poll();
	await rejected.poll();
	expect(rejected.errors).toMatchObject([{ httpCode: '401' }, { httpCode: '401' }]);
});

test('a first poll that fails prevents activation, so nothing counts as already known', async () => {
	failHistory({ status: 503 });
	await expect(watchAccount({}, { budgetMs: 500 }).activate()).rejects.toThrow();
	// A trigger that was active before waits for the service.
	emulator.clearFaults();
	const trigger = watchAccount({}, { budgetMs: 500 });
	await trigger.activate();
	failHistory({ status: 503 });
	expect(await trigger.restart()).toEqual([]);
});

test('a poll ends in time, and two concurrent polls do not emit the same event', async () => {
	const trigger = watchAccount({}, { budgetMs: 1_200 });
	await trigger.activate();
	const items = await submit(1);
	await waitForJobs();
	emulator.fault({ on: 'history', do: { delayMs: 300 } });
	const [one, two] = await Promise.all([trigger.poll(), trigger.poll()]);
	expect([one, two].map((found) => idsOf(found ?? []))).toEqual([idsOf(items), []]);
	failHistory('hang');
	const startedAt = Date.now();
	expect(await trigger.poll()).toBeUndefined();
	expect(Date.now() - startedAt).toBeLessThan(2_500);
});

test('another filter, event or account starts over', async () => {
	const trigger = watchAccount({ states: ['FAILED'] });
	await trigger.activate();
	await submit(1);
	await waitForJobs();
	expect(await trigger.poll()).toBeUndefined();
	// Events that the earlier filter left out aren't new.
	expect(await trigger.restart({ states: [] })).toEqual([]);
	const next = await submit(1);
	await waitForJobs();
	expect(await trigger.pollIds()).toEqual(idsOf(next));
	emulator.set({ balance: { credits: 1, freeCredits: 0 } });
	expect(await trigger.reactivate({ event: 'creditsBelow', threshold: 5 })).toEqual([]);
	expect(await trigger.reactivate({ event: 'requestFinished' })).toEqual([]);
	expect(trigger.staticDataText).not.toMatch(/SG_/);
});

test.each<[string, (trigger: PollHost) => void]>([
	[
		'another credential',
		(trigger) => {
			trigger.credentialId = 'another';
		},
	],
	[
		'another Base URL',
		({ credentials }) => {
			credentials.data.segmindApi.baseUrl = 'http://127.0.0.1:9';
		},
	],
])('%s starts over: what finished until then starts nothing', async (_what, change) => {
	const trigger = watchAccount();
	await trigger.activate();
	await submit(2);
	await waitForJobs();
	change(trigger);
	expect(await trigger.restart()).toEqual([]);
	const next = await submit(1);
	await waitForJobs();
	expect(await trigger.pollIds()).toEqual(idsOf(next));
});

test.each([
	['fails', 20_000],
	['begins too late', 500],
])(
	'a first poll whose second page %s prevents activation, so nothing looks new later',
	async (end, budgetMs) => {
		submitMany(5);
		await waitForJobs();
		emulator.set({ historyPageRows: 2 });
		const fails = { on: 'history', after: 1, times: 'always', do: { status: 503 } } as const;
		if (end === 'fails') emulator.fault(fails);
		const trigger = watchAccount({}, { budgetMs });
		await expect(trigger.activate()).rejects.toThrow();
	},
);

test('Fetch Test Event gets the latest finished request, and stores nothing', async () => {
	await expect(watchAccount().fetchTestEvent()).rejects.toThrow();
	const items = await submit(2);
	await waitForJobs();
	items.push(...(await submit(1)));
	await waitForJobs();
	emulator.set({ jobMs: 60_000 });
	await submit(1);
	const trigger = watchAccount({ states: [] });
	expect(idsOf(await trigger.fetchTestEvent())).toEqual([items[2].json.request_id]);
	expect(await trigger.activate()).toEqual([]);
});

test('Fetch Test Event reads no page beyond the first one with a match', async () => {
	const other = { model: model('nano-banana') };
	await submit(2, other);
	await waitForJobs();
	const [wanted] = await submit(1);
	await waitForJobs();
	await submit(1, other);
	await waitForJobs();
	emulator.set({ historyPageRows: 2, historyModelFilter: 'ignored' });
	const trigger = watchAccount({ model: model('nano-banana-pro') });
	expect(idsOf(await trigger.fetchTestEvent())).toEqual(idsOf([wanted]));
	expect(emulator.callsOf('history')).toHaveLength(1);
});
