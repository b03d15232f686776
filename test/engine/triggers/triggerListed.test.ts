/** Segmind Trigger: Listed Requests. */
import type { FaultAction } from '../../../dev/emulator';
import type { IDataObject } from 'n8n-workflow';
import { idsOf, model, submitParams, workflowParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { usePolling } from '../../helpers/polling';

const {
	emulator,
	runNode,
	watchRequests,
	submit,
	submitMany,
	pass,
	skip,
	waitForJobs,
	forwardService,
} = usePolling();

test('emits each request once, with its result, and no longer checks finished ones', async () => {
	const submitted = await submit(2);
	const [one, two] = submitted;
	emulator.set({ jobMs: 600 });
	const [slow] = await submit(1);
	const requests = JSON.stringify([one.json, two.json.response_url, slow.json.request_id]);
	await waitForJobs();
	const trigger = watchRequests(requests);
	const items = await trigger.activate();
	expect(idsOf(items).sort()).toEqual(idsOf(submitted).sort());
	const item = items.find(({ json }) => json.request_id === one.json.request_id);
	const url = expect.stringMatching(/^http/) as unknown;
	expect(item?.json).toMatchObject({ status: 'COMPLETED', model: 'nano-banana-pro', url });
	await pass(600);
	const calls = emulator.calls.length;
	expect(await trigger.pollIds()).toEqual([slow.json.request_id]);
	expect(emulator.calls.slice(calls).map(({ kind }) => kind)).toEqual(['status', 'result']);
	expect(await trigger.poll()).toBeUndefined();
	expect(await trigger.restart()).toEqual([]);
	expect(emulator.calls.slice(calls)).toHaveLength(2);
});

test('one 422 of a gateway at the only URL is not FAILED [Money 6]', async () => {
	emulator.set({ workflowUrls: 'pollOnly', jobMs: 2_000 });
	const { json } = await runNode({
		node: 'segmindWorkflow',
		parameters: workflowParams({ waitForCompletion: false }),
	});
	const body = { error: 'Unprocessable' };
	emulator.fault({ on: ['poll', 'status'], do: { status: 422, body } });
	const trigger = watchRequests([json[0]]);
	const first = await trigger.activate();
	await pass(2_500);
	const second = (await trigger.poll()) ?? [];
	expect([...first, ...second].map((item) => item.json.status)).toEqual(['COMPLETED']);
});

test('an entry that cannot be read, or is on another host, fails activation, the test, and polls that start nothing', async () => {
	const [one] = await submit(1);
	await waitForJobs();
	const id = String(one.json.request_id);
	const calls = emulator.calls.length;
	const list = [id, `${emulator.urls.hostile}/v2/requests/x`];
	await expect(watchRequests(list).activate()).rejects.toThrow();
	await expect(watchRequests(list).fetchTestEvent()).rejects.toThrow();
	expect(emulator.calls).toHaveLength(calls);
	const trigger = watchRequests('');
	await trigger.activate();
	expect(idsOf(await trigger.reactivate({ requests: list as never }))).toEqual([id]);
	expect(await trigger.poll()).toBeUndefined();
	expect(trigger.errors).toHaveLength(1);
	expect(emulator.callsOf('hostile')).toEqual([]);
});

test('emits a failed request with its reason, and filters by status', async () => {
	emulator.set({ failJobs: [0] });
	const [bad, good] = await submit(2);
	await waitForJobs();
	const requests = [bad.json, good.json];
	expect(await watchRequests(requests, { states: [] }).activate()).toHaveLength(2);
	const [failed, ...others] = await watchRequests(requests, { states: ['FAILED'] }).activate();
	const { request_id, model } = bad.json;
	expect(failed.json).toMatchObject({ request_id, model, status: 'FAILED' });
	expect([failed.json.error_message, others.length]).toEqual([expect.stringMatching(/\w/), 0]);
});

test('an expired request is found in the history; without one, an error names it once', async () => {
	const [one] = await submit(1);
	await waitForJobs();
	emulator.set({ recordMs: 0 });
	const [item] = await watchRequests([one.json]).activate();
	expect(item.json).toMatchObject({ request_id: one.json.request_id, status: 'COMPLETED' });
	emulator.set({ history: false });
	const trigger = watchRequests([one.json]);
	expect(await trigger.activate()).toEqual([]);
	expect(await trigger.poll()).toBeUndefined();
	// Within an hour of its submission, Segmind must have the request.
	expect(trigger.errors).toEqual([]);
	skip(3_600_000);
	for (let poll = 1; poll <= 3; poll++) await trigger.poll();
	const calls = emulator.calls.length;
	expect(await trigger.poll()).toBeUndefined();
	expect(emulator.calls).toHaveLength(calls);
	const message = expect.stringContaining(String(one.json.request_id)) as unknown;
	expect(trigger.errors).toMatchObject([{ message }]);
	await expect(watchRequests([one.json]).fetchTestEvent()).rejects.toMatchObject({ message });
});

test('an error names all requests that have expired; with items, the next poll names them', async () => {
	const items = await submit(3);
	emulator.set({ jobMs: 3_900_000 });
	const [slow] = await submit(1);
	const trigger = watchRequests([...items, slow].map(({ json }) => json));
	// Nothing is emitted yet, because the first poll can't reach Segmind.
	emulator.fault({ on: 'status', times: 4, do: { status: 503 } });
	await trigger.activate();
	emulator.set({ recordMs: 3_800_000, history: false });
	jest.setSystemTime(Date.now() + 4_000_000);
	const messages = () => trigger.errors.map(({ message }) => message).join();
	for (let poll = 1; poll <= 4; poll++) await trigger.poll();
	for (const id of idsOf(items)) expect(messages()).toContain(id);
	expect(trigger.errors).toHaveLength(1);
});

test.each<[Array<'status' | 'poll' | 'history'>, FaultAction, number]>([
	// Also across a restart.
	[['status', 'poll'], { status: 404 }, 2],
	[['history'], { status: 503 }, Infinity],
])('a %j that returns %j does not prove that a request has expired', async (on, action, times) => {
	const [one] = await submit(1);
	await waitForJobs();
	// Within an hour of its submission, Segmind must have the request.
	skip(3_700_000);
	emulator.set(on.includes('status') ? { history: false, recordMs: Infinity } : { recordMs: 0 });
	emulator.fault({ on, times, do: action });
	const trigger = watchRequests([one.json], {}, { budgetMs: 600 });
	expect(await trigger.activate()).toEqual([]);
	emulator.clearFaults();
	expect((await trigger.restart()).map(({ json }) => json.status)).toEqual(['COMPLETED']);
});

test("a proxy's page with 404 doesn't mean that a text has expired", async () => {
	const { json } = await runNode({
		parameters: submitParams({ model: model('claude-4.5-sonnet') }),
	});
	await waitForJobs();
	const page = { status: 404, body: '<html>a proxy</html>' };
	emulator.fault({ on: ['status', 'poll', 'result'], times: 2, do: page });
	const trigger = watchRequests([json[0]]);
	const first = await trigger.activate().catch(() => []);
	const items = first.length > 0 ? first : await trigger.activate();
	expect(items).toMatchObject([{ json: { status: 'COMPLETED', text: expect.any(String) } }]);
});

test('the list may be empty and change; Fetch Test Event shows a request that has finished', async () => {
	const trigger = watchRequests('');
	expect(await trigger.activate()).toEqual([]);
	await expect(trigger.fetchTestEvent()).rejects.toThrow();
	emulator.set({ jobMs: 60_000 });
	const [one] = await submit(1);
	const id = one.json.request_id;
	expect(await trigger.reactivate({ requests: one.json as never })).toEqual([]);
	await expect(trigger.fetchTestEvent()).rejects.toThrow();
	forwardService(120_000);
	expect(idsOf(await trigger.fetchTestEvent())).toEqual([id]);
	expect(await trigger.pollIds()).toEqual([id]);
	expect(await trigger.reactivate({ requests: '' })).toEqual([]);
	expect(await trigger.reactivate({ requests: one.json as never })).toEqual([]);
});

test.each<[string, (json: IDataObject) => unknown]>([
	['its item', (json) => json],
	['its poll_url', (json) => json.poll_url],
	['its response_url', (json) => json.response_url],
])(
	'a workflow run, listed as %s, has its named outputs and the URL of its file',
	async (_name, entryOf) => {
		const { items } = succeed(
			await runNode({
				node: 'segmindWorkflow',
				parameters: workflowParams({ waitForCompletion: false }),
			}),
		);
		await waitForJobs();
		const [{ json }] = await watchRequests([entryOf(items[0].json)]).activate();
		const url = expect.stringMatching(/^http/) as unknown;
		expect(json).toMatchObject({ status: 'COMPLETED', outputs: expect.any(Object), url });
	},
);

test.each<[FaultAction, number]>([
	[{ status: 403, body: { error: 'no access' } }, 5],
	// Only Segmind's own word counts.
	[{ status: 403, body: '<html>Sign in</html>' }, 0],
	[{ status: 500 }, 0],
])(
	'a status check that returns %j does not delay the other requests, and shows %i errors',
	async (action, errorCount) => {
		const [one, two] = await submit(2);
		await waitForJobs();
		emulator.set({ jobMs: 3_600_000 });
		const [running] = await submit(1);
		const id = String(one.json.request_id);
		emulator.fault({ on: { kind: 'status', path: id }, times: 'always', do: action });
		const trigger = watchRequests([one.json, two.json, running.json]);
		expect(idsOf(await trigger.activate())).toEqual([two.json.request_id]);
		for (let poll = 1; poll <= 5; poll++) await trigger.poll();
		// Later polls retry transient faults.
		expect(trigger.errors).toHaveLength(errorCount);
		emulator.clearFaults();
		expect(await trigger.pollIds()).toEqual([id]);
	},
);

test('if Segmind is down, the fifth poll in a row shows it; a rejected key shows at once, after a few calls', async () => {
	const submitted = submitMany(60);
	await waitForJobs();
	emulator.fault({ on: 'status', times: 'always', do: { status: 503 } });
	const trigger = watchRequests(submitted);
	expect(await trigger.activate()).toEqual([]);
	for (let poll = 2; poll <= 4; poll++) await trigger.poll();
	expect(trigger.errors).toEqual([]);
	await trigger.poll();
	expect(trigger.errors).toHaveLength(1);
	expect(emulator.callsOf('status').length).toBeLessThan(5 * 25);
	emulator.clearFaults();
	emulator.fault({
		on: 'status',
		times: 'always',
		do: { status: 401, body: { error: 'Unauthorized' } },
	});
	await expect(watchRequests(submitted).activate()).rejects.toMatchObject({ httpCode: '401' });
	emulator.clearFaults();
	expect((await trigger.pollIds()).sort()).toEqual(submitted.sort());
});

test('polls that can check only a few requests reach the last of the list', async () => {
	emulator.set({ jobMs: 3_600_000 });
	const running = submitMany(40);
	emulator.set({ jobMs: 20 });
	const [last] = submitMany(1);
	await waitForJobs();
	// A poll checks at most ten or so before its deadline.
	emulator.fault({ on: 'status', times: 'always', do: { delayMs: 400 } });
	const trigger = watchRequests([...running, last], {}, { budgetMs: 500 });
	const ids: unknown[] = idsOf(await trigger.activate());
	for (let round = 0; round < 60 && ids.length === 0; round++)
		ids.push(...(await trigger.pollIds()));
	expect(ids).toEqual([last]);
});
