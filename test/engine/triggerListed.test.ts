/** Segmind Trigger: Listed Requests. */
import { workflowParams } from '../helpers/inference';
import { bytesOf } from '../helpers/runNode';
import { idsOf, usePolling } from '../helpers/polling';

const { emulator, runNode, watchRequests, submit, submitMany, letPass, waitForJobs, forward } =
	usePolling();

test('emits each request once, with result and file, and no longer checks finished ones', async () => {
	const submitted = await submit(2);
	const [one, two] = submitted;
	emulator.set({ jobMs: 600 });
	const [slow] = await submit(1);
	const requests = JSON.stringify([one.json, two.json.response_url, slow.json.request_id]);
	await waitForJobs();
	const trigger = watchRequests(requests, {
		options: { downloadOutput: true, outputField: 'image' },
	});
	const items = await trigger.activate();
	expect(idsOf(items)).toEqual([one.json.request_id, two.json.request_id]);
	expect(items[0].json).toMatchObject({
		status: 'COMPLETED',
		model: 'nano-banana-pro',
		url: expect.stringMatching(/^http/),
	});
	expect((await bytesOf(items[0], 'image')).toString('latin1', 1, 4)).toBe('PNG');
	await letPass(600);
	const calls = emulator.calls.length;
	expect(await trigger.pollIds()).toEqual([slow.json.request_id]);
	expect(emulator.calls.slice(calls).map(({ kind }) => kind)).toEqual(['status', 'result', 'file']);
	expect(await trigger.poll()).toBeUndefined();
	expect(await trigger.restart()).toEqual([]);
	expect(emulator.calls.slice(calls)).toHaveLength(3);
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
	await letPass(2_500);
	const second = (await trigger.poll()) ?? [];
	expect([...first, ...second].map((item) => item.json.status)).toEqual(['COMPLETED']);
});

test('activation rejects a list entry that is not a request, or is on another host, without a call', async () => {
	const [one] = await submit(1);
	const calls = emulator.calls.length;
	const hostile = `${emulator.urls.hostile}/v2/requests/x`;
	await expect(watchRequests([one.json.request_id, hostile]).activate()).rejects.toMatchObject({
		message: expect.stringMatching(/an entry that cannot be read/),
		description: expect.stringMatching(/^Entry 2: .*in the credential/),
	});
	expect(emulator.calls).toHaveLength(calls);
});

test('emits a failed request with its reason, and filters by status', async () => {
	emulator.set({ failJobs: [0] });
	const [bad, good] = await submit(2);
	await waitForJobs();
	const requests = [bad.json, good.json];
	const both = await watchRequests(requests).activate();
	expect(both.map(({ json }) => json.status).sort()).toEqual(['COMPLETED', 'FAILED']);
	expect(both.find(({ json }) => json.status === 'FAILED')?.json).toMatchObject({
		error_message: expect.stringMatching(/\w/),
		model: 'nano-banana-pro',
	});
	expect(idsOf(await watchRequests(requests, { states: ['FAILED'] }).activate())).toHaveLength(1);
});

test('an expired request is found in the history, emitted as expired, or left out', async () => {
	const [one] = await submit(1);
	await waitForJobs();
	emulator.set({ recordMs: 0 });
	const [item] = await watchRequests([one.json]).activate();
	expect(item.json).toMatchObject({ request_id: one.json.request_id, status: 'COMPLETED' });
	emulator.set({ history: false });
	const withoutExpired = watchRequests([one.json]);
	expect(await withoutExpired.activate()).toEqual([]);
	expect(await withoutExpired.poll()).toBeUndefined();
	const withExpired = watchRequests([one.json], { options: { emitExpired: true } });
	expect(await withExpired.activate()).toEqual([]);
	expect((await withExpired.poll())?.map(({ json }) => json.status)).toEqual(['EXPIRED']);
	const calls = emulator.calls.length;
	await Promise.all([withoutExpired.poll(), withExpired.poll()]);
	expect(emulator.calls).toHaveLength(calls);
});

test.each([false, true])(
	'one 404 does not prove that the request has expired (restart: %p)',
	async (restart) => {
		const [one] = await submit(1);
		await waitForJobs();
		emulator.set({ history: false });
		const trigger = watchRequests([one.json], { options: { emitExpired: true } });
		emulator.fault({ on: 'status', do: { status: 404 } });
		expect(await trigger.activate()).toEqual([]);
		const items = restart ? await trigger.restart() : await trigger.poll();
		expect(items?.map(({ json }) => json.status)).toEqual(['COMPLETED']);
	},
);

