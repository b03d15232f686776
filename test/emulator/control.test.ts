/** Controlling the emulator over HTTP, from outside its process. */
import { startEmulator, type Orders } from '../../dev/emulator';
import { defaultOrders } from '../../dev/emulator/orders';
import { callWithoutKey, submit, useEmulatorWithManualClock, type CallResponse } from './client';

const { emulator } = useEmulatorWithManualClock({ balance: { credits: 5, freeCredits: 0 } });

const control = async (name: string, body?: unknown): Promise<CallResponse> =>
	await callWithoutKey(emulator, `${emulator.urls.api}/__control/${name}`, { body });

test('accepts orders, and returns its state', async () => {
	const orders: Partial<Orders> = { ...defaultOrders, jobMs: 60_000 };
	delete orders.failWhen;
	delete orders.historyRow;
	expect(await control('set', orders)).toMatchObject({ status: 200, json: { ok: true } });
	await submit(emulator, 'flux-dev');
	const { json } = await control('state');
	expect(Object.keys(json.orders).sort()).toEqual(Object.keys(defaultOrders).sort());
	expect(json).toMatchObject({
		urls: emulator.urls,
		orders: { jobMs: 60_000 },
		counts: { submit: 1 },
		jobs: [{ model: 'flux-dev', state: 'QUEUED' }],
		charged: 0,
		leaks: [],
	});
	await control('reset', {});
	expect([emulator.jobs, emulator.calls]).toEqual([[], []]);
	expect(emulator.balance).toEqual({ credits: 5, freeCredits: 0 });
});

test.each([[{ jobsMs: 1 }], [{ jobMs: 'long' }], [{ webhooks: { copies: -1 } }], [[]]])(
	'rejects the orders %j and says why',
	async (orders) => {
		const response = await control('set', orders);
		expect([response.status, response.json.error]).toEqual([400, expect.any(String)]);
	},
);

test('the error for a port in use names the port', async () => {
	const port = Number(new URL(emulator.urls.api).port);
	await expect(startEmulator({ port })).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});
