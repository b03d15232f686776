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
	'429, reset in epoch seconds': resetFault(String((START + 90_000) / 1_000)),
	'429, reset in the year 9999': resetFault('9999-12-31T23:59:59Z'),
	'429, Retry-After 3': retryAfter('3'),
	'429, no header': limitFault({}),
} satisfies Faults;

const TRANSIENT = {
	'500': status(500, { error: 'Internal error' }),
	'502': status(502, GATEWAY_PAGE),
	'503': status(503),
	'504': status(504, ''),
} satisfies Faults;

const REJECTIONS = {
	'401, bad key': status(401, { error: 'Unauthorized. API key is invalid or may have expired.' }),
	'402': status(402, { error: 'Insufficient credits. You have 0.0 credits.' }),
	'404': status(404, { error: 'not found' }),
	'406, parameter': status(406, { error: 'prompt is too long' }),
} satisfies Faults;

/** The request may or may not have been accepted: the response, if any, doesn't say. */
const CONNECTION = {
	'connection lost before acceptance': 'dropBeforeAccept',
	'connection lost after acceptance': 'dropAfterAccept',
	'no response, not accepted': 'hang',
	'no response, accepted': 'hangAfterAccept',
	'cut response, accepted': rewriteFault({ cut: true }),
	'no ID, accepted': rewriteFault({ without: ['request_id'] }),
	'response 70 s late': { delayMs: 70_000 },
	'body stalls at 12': { stall: 12 },
} satisfies Faults;

const SLOW = {
	'response 45 s late': { delayMs: 45_000 },
	'response 400 s late': { delayMs: 400_000 },
	'body trickles for 8 min': { trickleMs: 48_000 },
	'redirect elsewhere': ({ urls }) => ({ redirect: `${urls.hostile}/stolen` }),
} satisfies Faults;

/** The service accepts the request, but a gateway responds instead. */
const GATEWAYS = {
	'408, accepted': gatewayFault(408),
	'499, accepted': gatewayFault(499),
	'502, accepted': gatewayFault(502),
	'504, accepted': gatewayFault(504),
	'524, accepted': gatewayFault(524),
} satisfies Faults;

const BODIES = {
	'200 empty': bodyFault(''),
	'200 HTML': bodyFault('<!doctype html><title>Welcome</title><h1>Sign in</h1>', 'text/html'),
	'200 unknown status': bodyFault({ status: 'WAITING_FOR_GPU' }),
	'200 with an error': bodyFault({ message: 'try again', error_message: { code: 'X' } }),
} satisfies Faults;

/** What a firewall, a proxy or a sign-in portal between n8n and Segmind sends. */
const FOREIGN = {
	'401 page': status(401, '<html><title>Sign in</title></html>'),
	'403 page': status(403, '<html><title>Just a moment…</title></html>'),
	'404 page': status(404, '<html><title>Not Found</title></html>'),
	'403 of a gateway': status(403, { message: 'Forbidden' }),
	'302 to a portal': status(302, '', { location: 'https://portal.test/' }),
} satisfies Faults;

/** Used only where it can't cause a charge: the node may send a new request if the service says FAILED about a request that completes. */
const LIES = {
	'200 FAILED': bodyFault({ status: 'FAILED', error: 'it failed after all' }),
	'422 FAILED': status(422, { status: 'FAILED', error: 'it failed after all' }),
} satisfies Faults;

/** A regular response to a submission in another form. */
const OTHER_FORMS = {
	'under 202': rewriteFault({ status: 202 }),
	'no URLs': rewriteFault({ without: ['poll_url', 'status_url', 'response_url'] }),
} satisfies Faults;

/** Responses about a request. */
const CHECKS = {
	'not found': 'notFound',
	'cut response': rewriteFault({ cut: true }),
	'no status': rewriteFault({ without: ['status'] }),
	'under 500': rewriteFault({ status: 500 }),
} satisfies Faults;

const ALL = {
	...RATE_LIMITS,
	...TRANSIENT,
	...REJECTIONS,
	...CONNECTION,
	...SLOW,
	...GATEWAYS,
	...BODIES,
	...FOREIGN,
	...LIES,
	...OTHER_FORMS,
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
	names(FOREIGN),
];

/** The faults of each kind of call, in groups of equal weight. */
export const FAULTS_ON = {
	submit: [
		...GENERAL,
		names(CONNECTION),
		names(GATEWAYS),
		names(GATEWAYS),
		[...names(OTHER_FORMS), '422 FAILED'],
	],
	status: [...GENERAL, names(CHECKS)],
	result: [...GENERAL, names(CHECKS), names(LIES)],
	history: [...GENERAL, ['cut response']],
	upload: GENERAL,
	credits: GENERAL,
	file: [
		names(TRANSIENT),
		names(CONNECTION),
		names(SLOW),
		['404', '429, no header', '200 empty', '200 HTML'],
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
