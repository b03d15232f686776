/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Segmind Fine-Tune Trigger: Confirm With Segmind reads the job before a delivery starts the workflow. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultAction } from '../../dev/emulator';
import { systemClock } from '../../nodes/shared/base/clock';
import { ALL_EVENTS, event, useFineTuneTrigger } from '../helpers/fineTuneTrigger';
import type { HostOptions } from '../helpers/triggers';
import { until } from '../helpers/until';

const { emulator, host, submitJob, details } = useFineTuneTrigger();
const hostConfirming = async (more: Partial<HostOptions> = {}, otherEvents = '') =>
	await host({ events: ALL_EVENTS, confirmWithSegmind: true, otherEvents }, more);

/** Makes waits of our own code end at once and moves its clock forward. Returns a function that returns how many ms were skipped. */
function skipWaits(): () => number {
	let skipped = 0;
	jest.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + skipped);
	jest.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
		skipped += ms;
		await new Promise<void>((resolve) => setImmediate(resolve));
	});
	return () => skipped;
}

test('a job that has reached the event, or is past it, starts the workflow; its own data takes precedence over the delivery', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	const forged = 'https://forged.example';
	const more = { slug: 'forged', inference_api_url: forged, finetune: { slug: 'forged' } };
	for (const name of ALL_EVENTS) await trigger.deliver({ body: event(name, job, more) });
	expect(trigger.executions.map((json) => json.event).sort()).toEqual([...ALL_EVENTS].sort());
	const [{ finetune, inference_api_url, ...rest }] = trigger.executions;
	const payload = event(ALL_EVENTS[0], job, more);
	expect(rest).toMatchObject({ event: ALL_EVENTS[0], finetune_id: job, confirmed: true, payload });
	expect(finetune).toMatchObject({ id: job, status: 'AVAILABLE', name: 'shoes' });
	expect(inference_api_url).toBe((finetune as IDataObject).inference_api_url);
	const headers = { 'x-api-key': emulator.key };
	expect(details()[0]).toMatchObject({ method: 'GET', body: { request_id: job }, headers });
});

test('a job whose status is earlier than the event starts nothing, and the same delivery counts when it is repeated', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(3_600_000);
	const response = await trigger.deliver({ body: event('AVAILABLE', job) });
	expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '60' } });
	expect(trigger.executions).toEqual([]);
	expect(trigger.storedStaticData).toEqual({});
	expect(details()).toHaveLength(1);
	expect(trigger.log).toEqual([expect.stringMatching(new RegExp(`${job}.*REQUESTED`))]);
	emulator.fault({
		on: 'finetune',
		do: { body: { finetune: { id: job, status: 'AVAILABLE' } } },
	});
	expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
	expect(trigger.executions).toMatchObject([{ event: 'AVAILABLE', confirmed: true }]);
	expect(details()).toHaveLength(2);
});

test('names in Other Events must match the status exactly', async () => {
	emulator.set({ failFineTunes: 'all' });
	const trigger = await hostConfirming({}, 'FAILED, STOPPED');
	const job = await submitJob(0);
	for (const name of ['FAILED', 'STOPPED', 'AVAILABLE'])
		await trigger.deliver({ body: event(name, job) });
	await trigger.whenIdle();
	expect(trigger.executions).toMatchObject([
		{ event: 'FAILED', finetune: { error_message: expect.stringContaining('GPU') } },
	]);
});

