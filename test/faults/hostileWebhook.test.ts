/** Any delivery to the webhook gets a documented response, in time that is linear in its size, and starts nothing that n8n can't handle. */
import * as fc from 'fast-check';

import { useEmulator } from '../helpers/emulator';
import { expectLinear } from '../helpers/processorTime';
import { hostTrigger, type WebhookHost } from '../helpers/triggers';
import { body, deepJson, json, words } from './hostile';
import { checkProperty } from './randomRuns';

const emulator = useEmulator();
let host: WebhookHost;
beforeAll(async () => {
	host = await hostTrigger({ emulator, parameters: { events: ['AVAILABLE'] } });
});
afterAll(async () => {
	expect(host.errors).toEqual([]);
	await host.close();
});

const NAMES = words(`
	event event_type type status finetune_id request_id id data test error message confirmed finetune __proto__ constructor
`);
const value = fc.oneof(json, fc.constantFrom('AVAILABLE', 'available', 'TRAINING_COMPLETED', 'x'));
const payload = fc.oneof(
	{
		arbitrary: fc
			.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 6 })
			.map((members) => JSON.stringify(members)),
		weight: 5,
	},
	{ arbitrary: body, weight: 2 },
	fc.constantFrom(
		deepJson(100_000),
		`{"event":"AVAILABLE","finetune_id":"d","x":${deepJson(30_000)}}`,
		`{"event":"AVAILABLE","x":"${'y'.repeat(2_000_000)}"}`,
	),
);
const contentType = fc.constantFrom(
	'application/json; charset=utf-16',
	'text/plain',
	'application/xml',
	'application/x-www-form-urlencoded',
	'multipart/form-data; boundary=x',
	'',
);

test('any payload gets a documented response, and no execution claims to be confirmed', async () => {
	await checkProperty(
		300,
		fc.tuple(payload, contentType, fc.boolean()),
		async ([sent, type, isTest]) => {
			const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
			const { status } = await host.deliver({ body: sent, headers, test: isTest });
			expect([200, 400, 413, 415, 422]).toContain(status);
			await host.whenIdle();
			expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
		},
	);
	expect(host.executions.length).toBeGreaterThan(50);
	expect(() => JSON.stringify(host.executions)).not.toThrow();
	for (const execution of host.executions) expect(execution).not.toHaveProperty('confirmed');
});

const repeatTo = (text: string, length: number) =>
	text.repeat(Math.ceil(length / text.length)).slice(0, length);
const objectOf = (member: (at: number) => string, length: number) => {
	const count = Math.ceil(length / (member(0).length + 1));
	return `{${Array.from({ length: count }, (_unused, at) => member(at)).join(',')}}`;
};

/** Bodies of about this many bytes that slow code might take long to read. */
const BODIES: Record<string, (length: number) => string> = {
	'one long string': (length) => `{"event":"AVAILABLE","x":"${'y'.repeat(length)}"}`,
	'one string of URLs': (length) => `{"x":"${repeatTo('://a?', length)}"}`,
	'one long name': (length) => `{"${repeatTo('://', length)}":1}`,
	'many names': (length) => objectOf((at) => `"${at + 1e6}":0`, length),
	'many events': (length) => objectOf((at) => `"e${at + 1e6}":"AVAILABLE"`, length),
	'keys and tokens': (length) =>
		objectOf((at) => `"SG_0123456789${at + 1e6} eyJabcdefgh.":1`, length),
	'escapes in the ID': (length) => `{"event":"AVAILABLE","id":"${repeatTo('%25', length)}"}`,
	'wide lists': (length) => `{"event":"AVAILABLE","x":[${'{},'.repeat(length / 3)}1]}`,
	'nested as deep as allowed': (length) =>
		`{"x":[${`${'['.repeat(196)}${']'.repeat(196)},`.repeat(length / 393)}1]}`,
	'nested deeper': (length) => `{"x":${'['.repeat(length / 2)}${']'.repeat(length / 2)}}`,
	'not JSON': (length) => repeatTo('[{"a":', length),
};

test.each(Object.entries(BODIES))('takes linear time: %s', async (_name, make) => {
	const headers = { 'content-type': 'text/plain' };
	// One delivery takes too little time to measure.
	await expectLinear(
		make,
		async (sent) =>
			await Promise.all(
				Array.from({ length: 20 }, async () => await host.deliver({ body: sent, headers })),
			),
		63_000 / 8,
	);
	await host.whenIdle();
});
