/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Events of fine-tune jobs reach the registered webhook. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WebhookOrders } from '../../dev/emulator';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { useBareEmulator } from '../helpers/emulator';
import { until } from '../helpers/until';

const emulator = useBareEmulator({ fineTuneOpen: true, fineTuneStepMs: 40 });
let receiver: Server;
let url: string;

beforeAll(async () => {
	receiver = createServer((request, response) => {
		request.resume().on('end', () => response.writeHead(202).end());
	});
	await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
afterAll(() => {
	receiver.closeAllConnections();
	receiver.close();
});
beforeEach(() => emulator.reset());

const waitForDeliveries = async (count: number): Promise<void> =>
	await until(
		() => emulator.deliveries.filter(({ status }) => status !== undefined).length >= count,
	);
const [DONE, QUEUED, READY] = ['TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'];

test.each<[Partial<WebhookOrders>, string[]]>([
	[{}, [DONE, QUEUED, READY]],
	[{ copies: 2 }, [DONE, DONE, QUEUED, QUEUED, READY, READY]],
	[{ order: 'reversed' }, [READY, QUEUED, DONE]],
	[{ lateMs: 200 }, [DONE, QUEUED, READY]],
])('with %j, the events arrive as %j', async (webhooks, events) => {
	emulator.set({ webhooks });
	emulator.registerWebhook(url);
	const id = await submitFineTune(emulator, 'shoes');
	await waitForDeliveries(1);
	// With late events, the job is already AVAILABLE when the first one arrives.
	if (webhooks.lateMs) expect(emulator.fineTunes[0].state).toBe(READY);
	await waitForDeliveries(events.length);
	const { deliveries } = emulator;
	expect(deliveries.map(({ event }) => event)).toEqual(events);
	expect(deliveries.map(({ status }) => status)).toEqual(events.map(() => 202));
	expect(deliveries.at(-1)!.body).toMatchObject({ event_type: events.at(-1), finetune_id: id });
});

test.each(['https://n8n.example/hook', 'file:///tmp/x', 'hook'])(
	'rejects the webhook URL %p',
	(address) => {
		expect(() => emulator.registerWebhook(address)).toThrow();
	},
);