test('an unknown job, a missing job ID and a rejected key start nothing', async () => {
	const trigger = await hostConfirming();
	await trigger.deliver({ body: event('AVAILABLE', 'c0ffee\n[info] all is well') });
	await trigger.deliver({ body: { event: 'AVAILABLE' } });
	const other = await hostConfirming({ credential: { apiKey: 'SG_ffffffffffffffff' } });
	await other.deliver({ body: event('AVAILABLE', await submitJob(0)) });
	await Promise.all([trigger.whenIdle(), other.whenIdle()]);
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

test('a response about another job confirms nothing', async () => {
	const trigger = await hostConfirming();
	const [job, other] = [await submitJob(0), await submitJob(0)];
	for (const body of [
		{ finetune: { id: other, finetune_id: other, status: 'AVAILABLE' } },
		{ finetune: { status: 'AVAILABLE' } },
		{ status: 'AVAILABLE', id: other },
	]) {
		emulator.clearFaults();
		emulator.fault({ on: 'finetune', times: 'always', do: { body } });
		await trigger.deliver({ body: event('AVAILABLE', job) });
		await trigger.whenIdle();
	}
	expect(trigger.executions).toEqual([]);
	expect(trigger.log.join()).toContain('is not about this job');
});

test.each<[string, FaultAction]>([
	['a connection that breaks', 'dropBeforeAccept'],
	['a gateway', { status: 502, body: '<html>Bad gateway</html>' }],
	['a rate limit', { status: 429, body: { error: 'rate limit' } }],
	['a body that is not JSON', { body: '<html>Maintenance</html>' }],
	['no status', { body: { finetune: {} } }],
	['no response', 'hang'],
])(
	'after %s, the node makes no second call, and the delivery counts when it is repeated',
	async (_name, action) => {
		const skippedMs = skipWaits();
		const trigger = await hostConfirming();
		const job = await submitJob(0);
		emulator.fault({ on: 'finetune', do: action });
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(503);
		expect(skippedMs()).toBeLessThan(11_000);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toHaveLength(1);
		expect(details()).toHaveLength(1);
		expect(trigger.storedStaticData).toEqual({});
	},
);

test('without a usable credential, only deliveries that need one get a 500', async () => {
	const confirming = await hostConfirming({ hasCredential: false });
	expect((await confirming.deliver({ body: event('AVAILABLE') })).status).toBe(500);
	expect((await confirming.deliver({ body: event('REQUESTED') })).status).toBe(200);
	const withBadUrl = await hostConfirming({ credential: { baseUrl: 'nowhere' } });
	expect((await withBadUrl.deliver({ body: event('AVAILABLE') })).status).toBe(500);
	const notConfirming = await host({}, { hasCredential: false });
	expect((await notConfirming.deliver({ body: event('AVAILABLE') })).status).toBe(200);
	expect(
		[confirming, withBadUrl, notConfirming].map(({ executions }) => executions.length),
	).toEqual([0, 0, 1]);
	expect(emulator.calls).toEqual([]);
});

test('a redirect, the log and the items do not get the key', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', do: { redirect: `${emulator.urls.hostile}/steal` } });
	await trigger.deliver({ body: event('AVAILABLE', job) });
	await trigger.whenIdle();
	emulator.fault({
		on: 'finetune',
		do: { status: 403, body: { error: `key ${emulator.key} may not` } },
	});
	await trigger.deliver({ body: event('TRAINING_COMPLETED', job) });
	await trigger.whenIdle();
	await trigger.deliver({ body: event('INFERENCE_QUEUED', job) });
	await trigger.whenIdle();
	expect(trigger.executions).toHaveLength(1);
	expect(trigger.log).toHaveLength(2);
	expect(JSON.stringify([trigger.log, trigger.executions, trigger.storedStaticData])).not.toContain(
		emulator.key,
	);
	expect(emulator.callsOf('hostile')).toEqual([]);
});

test('of forged deliveries, ten a minute are checked and thirty are logged', async () => {
	const trigger = await hostConfirming();
	jest.spyOn(systemClock, 'now').mockReturnValue(Date.now());
	for (let at = 0; at < 40; at++)
		await trigger.deliver({ body: event('AVAILABLE', `forged-${at}`) });
	expect(details()).toHaveLength(10);
	expect(trigger.log).toHaveLength(30);
});

test('at most twenty deliveries wait for confirmation, over all nodes', async () => {
	const triggers = [await hostConfirming(), await hostConfirming(), await hostConfirming()];
	emulator.fault({ on: 'finetune', times: 'always', do: { delayMs: 2_000 } });
	const ten = Array.from({ length: 10 }, (_unused, at) => ({ body: event('AVAILABLE', `${at}`) }));
	const responses = triggers.flatMap((trigger) =>
		ten.map(async (delivery) => await trigger.deliver(delivery)),
	);
	const statuses = (await Promise.all(responses)).map(({ status }) => status);
	expect(statuses.filter((status) => status === 503)).toHaveLength(10);
	expect(details()).toHaveLength(20);
});

test('of three simultaneous deliveries, one is confirmed and the others must be repeated', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', do: { delayMs: 1_000 } });
	const deliver = async () => await trigger.deliver({ body: event('AVAILABLE', job) });
	const responses = await Promise.all([deliver(), deliver(), deliver()]);
	expect(responses.map(({ status }) => status).sort()).toEqual([200, 503, 503]);
	expect((await deliver()).status).toBe(200);
	expect(trigger.executions).toHaveLength(1);
	expect(details()).toHaveLength(1);
});

test('a delivery that arrives while another one is being confirmed is remembered', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', do: { delayMs: 200 } });
	const first = trigger.deliver({ body: event('AVAILABLE', job) });
	await until(() => details().length === 1);
	await trigger.deliver({ body: event('TRAINING_COMPLETED', job) });
	await first;
	expect(trigger.executions.map((json) => json.event)).toEqual(['TRAINING_COMPLETED', 'AVAILABLE']);
	trigger.restart();
	for (const name of ALL_EVENTS) await trigger.deliver({ body: event(name, job) });
	await trigger.whenIdle();
	expect(trigger.executions.map((json) => json.event)).toEqual([
		'TRAINING_COMPLETED',
		'AVAILABLE',
		'INFERENCE_QUEUED',
	]);
});

test("the console's test button, at the production URL, starts nothing when the event is to be confirmed", async () => {
	const trigger = await hostConfirming();
	emulator.registerWebhook(trigger.url);
	emulator.testWebhook();
	await until(() => trigger.log.length > 0);
	expect(trigger.executions).toEqual([]);
	expect(trigger.log[0]).toMatch(
		/was not confirmed, so it did not start the workflow: Segmind responded with HTTP 404/,
	);
});
