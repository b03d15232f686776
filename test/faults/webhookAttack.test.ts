/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Attacks on a trigger without a secret: n8n keeps running, and the account's rate limit isn't used up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

import { systemClock } from '../../nodes/shared/base/clock';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { Delivery } from '../../dev/engine/webhookHost';
import { hostTrigger, type WebhookHost } from '../helpers/triggers';
import { useEmulator } from '../helpers/emulator';
import { until } from '../helpers/until';

const emulator = useEmulator();
let trigger: WebhookHost;
beforeEach(async () => {
	trigger = await hostTrigger({
		emulator,
		parameters: { events: ['AVAILABLE'], confirmWithSegmind: true },
	});
});
afterEach(async () => {
	await trigger.whenIdle();
	expect(trigger.errors).toEqual([]);
	await trigger.close();
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const usedHeap = () => {
	collectGarbage();
	return process.memoryUsage().heapUsed;
};
const confirmationCalls = () =>
	emulator.calls.filter(({ path }) => path === '/finetune/request/details');

/** Sends `count` deliveries, a hundred at a time, and counts the responses by status. Callers can read `statuses` meanwhile. */
async function flood(
	count: number,
	deliveryOf: (index: number) => Delivery,
	statuses = new Map<number, number>(),
): Promise<Map<number, number>> {
	let next = 0;
	const sender = async () => {
		for (let index = next++; index < count; index = next++) {
			const { status } = await trigger.deliver(deliveryOf(index));
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
		}
	};
	await Promise.all(Array.from({ length: 100 }, sender));
	return statuses;
}

test('a thousand forged deliveries cause ten calls a minute and a few log lines, and the real delivery still starts the workflow', async () => {
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const job = await submitFineTune(emulator, 'shoes');
	const before = usedHeap();
	const startedAt = Date.now();
	const statuses = await flood(1_000, (at) => ({
		body: { event_type: 'AVAILABLE', finetune_id: `forged-${at}` },
	}));
	await trigger.whenIdle();
	const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
	expect(trigger.executions).toEqual([]);
	expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
	expect(confirmationCalls().length).toBeLessThanOrEqual(10 * (minutes + 1));
	expect(trigger.log.length).toBeLessThanOrEqual(30 * (minutes + 1));
	const later = Date.now() + 60_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => later);
	await trigger.deliver({ body: { event_type: 'AVAILABLE', finetune_id: job } });
	jest.restoreAllMocks();
	expect(trigger.executions).toMatchObject([
		{ finetune_id: job, confirmed: true, finetune: { status: 'AVAILABLE' } },
	]);
	emulator.reset();
	expect(usedHeap() - before).toBeLessThan(10_000_000);
});

test('deliveries of a hundred megabytes, compressed to a kilobyte each, are rejected at once', async () => {
	const megabyte = gzipSync(
		`{"event_type":"AVAILABLE","finetune_id":"x","pad":[${'{},'.repeat(350_000)}{}]}`,
	);
	const before = usedHeap();
	const statuses = await flood(100, () => ({
		body: megabyte,
		headers: { 'content-encoding': 'gzip' },
	}));
	expect(statuses).toEqual(new Map([[413, 100]]));
	expect(usedHeap() - before).toBeLessThan(25_000_000);
	expect(confirmationCalls()).toEqual([]);
});

test('deliveries that wait for confirmation use bounded memory', async () => {
	emulator.fault({ on: 'finetune', times: 'always', do: { delayMs: 3_000 } });
	const body = (at: number) =>
		`{"event_type":"AVAILABLE","finetune_id":"wide-${at}","pad":[${'{},'.repeat(16_000)}{}]}`;
	const before = usedHeap();
	const statuses = new Map<number, number>();
	const allStatuses = flood(40, (at) => ({ body: body(at) }), statuses);
	await until(() => confirmationCalls().length >= 10 && statuses.get(503) === 30);
	// n8n's copy of each delivery takes 3 MB, and so does this node's.
	expect(usedHeap() - before).toBeLessThan(80_000_000);
	expect(await allStatuses).toEqual(
		new Map([
			[503, 30],
			[200, 10],
		]),
	);
	expect(usedHeap() - before).toBeLessThan(12_000_000);
	expect(trigger.executions).toEqual([]);
});
