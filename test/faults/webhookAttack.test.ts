/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** Attacks on a trigger without a secret: n8n keeps running, and the account's rate limit isn't used up. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

import type { Delivery, WebhookHost } from '../../dev/engine/webhookHost';
import { useFineTuneTrigger } from '../helpers/fineTuneTrigger';
import { until } from '../helpers/until';

const { emulator, host, submitJob, details, skip } = useFineTuneTrigger();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const usedHeap = () => {
	collectGarbage();
	return process.memoryUsage().heapUsed;
};

/** Sends `count` deliveries, a hundred at a time, and counts the responses by status. */
async function flood(trigger: WebhookHost, count: number, deliveryOf: (index: number) => Delivery) {
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
	const trigger = await host({ confirmWithSegmind: true });
	const body = gzipSync(`{"event":"AVAILABLE","id":"x","pad":[${'{},'.repeat(350_000)}{}]}`);
	const before = usedHeap();
	const delivery = { body, headers: { 'content-encoding': 'gzip' } };
	expect(await flood(trigger, 100, () => delivery)).toEqual(new Map([[413, 100]]));
	expect(usedHeap() - before).toBeLessThan(25_000_000);
	expect(details()).toEqual([]);
});

test('two hundred forged deliveries use bounded memory and few calls, and the real one still starts the workflow', async () => {
	const trigger = await host({ confirmWithSegmind: true });
	const job = await submitJob(0);
	const bodyFor = (id: string) =>
		`{"event_type":"AVAILABLE","finetune_id":"${id}","pad":[${'{},'.repeat(16_000)}{}]}`;
	emulator.fault({ on: 'finetune', times: 3, do: { delayMs: 2_000 } });
	const before = usedHeap();
	const statuses = flood(trigger, 200, (at) => ({ body: bodyFor(`forged-${at}`) }));
	await until(() => details().length === 3);
	// n8n's copy of each delivery takes 3 MB, and so does this node's.
	expect(usedHeap() - before).toBeLessThan(80_000_000);
	expect(await statuses).toEqual(new Map([[503, 200]]));
	expect(details().length).toBeLessThanOrEqual(20);
	expect(trigger.executions).toEqual([]);
	skip(60_000);
	await trigger.deliver({ body: bodyFor(job) });
	expect(trigger.executions).toMatchObject([{ finetune_id: job, confirmed: true }]);
	trigger.executions.length = 0;
	emulator.reset();
	expect(usedHeap() - before).toBeLessThan(12_000_000);
});
