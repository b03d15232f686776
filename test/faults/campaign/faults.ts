import type { CallKind, Emulator, FaultAction, Rewrite } from '../../../dev/emulator';
import { START } from '../../helpers/virtualTime';

/** What can go wrong with one call, by a readable name. An action that needs the emulator's URLs is a function. */
type Faults = Record<string, FaultAction | ((emulator: Emulator) => FaultAction)>;

const GATEWAY_PAGE = '<html><body>Bad gateway</body></html>';
const gatewayFault = (status: number): FaultAction => ({
	status,
	body: GATEWAY_PAGE,
	accept: true,
});
const rewriteFault = (rewrite: Rewrite): FaultAction => ({ rewrite });
const status = (
	code: number,
	body: unknown = { error: `status ${code}` },
	headers?: Record<string, string>,
): FaultAction => ({ status: code, body, headers });
const limitFault = (headers: Record<string, string>) =>
	status(429, { error: 'Rate limit exceeded. Please try again later.' }, headers);
const resetFault = (at: string) => limitFault({ 'x-rate-limit-reset-at-utc': at });
const retryAfter = (value: string) => limitFault({ 'retry-after': value });
const bodyFault = (body: unknown, contentType = 'application/json'): FaultAction => ({
	body,
	contentType,
});
const iso = (ms: number) => new Date(START + ms).toISOString();

const RATE_LIMITS = {
	'429, reset as ISO': resetFault(iso(20_000)),
	'429, reset without a zone': resetFault(iso(45_000).slice(0, 19)),
	'429, reset in epoch seconds': resetFault(String((START + 90_000) / 1_000)),
	'429, reset long ago': resetFault(iso(-86_400_000)),
	'429, reset in the year 9999': resetFault('9999-12-31T23:59:59Z'),
	'429, Retry-After 3': retryAfter('3'),
	'429, Retry-After as a date': retryAfter(new Date(START + 15_000).toUTCString()),
	'429, Retry-After absurd': retryAfter('99999999999999999999'),
	'429, no header': limitFault({}),
} satisfies Faults;

const TRANSIENT = {
	'500': status(500, { error: 'Internal error' }),
	'502': status(502, GATEWAY_PAGE),
	'503': status(503),
	'503, Retry-After 2': status(503, { detail: 'down' }, { 'retry-after': '2' }),
	'504': status(504, ''),
	'408': status(408, ''),
} satisfies Faults;

const REJECTIONS = {
	'400, no such host': status(400, { message: 'Missing or incorrect host header' }),
	'401, bad key': status(401, { error: 'Unauthorized. API key is invalid or may have expired.' }),
	'402': status(402, { error: 'Insufficient credits. You have 0.0 credits.' }),
	'403': status(403, { error: 'This API key is not allowed to use this model.' }),
	'404': status(404, { error: 'not found' }),
	'405 as HTML': status(405, '<html><h1>405 Not Allowed</h1></html>'),
	'406, parameter': status(406, { error: 'prompt is too long' }),
	'413': status(413, '<html>Request Entity Too Large</html>'),
} satisfies Faults;

/** The request may or may not have been accepted: the response, if any, doesn't say. */
const CONNECTION = {
	'connection lost before acceptance': 'dropBeforeAccept',
	'connection lost after acceptance': 'dropAfterAccept',
	'no response, not accepted': 'hang',
	'no response, accepted': 'hangAfterAccept',
	'lost after 10 s, accepted': { dropAfterMs: 10_000 },
	'half the headers, accepted': 'halfHead',
	'cut response, accepted': rewriteFault({ cut: true }),
	'no ID, accepted': rewriteFault({ without: ['request_id'] }),
	'response 70 s late': { delayMs: 70_000 },
	'body cut at 12': { truncate: 12 },
	'body stalls at 12': { stall: 12 },
} satisfies Faults;

const SLOW = {
	'response 5 s late': { delayMs: 5_000 },
	'response 45 s late': { delayMs: 45_000 },
	'response 400 s late': { delayMs: 400_000 },
	'body trickles for 8 min': { trickleMs: 48_000 },
	'redirect elsewhere': ({ urls }) => ({ redirect: `${urls.hostile}/stolen` }),
	'redirect to itself': ({ urls }) => ({ redirect: `${urls.api}/`, status: 301 }),
} satisfies Faults;

/** The service accepts the request, but a gateway responds instead. */
const GATEWAYS = {
	'408, accepted': gatewayFault(408),
	'499, accepted': gatewayFault(499),
	'502, accepted': gatewayFault(502),
	'504, accepted': gatewayFault(504),
	'504 after 10 s, accepted': { status: 504, body: '', accept: true, afterMs: 10_000 },
	'524, accepted': gatewayFault(524),
} satisfies Faults;

