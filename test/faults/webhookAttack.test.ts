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

/** Sends `count` deliveries, a hundred at a time, and counts the responses by status. */
async function flood(count: number, deliveryOf: (index: number) => Delivery) {
	const statuses = new Map<number, number>();
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

test('two hundred forged deliveries use bounded memory and few calls, and the real one still starts the workflow', async () => {
	emulator.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const job = await submitFineTune(emulator, 'shoes');
	const bodyFor = (id: string) =>
		`{"event_type":"AVAILABLE","finetune_id":"${id}","pad":[${'{},'.repeat(16_000)}{}]}`;
	emulator.fault({ on: 'finetune', times: 3, do: { delayMs: 2_000 } });
	const before = usedHeap();
	const startedAt = Date.now();
	const allStatuses = flood(200, (at) => ({ body: bodyFor(`forged-${at}`) }));
	await until(() => confirmationCalls().length === 3);
	// n8n's copy of each delivery takes 3 MB, and so does this node's.
	expect(usedHeap() - before).toBeLessThan(80_000_000);
	expect(await allStatuses).toEqual(new Map([[503, 200]]));
	await trigger.whenIdle();
	const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
	expect(confirmationCalls().length).toBeLessThanOrEqual(10 * (minutes + 1));
	expect(trigger.executions).toEqual([]);
	const later = Date.now() + 60_000;
	jest.spyOn(systemClock, 'now').mockImplementation(() => later);
	await trigger.deliver({ body: bodyFor(job) });
	jest.restoreAllMocks();
	expect(trigger.executions).toMatchObject([{ finetune_id: job, confirmed: true }]);
	trigger.executions.length = 0;
	emulator.reset();
	expect(usedHeap() - before).toBeLessThan(12_000_000);
});