test('a history that is out of reach does not prove that a request has expired', async () => {
	const [one] = await submit(1);
	await waitForJobs();
	emulator.set({ recordMs: 0 });
	const trigger = watchRequests([one.json], { options: { emitExpired: true } }, { budgetMs: 600 });
	emulator.fault({ on: 'history', times: Infinity, do: { status: 503 } });
	await trigger.activate().catch(() => undefined);
	emulator.clearFaults();
	expect((await trigger.activate()).map(({ json }) => json.status)).toEqual(['COMPLETED']);
});

test('a file that does not fit into a poll comes with the next poll, and each request is emitted once', async () => {
	const submitted = await submit(9);
	await waitForJobs();
	// Four files are downloaded at a time.
	const fault = emulator.fault({ on: 'file', after: 2, times: Infinity, do: 'hang' });
	const trigger = watchRequests(
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

test('the list changes from poll to poll, and may be empty', async () => {
	const trigger = watchRequests('');
	expect(await trigger.activate()).toEqual([]);
	const [one] = await submit(1);
	await waitForJobs();
	expect(idsOf(await trigger.reactivate({ requests: one.json as never }))).toEqual([
		one.json.request_id,
	]);
	expect(await trigger.reactivate({ requests: '' })).toEqual([]);
	expect(await trigger.reactivate({ requests: one.json as never })).toEqual([]);
});

test('a workflow run has its named outputs, although its ID does not show that it is one', async () => {
	const { items } = await runNode({
		node: 'segmindWorkflow',
		parameters: workflowParams({ slug: 'plain-values', waitForCompletion: false }),
	});
	await waitForJobs();
	const [item] = await watchRequests([items[0].json.poll_url]).activate();
	expect(item.json).toMatchObject({ status: 'COMPLETED', outputs: expect.any(Object) });
});

test('Fetch Test Event shows a listed request that has finished, or why there is none', async () => {
	await expect(watchRequests('').fetchTestEvent()).rejects.toMatchObject({
		message: expect.stringMatching(/Requests is empty/),
	});
	emulator.set({ jobMs: 60_000 });
	const [one] = await submit(1);
	await expect(watchRequests([one.json]).fetchTestEvent()).rejects.toMatchObject({
		message: expect.stringMatching(/None of the 1 listed requests.*is (QUEUED|PROCESSING)/),
	});
	forward(120_000);
	const trigger = watchRequests([one.json]);
	expect(idsOf(await trigger.fetchTestEvent())).toEqual([one.json.request_id]);
	expect(idsOf(await trigger.activate())).toEqual([one.json.request_id]);
});

test.each([403, 500])(
	'a status check that returns %i does not delay the other requests',
	async (status) => {
		const [one, two] = await submit(2);
		await waitForJobs();
		const id = String(one.json.request_id);
		emulator.fault({ on: { kind: 'status', path: id }, times: 'always', do: { status } });
		const trigger = watchRequests([one.json, two.json]);
		expect(idsOf(await trigger.activate())).toEqual([two.json.request_id]);
		await trigger.poll();
		// Later polls retry transient faults.
		expect(trigger.errors).toHaveLength(status === 403 ? 1 : 0);
		expect(trigger.errors.map(({ message }) => message).join()).toContain(status === 403 ? id : '');
		emulator.clearFaults();
		expect(await trigger.pollIds()).toEqual([id]);
	},
);

test('many items stay within the rate limit', async () => {
	const submitted = submitMany(30);
	await waitForJobs();
	emulator.set({ rateLimit: { perMinute: 20, windowMs: 500 } });
	const trigger = watchRequests(submitted, {}, { budgetMs: 3_000 });
	const ids: unknown[] = idsOf(await trigger.activate());
	for (let round = 0; round < 40 && ids.length < 30; round++)
		ids.push(...(await trigger.pollIds()));
	expect(ids.sort()).toEqual(submitted.sort());
	expect(trigger.errors).toEqual([]);
	expect(emulator.calls.filter(({ status }) => status === 429).length).toBeLessThan(30);
});
