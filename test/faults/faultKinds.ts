import type { CallKind, Emulator, FaultAction } from '../../dev/emulator';
import { START } from '../helpers/virtualTime';

/** What can go wrong with one call, by name, so that a scenario can be read. `emulator` gives the addresses. */
type MakeFault = (emulator: Emulator) => FaultAction;

const status =
	(
		code: number,
		body: unknown = { error: `status ${code}` },
		headers?: Record<string, string>,
	): MakeFault =>
	() => ({ status: code, body, headers });
const limited = (headers: Record<string, string>): MakeFault =>
	status(429, { error: 'Rate limit exceeded. Please try again later.' }, headers);
const answered =
	(body: unknown, contentType = 'application/json'): MakeFault =>
	() => ({ body, contentType });
const iso = (ms: number) => new Date(ms).toISOString();

const LIMITS = {
	'429, reset as ISO': limited({ 'x-rate-limit-reset-at-utc': iso(START + 20_000) }),
	'429, reset without a zone': limited({
		'x-rate-limit-reset-at-utc': iso(START + 45_000).slice(0, 19),
	}),
	'429, reset in epoch seconds': limited({
		'x-rate-limit-reset-at-utc': String((START + 90_000) / 1_000),
	}),
	'429, reset in epoch ms': limited({ 'x-rate-limit-reset-at-utc': String(START + 30_000) }),
	'429, reset long ago': limited({ 'x-rate-limit-reset-at-utc': iso(START - 86_400_000) }),
	'429, reset in the year 9999': limited({ 'x-rate-limit-reset-at-utc': '9999-12-31T23:59:59Z' }),
	'429, reset is no time': limited({ 'x-rate-limit-reset-at-utc': 'soon' }),
	'429, Retry-After 3': limited({ 'retry-after': '3' }),
	'429, Retry-After as a date': limited({ 'retry-after': new Date(START + 15_000).toUTCString() }),
	'429, Retry-After absurd': limited({ 'retry-after': '99999999999999999999' }),
	'429, Retry-After negative': limited({ 'retry-after': '-5' }),
	'429, no header': limited({}),
	'429, none remaining': limited({ 'x-rate-limit-remaining': '0' }),
} satisfies Record<string, MakeFault>;

const TRANSIENT = {
	'500': status(500, { error: 'Internal error' }),
	'500 as HTML': status(500, '<!doctype html><title>500</title><h1>Oops</h1>'),
	'502': status(502, '<html><body>Bad gateway</body></html>'),
	'503': status(503),
	'503, Retry-After 2': status(503, { detail: 'down' }, { 'retry-after': '2' }),
	'504': status(504, ''),
} satisfies Record<string, MakeFault>;

const REFUSALS = {
	'400, no such host': status(400, { message: 'Missing or incorrect host header' }),
	'401, no key': status(401, { error: 'Missing Authorization or x-api-key in header' }),
	'401, bad key': status(401, { error: 'Unauthorized. API key is invalid or may have expired.' }),
	'402': status(402, { error: 'Insufficient credits. You have 0.0 credits.' }),
	'403': status(403, { error: 'This API key is not allowed to use this model.' }),
	'404': status(404, { error: 'not found' }),
	'405 as HTML': status(405, '<html><h1>405 Not Allowed</h1></html>'),
	'406, content type': status(406, { error: 'Invalid content type' }),
	'406, credits': status(406, { error: 'Insufficient credits' }),
	'406, spend limit': status(406, { error: 'Team spend limit reached' }),
	'406, parameter': status(406, { error: 'prompt is too long' }),
	'408': status(408, ''),
	'410': status(410, { error: 'This model has been retired.' }),
	'413': status(413, '<html>Request Entity Too Large</html>'),
	'418': status(418, { status_text: 'teapot' }),
} satisfies Record<string, MakeFault>;