const BODIES = {
	'200 empty': bodyFault(''),
	'200 a list': bodyFault('[]'),
	'200 HTML': bodyFault('<!doctype html><title>Welcome</title><h1>Sign in</h1>', 'text/html'),
	'200 broken JSON': bodyFault('{"request_id": "abc'),
	'200 bytes': bodyFault(Buffer.from([0, 255, 254, 1, 2, 3]), 'application/octet-stream'),
	'200 text': bodyFault('all good', 'text/plain'),
	'200 wrong types': bodyFault({
		request_id: {},
		status: 7,
		poll_url: {},
		status_url: {},
		response_url: 3,
		output: { url: 5 },
		urls: 'x',
		credits: {},
	}),
	'200 unknown status': bodyFault({ status: 'WAITING_FOR_GPU' }),
	'200 with an error': bodyFault({ message: 'try again', error_message: { code: 'X' } }),
} satisfies Faults;

/** Used only where it can't cause a charge: the node may send a new request if the service says FAILED about a request that completes. */
const LIES = {
	'200 FAILED': bodyFault({ status: 'FAILED', error: 'it failed after all' }),
	'422 FAILED': status(422, { status: 'FAILED', error: 'it failed after all' }),
} satisfies Faults;

/** A regular response in another form. */
const OTHER_FORMS = {
	'under 201': rewriteFault({ status: 201 }),
	'under 202': rewriteFault({ status: 202 }),
} satisfies Faults;
const NO_URLS = {
	'no URLs': rewriteFault({ without: ['poll_url', 'status_url', 'response_url'] }),
} satisfies Faults;

/** Responses about a request. */
const CHECKS = {
	'not found': 'notFound',
	'cut response': rewriteFault({ cut: true }),
	'all null': rewriteFault({ nulls: true }),
	'no status': rewriteFault({ without: ['status'] }),
	'no status, no ID': rewriteFault({ without: ['status', 'request_id'] }),
	'status ERROR': rewriteFault({ with: { status: 'ERROR' } }),
	'under 400': rewriteFault({ status: 400 }),
	'under 422': rewriteFault({ status: 422 }),
	'under 500': rewriteFault({ status: 500 }),
	'422 as HTML': { status: 422, body: GATEWAY_PAGE },
	'422 with only an error': { status: 422, body: { error: 'Unprocessable' } },
} satisfies Faults;

const ALL = {
	...RATE_LIMITS,
	...TRANSIENT,
	...REJECTIONS,
	...CONNECTION,
	...SLOW,
	...GATEWAYS,
	...BODIES,
	...LIES,
	...OTHER_FORMS,
	...NO_URLS,
	...CHECKS,
};
export type FaultName = keyof typeof ALL;

const names = <T extends string>(faults: Record<T, unknown>) => Object.keys(faults) as T[];
const GENERAL: FaultName[][] = [
	names(RATE_LIMITS),
	names(TRANSIENT),
	names(REJECTIONS),
	names(SLOW),
	names(CONNECTION),
	names(BODIES),
];

/** The faults of each kind of call, in groups of equal weight. */
export const FAULTS_ON = {
	submit: [
		...GENERAL,
		names(CONNECTION),
		names(GATEWAYS),
		names(GATEWAYS),
		[...names(OTHER_FORMS), ...names(NO_URLS), '422 FAILED'],
	],
	// When a request has failed, the service itself responds with a 422 that has only an error.
	status: [
		...GENERAL,
		names(OTHER_FORMS),
		names(CHECKS).filter((name) => name !== '422 with only an error'),
	],
	result: [...GENERAL, names(OTHER_FORMS), names(CHECKS), names(LIES)],
	// With an empty list, the history would seem to be empty.
	history: [
		...GENERAL.map((group) => group.filter((name) => name !== '200 a list')),
		['cut response'],
	],
	upload: GENERAL,
	credits: GENERAL,
	file: [
		names(TRANSIENT),
		names(CONNECTION),
		names(SLOW),
		['404', '403', '429, no header', '200 empty', '200 HTML', '200 bytes'],
	],
} satisfies Partial<Record<CallKind, FaultName[][]>>;

export type FaultyCall = keyof typeof FAULTS_ON;

/** Returns the emulator's kinds of a faulty call: a v1 call submits a request too, and a `poll_url` may be the only source of the status. */
export function callsFor(on: FaultyCall): CallKind[] {
	return on === 'submit' ? ['submit', 'v1'] : on === 'status' ? ['status', 'poll'] : [on];
}

export function actionOf(name: FaultName, emulator: Emulator): FaultAction {
	const fault: FaultAction | ((emulator: Emulator) => FaultAction) = ALL[name];
	return typeof fault === 'function' ? fault(emulator) : fault;
}

/** Whether the response isn't the service's own. The node can't be blamed for what it then reports about a result. */
export const isInvented = (name: string): boolean => name in BODIES || name in LIES;
