/** Any delivery to the webhook gets a documented response, and starts nothing that n8n can't handle. */
import * as fc from 'fast-check';

import { useEmulator } from '../helpers/emulator';
import { hostTrigger, type WebhookHost } from '../helpers/triggers';
import { body, deepJson, json, text, words } from './hostile';
import { Ledger, testLedger } from './ledger';
import { checkProperty } from './randomRuns';

const emulator = useEmulator();
const ledger = new Ledger(['each delivery gets a response', 'no execution has a confirmed job']);
let host: WebhookHost;
beforeAll(async () => {
	host = await hostTrigger({ emulator, parameters: { events: ['AVAILABLE'] } });
});
afterAll(async () => await host.close());

const payload = fc.oneof(
	{
		arbitrary: fc
			.dictionary(
				fc.constantFrom(
					...words(`
						event event_type type status finetune_id request_id id data test error message confirmed
						finetune __proto__ constructor
					`),
				),
				fc.oneof(json, fc.constantFrom('AVAILABLE', 'available', 'TRAINING_COMPLETED', 'x')),
				{ maxKeys: 6 },
			)
			.map((value) => JSON.stringify(value)),
		weight: 5,
	},
	{ arbitrary: body, weight: 2 },
	{
		arbitrary: fc.constantFrom(
			deepJson(100_000),
			`{"event":"AVAILABLE","finetune_id":"d","x":${deepJson(30_000)}}`,
			`{"event":"AVAILABLE","x":"${'y'.repeat(2_000_000)}"}`,
		),
		weight: 1,
	},
);
const contentType = fc.constantFrom(
	'application/json',
	'application/json; charset=utf-16',
	'text/plain',
	'application/xml',
	'application/x-www-form-urlencoded',
	'multipart/form-data; boundary=x',
	'application/octet-stream',
	'',
);

test('any payload gets a documented response', async () => {
	await checkProperty(
		300,
		fc.tuple(payload, contentType, text.map(encodeURIComponentSafely), fc.boolean()),
		async ([sent, type, query, isTest]) => {
			const { status } = await host.deliver({
				body: sent,
				headers: type === '' ? {} : { 'content-type': type },
				query: `?secret=${query}`,
				test: isTest,
			});
			expect([200, 400, 413, 415, 422]).toContain(status);
			ledger.count('each delivery gets a response');
			await host.whenIdle();
			expect(host.errors).toEqual([]);
			expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		},
	);
	// Each execution can be stored, and none of them claims to be confirmed, which only the node can know.
	expect(() => JSON.stringify(host.executions)).not.toThrow();
	for (const execution of host.executions) {
		expect(execution).not.toHaveProperty('confirmed');
		ledger.count('no execution has a confirmed job');
	}
});

testLedger('hostile webhook', ledger);

function encodeURIComponentSafely(value: string): string {
	return encodeURIComponent(value.slice(0, 500).replace(/[\ud800-\udfff]/g, ''));
}
