/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import * as fc from 'fast-check';

import type { CallKind, FaultAction } from '../../dev/emulator';
import { useBareEmulator } from '../helpers/emulator';
import { runNode, type RunOptions } from '../helpers/runNode';
import { errorFaults, hintFaults, whyUnreadable } from './failures';
import { Ledger } from './ledger';
import { useVirtualTime } from '../helpers/virtualTime';

/** Splits a list at its spaces. */
export const words = (list: string): string[] => list.trim().split(/\s+/);

/** Strings that often break programs, except words such as "undefined", which a rule would take for an error of the JavaScript engine. */
const TRICKY_STRINGS = [
	...words(String.raw`
		../../etc/passwd ..\..\windows\win.ini / // %2e%2e%2f %00 % <script>alert(1)</script>
		__proto__ constructor toString hasOwnProperty [ {"a": CON COMPLETED FAILED completed
		NaN Infinity -0 1e999 0x10 null true
	`),
	'',
	' ',
	'\u0000',
	'\u001b[31mred\u001b[0m',
	'line one\nline two\r\n',
	'\u202egnp.exe',
	'a\u0300'.repeat(50),
	'\ud800',
	'👩‍👩‍👧‍👦',
	'{{ $json }}',
	'${7*7}',
	'={{ 1 }}',
	"'; DROP TABLE x; --",
	'9'.repeat(400),
	'x'.repeat(20_000),
];

export const HOSTILE_URLS = [
	...words(String.raw`
		javascript:alert(1) file:///etc/passwd data:text/html,x ftp://example.com/a.png //evil.example/a.png
		http:// https:// http:/x http://[broken http://[::1]:1/a.png http://[::ffff:127.0.0.1]:1/a.png
		http://user:pass@evil.example/a.png http://evil.example\@127.0.0.1/a.png
		http://xn--80ak6aa92e.com/a.png http://аррӏе.com/a.png http://169.254.169.254/latest/meta-data
		http://10.0.0.1/a.png http://0/ http://0x7f.1:1/ http://127.0.0.1:0/a.png http://127.0.0.1:99999/a.png
		http://evil.example/%zz% HTTP://EVIL.EXAMPLE/A.PNG http://evil.example/..%2f..%2fetc%2fpasswd
		https://api.segmind.com.evil.example/v2/requests/x blob:http://evil.example/1 about:blank
		http://evil.example:80:80/
	`),
	'http://evil.example/a\u0000b.png',
	'http://evil.example/\r\nx-api-key: stolen',
	`http://evil.example/${'a'.repeat(9_000)}.png`,
	'http://evil.example/\u202egnp.exe',
	' http://evil.example/a b.png ',
];

export const text = fc.oneof(
	fc.constantFrom(...TRICKY_STRINGS),
	fc.constantFrom(...HOSTILE_URLS),
	fc.string(),
	fc.string({ unit: 'binary', maxLength: 40 }),
);

/** Any JSON, often with strings of the above in it. */
export const json = fc.oneof(
	{ arbitrary: fc.jsonValue(), weight: 1 },
	{
		arbitrary: fc.letrec((tie) => ({
			value: fc.oneof(
				{ depthSize: 'small' },
				text,
				fc.double(),
				fc.integer(),
				fc.boolean(),
				fc.constant(null),
				fc.array(tie('value'), { maxLength: 4 }),
				fc.dictionary(text, tie('value'), { maxKeys: 4 }),
			),
		})).value,
		weight: 2,
	},
);

/** Returns JSON nested this many levels deep. It's written as a string, because JSON.stringify would fail. */
export const deepJson = (levels: number, open = '[', close = ']') =>
	open.repeat(levels) + '1' + close.repeat(levels);
const DEEP = [
	deepJson(60),
	deepJson(5_000),
	deepJson(100_000),
	deepJson(20_000, '{"output":', '}'),
	deepJson(20_000, '{"error":', '}'),
	deepJson(50_000)
		.replace(/^\[/, '{"request_id":"x","status":"COMPLETED","output":[')
		.replace(/\]$/, ']}'),
	`{"status":"FAILED","error":${deepJson(30_000)}}`,
];

const MEMBERS = words(`
	request_id status poll_url status_url response_url output images image video videos audio
	metrics timings cost seed remaining_credits error error_message message msg detail urls
	file_urls url data credits free-credits model_name model_status generation_url request_body
	created_at slug title type endpoint_id finetune_id last_frame_url choices content keyname value
	__proto__ constructor
`);

/** A response whose known members may have any value. */
const distorted = fc.dictionary(fc.constantFrom(...MEMBERS), fc.oneof(json, text), { maxKeys: 10 });

