/** A hundred malformed answers: each ends in a clear error or a good item, never in a raw TypeError, and never in a second purchase. */
import { fileRow, rows, running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const BODIES: Array<[string, unknown]> = [
	['nothing', ''],
	['null', 'null'],
	['a number', '42'],
	['a text', '"QUEUED"'],
	['a list', '[]'],
	['a list of objects', '[{"request_id":"x"}]'],
	['an empty object', '{}'],
	['cut JSON', '{"request_id": "abc'],
	['HTML', '<!doctype html><title>502</title><h1>Bad gateway</h1>'],
	['binary', Buffer.from([0, 255, 254, 1, 2, 3])],
	[
		'null members',
		{
			request_id: null,
			status: null,
			poll_url: null,
			status_url: null,
			response_url: null,
			output: null,
		},
	],
	[
		'wrong types',
		{
			request_id: {},
			status: 7,
			poll_url: [],
			status_url: {},
			response_url: 3,
			output: { url: 5 },
		},
	],
	['an error under 200', { error: 'something odd', status: 'UNHEARD_OF' }],
	[
		'nested nonsense',
		{
			status: { a: [{}] },
			error: { error: { error: null } },
			images: [null, 1, { url: {} }],
			video: 'no',
		},
	],
	['empty texts', { request_id: '', status: '', status_url: '', response_url: '' }],
	[
		'proto names',
		'{"__proto__": {"status": "COMPLETED"}, "constructor": 1, "request_id": "__proto__"}',
	],
	['control characters', { error: '\u0000\u0007\u001b[31mred\u001b[0m', status: 'FAILED' }],
	['very long', { status: 'FAILED', error: 'x'.repeat(200_000) }],
	[
		'addresses that are none',
		{
			request_id: 'a b',
			status_url: 'javascript:alert(1)',
			response_url: '//evil',
			poll_url: 'http://',
		},
	],
	['status words in lower case', { status: 'completed', output: 'http://[broken' }],
];

const KINDS = ['submit', 'status', 'result', 'v1', 'upload'] as const;
const cases = KINDS.flatMap((kind) => BODIES.map(([name, body]) => [kind, name, body] as const));

test('there are a hundred', () => expect(cases).toHaveLength(100));

test.each(cases)('%s answers %s', async (kind, _name, body) => {
	emulator.it.set({ history: false });
	emulator.it.fault({
		on: kind === 'status' ? ['status', 'poll'] : kind,
		times: 'always',
		do: { body, contentType: 'application/json' },
	});
	const item = {
		json: {},
		binary: { data: { data: 'eA==', mimeType: 'image/png', fileName: 'x.png' } },
	};
	const parameters = running(
		{},
		{
			timeoutSeconds: 1,
			pollIntervalSeconds: 0.02,
			answerInOneCall: kind === 'v1',
			...(kind === 'upload' && {
				additionalParameters: rows(fileRow('image')),
			}),
		},
	);
	const { error, json } = await runNode({
		emulator: emulator.it,
		parameters,
		items: [item],
		tries: 2,
	});
	if (error) {
		expect(error.name).toMatch(/^Node(Api|Operation)Error$/);
		expect(error.message).toMatch(/request|upload|model/i);
		expect(error.message).not.toMatch(/undefined|is not a function|Cannot read|\[object/);
		expect(`${error.message}${error.description}`.length).toBeLessThan(2_000);
		// eslint-disable-next-line no-control-regex
		expect(error.message).not.toMatch(/[\u0000-\u001f]/);
	} else expect(json[0]).not.toHaveProperty('error');
	expect(emulator.it.callsOf('submit', 'v1').length).toBeLessThanOrEqual(kind === 'status' ? 2 : 1);
	const ids = emulator.it.jobs.map(({ requestId }) => requestId);
	if (error && (kind === 'status' || kind === 'result'))
		expect(ids.some((id) => `${error.message}${error.description}`.includes(id))).toBe(true);
});
