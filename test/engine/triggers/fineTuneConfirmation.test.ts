/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/** Segmind Fine-Tune Trigger: Confirm With Segmind reads the job before a delivery starts the workflow. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { systemClock } from '../../../nodes/shared/base/clock';
import { ALL_EVENTS, event, useFineTuneTrigger } from '../../helpers/fineTuneTrigger';
import type { HostOptions } from '../../helpers/triggers';
import { until } from '../../helpers/until';

const { emulator, host, submitJob, details, forwardNode } = useFineTuneTrigger();
const hostConfirming = async (more: Partial<HostOptions> = {}) =>
	await host({ events: ALL_EVENTS, confirmWithSegmind: true }, more);

test('a job that has reached the event, or is past it, starts the workflow; its own data takes precedence over the delivery', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	const forged = 'https://forged.example';
	const more = { slug: 'forged', inference_api_url: forged, finetune: { slug: 'forged' } };
	for (const name of ALL_EVENTS) await trigger.deliver({ body: event(name, job, more) });
	expect(trigger.executions.map((json) => json.event)).toEqual(ALL_EVENTS);
	const [{ finetune, inference_api_url, ...rest }] = trigger.executions;
	const payload = event(ALL_EVENTS[0], job, more);
	expect(rest).toMatchObject({ event: ALL_EVENTS[0], finetune_id: job, confirmed: true, payload });
	expect(finetune).toMatchObject({ id: job, status: 'AVAILABLE', name: 'shoes' });
	expect(inference_api_url).toBe((finetune as IDataObject).inference_api_url);
	const headers = { 'x-api-key': emulator.key, 'content-type': 'application/json' };
	expect(details()[0]).toMatchObject({ method: 'GET', body: { request_id: job }, headers });
	// A repetition starts nothing, and costs no call.
	expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
	expect([trigger.executions.length, details().length]).toEqual([3, 3]);
});

test.each<[string, FaultAction | undefined]>([
	['an earlier status', undefined],
	['a connection that breaks', 'dropBeforeAccept'],
	['a gateway', { status: 502, body: '<html>Bad gateway</html>' }],
	['a rate limit', { status: 429, body: { error: 'rate limit' } }],
	['a body that is not JSON', { body: '<html>Maintenance</html>' }],
	['no status', { body: { finetune: {} } }],
	['another job', { body: { finetune: { finetune_id: 'other', status: 'AVAILABLE' } } }],
	['an unknown job', { status: 404, body: { error: 'not found' } }],
	['no response', 'hang'],
])(
	'after %s, the node makes no second call, and the delivery counts when it is repeated',
	async (_name, action) => {
		let skipped = 0;
		jest.spyOn(systemClock, 'sleep').mockImplementation(async (ms) => {
			forwardNode(ms);
			skipped += ms;
			await new Promise<void>((resolve) => setImmediate(resolve));
		});
		const trigger = await hostConfirming();
		const job = await submitJob(action ? 0 : 3_600_000);
		if (action) emulator.fault({ on: 'finetune', do: action });
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(503);
		expect(skipped).toBeLessThan(11_000);
		expect(trigger.executions).toEqual([]);
		expect(trigger.log).toEqual([expect.stringContaining(job)]);
		expect(details()).toHaveLength(1);
		expect(trigger.storedStaticData).toEqual({});
		forwardNode(60_000);
		const finetune = { finetune_id: job, status: 'AVAILABLE' };
		emulator.fault({ on: 'finetune', do: { body: { finetune } } });
		expect((await trigger.deliver({ body: event('AVAILABLE', job) })).status).toBe(200);
		expect(trigger.executions).toMatchObject([{ event: 'AVAILABLE', confirmed: true, finetune }]);
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

test('no response of Segmind and no delivery gets the key, or a second line, into the log or an item', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', do: { redirect: `${emulator.urls.hostile}/steal` } });
	await trigger.deliver({ body: event('AVAILABLE', job) });
	for (const status of [401, 403]) {
		const body = { error: `key ${emulator.key} may not` };
		emulator.fault({ on: 'finetune', do: { status, body } });
		await trigger.deliver({ body: event('AVAILABLE', job) });
	}
	// Neither names a job that can be looked up.
	await trigger.deliver({ body: { event: 'AVAILABLE' } });
	await trigger.deliver({ body: event('AVAILABLE', 'c0ffee\n[info] all is well') });
	expect([trigger.executions.length, trigger.log.length, details().length]).toEqual([0, 5, 3]);
	await trigger.deliver({ body: event('INFERENCE_QUEUED', job) });
	expect(trigger.executions).toHaveLength(1);
	const written = [...trigger.log, JSON.stringify([trigger.executions, trigger.storedStaticData])];
	for (const text of written) expect(text).not.toMatch(/\n|SG_|undefined/);
	expect(emulator.callsOf('hostile')).toEqual([]);
});

test('of forged deliveries, ten a minute are checked and thirty are logged', async () => {
	const trigger = await hostConfirming();
	jest.spyOn(systemClock, 'now').mockReturnValue(systemClock.now());
	for (let at = 0; at < 40; at++)
		expect((await trigger.deliver({ body: event('AVAILABLE', `forged-${at}`) })).status).toBe(503);
	expect(details()).toHaveLength(10);
	expect(trigger.log).toHaveLength(30);
});

test('the same job starts each workflow once, however many deliveries arrive at once', async () => {
	const [one, other] = [await hostConfirming(), await hostConfirming()];
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', times: 4, do: { delayMs: 300 } });
	const responses = [one, one, other, other].map(
		async (trigger) => await trigger.deliver({ body: event('AVAILABLE', job) }),
	);
	const statuses = (await Promise.all(responses)).map(({ status }) => status);
	expect(statuses).toEqual([200, 200, 200, 200]);
	expect([one.executions.length, other.executions.length]).toEqual([1, 1]);
});

test('a delivery that arrives while another one is being confirmed is remembered', async () => {
	const trigger = await hostConfirming();
	const job = await submitJob(0);
	emulator.fault({ on: 'finetune', do: { delayMs: 200 } });
	const first = trigger.deliver({ body: event('AVAILABLE', job) });
	await until(() => details().length === 1);
	await trigger.deliver({ body: event('TRAINING_COMPLETED', job) });
	await first;
	trigger.restart();
	for (const name of ALL_EVENTS) await trigger.deliver({ body: event(name, job) });
	// On a busy computer, the delayed confirmation may end first.
	const started = trigger.executions.map((json) => json.event).sort();
	expect(started).toEqual([...ALL_EVENTS].sort());
});
