/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
/** A trigger without a secret, and everybody who knows its address: n8n stays up, the account keeps its limit, and the real delivery gets in. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';

import { submitFineTune } from '../../dev/emulator/sampleCalls';
import type { Delivery } from '../../dev/engine/webhookHost';
import { hostTrigger, type WebhookHost } from '../helpers/triggers';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();
let trigger: WebhookHost;
beforeEach(async () => {
	trigger = await hostTrigger({
		emulator: emulator.it,
		parameters: { events: ['AVAILABLE'], confirmWithSegmind: true },
	});
});
afterEach(async () => {
	await trigger.idle();
	expect(trigger.thrown).toEqual([]);
	await trigger.close();
});

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const heap = () => {
	collect();
	return process.memoryUsage().heapUsed;
};
const confirming = () =>
	emulator.it.calls.filter(({ path }) => /^\/finetune\/request\/(details|list)$/.test(path));

/** Sends this many deliveries, a hundred at a time; `nth` makes them. */
async function flood(count: number, nth: (at: number) => Delivery): Promise<Map<number, number>> {
	const statuses = new Map<number, number>();
	let next = 0;
	const sender = async () => {
		for (let at = next++; at < count; at = next++) {
			const { status } = await trigger.deliver(nth(at));
			statuses.set(status, (statuses.get(status) ?? 0) + 1);
		}
	};
	await Promise.all(Array.from({ length: 100 }, sender));
	return statuses;
}

test('ten thousand forgeries: a handful of calls, a handful of lines, and the real delivery starts the workflow', async () => {
	emulator.it.set({ fineTuneOpen: true, fineTuneStepMs: 0 });
	const job = await submitFineTune(emulator.it, 'shoes');
	const before = heap();
	const startedAt = Date.now();
	const statuses = await flood(10_000, (at) => ({
		body: { event_type: 'AVAILABLE', finetune_id: at === 5_000 ? job : `forged-${at}` },
	}));
	await trigger.idle();
	const minutes = Math.ceil((Date.now() - startedAt) / 60_000);
	expect(trigger.executions).toMatchObject([
		{ finetune_id: job, confirmed: true, finetune: { status: 'AVAILABLE' } },
	]);
	expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
	expect(confirming().length).toBeLessThanOrEqual(6 * (minutes + 1));
	expect(trigger.log.length).toBeLessThanOrEqual(30 * (minutes + 1));
	emulator.it.reset();
	expect(heap() - before).toBeLessThan(25_000_000);
}, 600_000);

test('hundreds of megabytes, packed into a kilobyte each, are sent away at once', async () => {
	const megabyte = gzipSync(
		`{"event_type":"AVAILABLE","finetune_id":"x","pad":[${'{},'.repeat(350_000)}{}]}`,
	);
	const before = heap();
	const statuses = await flood(300, () => ({
		body: megabyte,
		headers: { 'content-encoding': 'gzip' },
	}));
	expect(statuses).toEqual(new Map([[413, 300]]));
	expect(heap() - before).toBeLessThan(25_000_000);
	expect(confirming()).toEqual([]);
}, 600_000);

test('what waits to be confirmed is held as text, whatever n8n made of it', async () => {
	emulator.it.fault({ on: 'finetune', times: 'always', do: { delayMs: 10_000 } });
	const body = (at: number) =>
		`{"event_type":"AVAILABLE","finetune_id":"wide-${at}","pad":[${'{},'.repeat(16_000)}{}]}`;
	const before = heap();
	const statuses = await flood(40, (at) => ({ body: body(at) }));
	expect(statuses).toEqual(
		new Map([
			[200, 20],
			[503, 20],
		]),
	);
	// As n8n parsed them they take 3 MB each.
	expect(heap() - before).toBeLessThan(12_000_000);
	await trigger.idle();
	expect(trigger.executions).toEqual([]);
});