const CONNECTION = {
	'connection lost before acceptance': () => 'dropBeforeAccept',
	'connection lost after acceptance': () => 'dropAfterAccept',
	'no answer, not accepted': () => 'hang',
	'no answer, accepted': () => 'hangAfterAccept',
	'answer 5 s late': () => ({ delayMs: 5_000 }),
	'answer 45 s late': () => ({ delayMs: 45_000 }),
	'answer 70 s late': () => ({ delayMs: 70_000 }),
	'answer 400 s late': () => ({ delayMs: 400_000 }),
	'body cut at 0': () => ({ truncate: 0 }),
	'body cut at 12': () => ({ truncate: 12 }),
	'body stalls at 0': () => ({ stall: 0 }),
	'body stalls at 12': () => ({ stall: 12 }),
	'body trickles for 8 min': () => ({ trickleMs: 48_000 }),
	'redirect elsewhere': (emulator) => ({ redirect: `${emulator.urls.hostile}/stolen` }),
	'redirect 302 elsewhere': (emulator) => ({
		redirect: `${emulator.urls.hostile}/stolen`,
		status: 302,
	}),
	'redirect to itself': (emulator) => ({ redirect: `${emulator.urls.api}/`, status: 301 }),
} satisfies Record<string, MakeFault>;

const BODIES = {
	'200 empty': answered(''),
	'200 null': answered('null'),
	'200 a list': answered('[]'),
	'200 an empty object': answered('{}'),
	'200 HTML': answered('<!doctype html><title>Welcome</title><h1>Sign in</h1>', 'text/html'),
	'200 broken JSON': answered('{"request_id": "abc'),
	'200 bytes': answered(Buffer.from([0, 255, 254, 1, 2, 3]), 'application/octet-stream'),
	'200 text': answered('all good', 'text/plain'),
	'200 wrong types': answered({
		request_id: {},
		status: 7,
		poll_url: [],
		status_url: {},
		response_url: 3,
		output: { url: 5 },
		urls: 'x',
		credits: [],
	}),
	'200 unknown word': answered({ status: 'WAITING_FOR_GPU' }),
	'200 own error': answered({ message: 'try again', error_message: { code: 'X' } }),
} satisfies Record<string, MakeFault>;

/** Only where no purchase depends on it: a request that is called FAILED although it completes would rightly be submitted again. */
const LIES = {
	'200 FAILED': answered({ status: 'FAILED', error: 'it failed after all' }),
	'422 FAILED': status(422, { status: 'FAILED', error: 'it failed after all' }),
} satisfies Record<string, MakeFault>;

export const FAULTS: Record<FaultName, MakeFault> = {
	...LIMITS,
	...TRANSIENT,
	...REFUSALS,
	...CONNECTION,
	...BODIES,
	...LIES,
};

export type FaultName =
	| keyof typeof LIMITS
	| keyof typeof TRANSIENT
	| keyof typeof REFUSALS
	| keyof typeof CONNECTION
	| keyof typeof BODIES
	| keyof typeof LIES;

const names = <T extends string>(faults: Record<T, unknown>) => Object.keys(faults) as T[];
const ANYWHERE: FaultName[] = [
	...names(LIMITS),
	...names(TRANSIENT),
	...names(CONNECTION),
	...names(REFUSALS),
	...names(BODIES),
];

/** The calls that are interfered with, and what may happen to them. */
export const FAULTS_ON = {
	submit: [...ANYWHERE, '422 FAILED'],
	status: ANYWHERE,
	result: [...ANYWHERE, ...names(LIES)],
	upload: ANYWHERE,
	history: ANYWHERE,
	credits: ANYWHERE,
	file: [
		...names(TRANSIENT),
		...names(CONNECTION),
		'404',
		'403',
		'429, no header',
		'200 empty',
		'200 HTML',
		'200 bytes',
	],
} satisfies Partial<Record<CallKind, FaultName[]>>;

/** A v1 call is a purchase too, and a `poll_url` tells the status where there is nothing else. */
export function callsFor(on: keyof typeof FAULTS_ON): CallKind[] {
	return on === 'submit' ? ['submit', 'v1'] : on === 'status' ? ['status', 'poll'] : [on];
}

/** Answers that are not the service's own words: what an item then says of its result cannot be held against it. */
export const isInvented = (name: FaultName): boolean => name in BODIES || name in LIES;