/** The body of a response, as bytes or text. Bodies of megabytes are rare, since they take seconds. */
export const body: fc.Arbitrary<string | Buffer> = fc.oneof(
	{ arbitrary: distorted.map((value) => JSON.stringify(value)), weight: 15 },
	{
		arbitrary: fc.array(distorted, { maxLength: 3 }).map((value) => JSON.stringify(value)),
		weight: 3,
	},
	{ arbitrary: json.map((value) => JSON.stringify(value)), weight: 6 },
	{
		arbitrary: distorted.map(
			(value) =>
				`{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},${JSON.stringify(value).slice(1).replace(/^\}$/, '"x":1}')}`,
		),
		weight: 3,
	},
	{ arbitrary: fc.constantFrom(...DEEP), weight: 1 },
	{ arbitrary: text, weight: 3 },
	{ arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)), weight: 3 },
	{
		arbitrary: fc.constantFrom(
			`{"output":"${'x'.repeat(3_000_000)}"}`,
			'y'.repeat(3_000_000),
			`[${'{},'.repeat(100_000)}{}]`,
			'{"status":"COMPLETED","images":[' +
				'{"url":"http://evil.example/a.png"},'.repeat(20) +
				'1]}',
		),
		weight: 1,
	},
);

/** Header values that Node accepts. */
export const headerValue = fc.oneof(
	fc.constantFrom(
		...words(`
			0 -1 1e309 NaN 99999999999999999999 soon 9999-12-31T23:59:59Z -271821-04-20 2026-01-15T10:00:30
			1768471230 application/json text/html / ;;;
		`),
		'',
		' ',
		'Thu, 01 Jan 1970 00:00:00 GMT',
		'image/png; charset=x',
		'attachment; filename="../../x"',
		"attachment; filename*=UTF-8''%e0%zz",
		'x'.repeat(4_000),
	),
	fc.string({ maxLength: 60 }),
);
const HEADERS = words(`
	x-rate-limit-reset-at-utc x-rate-limit-remaining retry-after date content-type
	content-disposition x-cost x-remaining-credits x-generation-time x-seed-value x-request-id
	x-output-metadata location content-encoding
`);
export const headers = fc.dictionary(fc.constantFrom(...HEADERS), headerValue, { maxKeys: 5 });

/** Longer than any allowed wait. */
const MAX_WAIT_MS = 4 * 3_600_000;

let credentials = 0;

/** Starts an emulator that misbehaves. Each run fails if a key leaks or Object.prototype changes. `rules` are those that the file counts. */
export function useHostileService(title: string, rules: readonly string[]) {
	const ledger = new Ledger(rules);
	const time = useVirtualTime();
	const emulator = useBareEmulator({ fineTuneOpen: true });
	const prototypeNames = Object.getOwnPropertyNames(Object.prototype).sort().join();
	beforeAll(() => {
		// dev/n8n/loopbackOnly.cjs reports each blocked connection. These tests cause such connections.
		process.removeAllListeners('leftLoopback');
		jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
	});
	/** Waits for work in virtual time, and checks that no key leaked. */
	const complete = async <T>(work: Promise<T>): Promise<T> => {
		const value = await time.run(work, MAX_WAIT_MS);
		expect(emulator.leaks).toEqual([]);
		expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(prototypeNames);
		return value;
	};
	return {
		ledger,
		/** Adds the last test of the file: that each of its rules applied. */
		testLedger: () => test('every rule applied', () => ledger.close(title)),
		emulator,
		complete,
		/** Runs a node in virtual time, and checks that its errors, hints and log are readable. Returns undefined if n8n itself doesn't run the node. */
		async run(options: Omit<RunOptions, 'emulator'>) {
			const running = runNode({
				emulator,
				credentialId: `hostile ${++credentials}`,
				...options,
			}).catch((error: Error) => {
				if (error.name !== 'WorkflowHasIssuesError') throw error;
				return undefined;
			});
			const result = await complete(running);
			if (result === undefined) return undefined;
			if (result.failed.length > 0) ledger.count('each error is written by the package');
			const faults = [...errorFaults(result), ...hintFaults(result)];
			expect([...faults, ...result.log.map(whyUnreadable)].filter(Boolean)).toEqual([]);
			return result;
		},
		/** Resets everything, then makes these calls respond like this. */
		resetWithFault(kinds: CallKind[], action: FaultAction) {
			time.restart();
			emulator.reset();
			emulator.fault({ on: kinds, times: 'always', do: action });
		},
	};
}

/** Makes a call respond like this, with JSON unless the headers say otherwise. With status 200, the emulator still carries the call out. */
export function responseFault(
	status: number,
	responseBody: string | Buffer,
	responseHeaders: Record<string, string>,
): FaultAction {
	const response = {
		body: responseBody,
		headers: { 'content-type': 'application/json', ...responseHeaders },
	};
	return status === 200 ? response : { status, ...response };
}
