/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startEmulator, type Emulator, type WebhookOrders } from '../../dev/emulator';
import { submitFineTune } from '../../dev/emulator/sampleCalls';
import { bare, type Loose } from './client';

let emulator: Emulator;
let receiver: Server;
let url: string;
let received: Loose[];

beforeAll(async () => {
	emulator = await startEmulator({ fineTuneOpen: true, fineTuneStepMs: 40 });
	receiver = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			received.push(JSON.parse(Buffer.concat(chunks).toString('utf8')));
			response.statusCode = 202;
			response.end();
		});
	});
	await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
	url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
	emulator.reset();
	received = [];
});
afterAll(async () => {
	await emulator.close();
	receiver.closeAllConnections();
	await new Promise((resolve) => receiver.close(resolve));
});

const submit = async () => await submitFineTune(emulator, 'shoes');
const answered = async (count: number): Promise<void> => {
	while (emulator.deliveries.filter(({ status }) => status !== undefined).length < count)
		await new Promise((resolve) => setTimeout(resolve, 5));
};

test('each change of state is delivered once, when it has come', async () => {
	emulator.registerWebhook(url);
	const id = await submit();
	await answered(3);
	const bodies: Loose[] = emulator.deliveries.map(({ body }) => body);
	expect(received).toHaveLength(3);
	expect(received).toEqual(expect.arrayContaining(bodies));
	expect(bodies.map((body) => [body.event_type, body.finetune_id])).toEqual([
		['TRAINING_COMPLETED', id],
		['INFERENCE_QUEUED', id],
		['AVAILABLE', id],
	]);
	expect(bodies[0].trained_model_url).toBe(`${emulator.urls.storage}/weights/${id}.safetensors`);
	expect(bodies[2].inference_api_url).toContain(emulator.fineTunes[0].slug);
	expect(emulator.deliveries.map(({ status, origin }) => [status, origin])).toEqual(
		Array.from({ length: 3 }, () => [202, 'service']),
	);
});

test.each<[Partial<WebhookOrders>, string[]]>([
	[
		{ copies: 2 },
		[
			'TRAINING_COMPLETED',
			'TRAINING_COMPLETED',
			'INFERENCE_QUEUED',
			'INFERENCE_QUEUED',
			'AVAILABLE',
			'AVAILABLE',
		],
	],
	[{ order: 'reversed' }, ['AVAILABLE', 'INFERENCE_QUEUED', 'TRAINING_COMPLETED']],
	[
		{ forged: true },
		['AVAILABLE', 'AVAILABLE', 'TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'],
	],
])('%j', async (webhooks, events) => {
	emulator.set({ webhooks });
	emulator.registerWebhook(url);
	await submit();
	await answered(events.length);
	expect(emulator.deliveries.map(({ event }) => event)).toEqual(events);
});

test('late: the job is further than its event', async () => {
	emulator.set({ webhooks: { lateMs: 200 } });
	emulator.registerWebhook(url);
	await submit();
	await answered(1);
	expect(received[0].event_type).toBe('TRAINING_COMPLETED');
	expect(emulator.fineTunes[0].state).toBe('AVAILABLE');
});

test('a failed job delivers nothing', async () => {
	emulator.set({ failFineTunes: 'all' });
	emulator.registerWebhook(url);
	await submit();
	await new Promise((resolve) => setTimeout(resolve, 200));
	expect(emulator.deliveries).toEqual([]);
});

test('one webhook at a time, on this computer only', () => {
	expect(() => emulator.removeWebhook()).toThrow('no webhook to delete');
	expect(() => emulator.testWebhook()).toThrow('no webhook to test');
	for (const elsewhere of ['https://n8n.example/hook', 'file:///tmp/x', 'hook'])
		expect(() => emulator.registerWebhook(elsewhere)).toThrow('only delivers to this computer');
	emulator.registerWebhook(url);
	expect(() => emulator.registerWebhook(url)).toThrow('delete it first');
	emulator.removeWebhook();
	expect(emulator.webhook).toBeNull();
});

test('over the control path; nobody there is reported as null', async () => {
	const control = async (name: string, body: unknown) =>
		await bare(emulator, `${emulator.urls.api}/__control/${name}`, { body });
	expect((await control('webhook', { url: 'http://127.0.0.1:9/' })).status).toBe(200);
	expect((await control('webhook', { url })).status).toBe(400);
	expect((await control('webhook/test', {})).status).toBe(200);
	await answered(1);
	const { json } = await bare(emulator, `${emulator.urls.api}/__control/state`);
	expect(json).toMatchObject({
		webhook: 'http://127.0.0.1:9/',
		deliveries: [{ origin: 'test', status: null }],
	});
	expect((await control('webhook', { url: null })).status).toBe(200);
	expect((await control('set', { webhooks: { copies: 2, shape: 'nested' } })).status).toBe(200);
	expect((await control('set', { webhooks: { copies: -1 } })).status).toBe(400);
});
