import type { CallKind, FaultAction, Rewrite } from '../../dev/emulator';
import { FAULTS, type FaultName } from './faultKinds';

/** What can go wrong with a call where money is concerned, by name; beside the general faults of ./faultKinds.ts. */
type Actions = Record<string, FaultAction>;

const PAGE = '<html><body>Bad gateway</body></html>';
const gateway = (status: number): FaultAction => ({ status, body: PAGE, accept: true });
const rewritten = (rewrite: Rewrite): FaultAction => ({ rewrite });

/** The job is made; what answers is not the service. */
const GATEWAYS = {
	'408, accepted': gateway(408),
	'499, accepted': gateway(499),
	'500 as HTML, accepted': gateway(500),
	'502, accepted': gateway(502),
	'504, accepted': gateway(504),
	'504 after 10 s, accepted': { status: 504, body: '', accept: true, afterMs: 10_000 },
	'520, accepted': gateway(520),
	'524, accepted': gateway(524),
} satisfies Actions;

/** The job is made; its answer is lost on the way, or says less than it should. */
const LOST = {
	'lost after 10 s, accepted': { dropAfterMs: 10_000 },
	'half a head, accepted': 'halfHead',
	'gzip cut, accepted': 'gzipCut',
	'cut answer, accepted': rewritten({ cut: true }),
	'no id, accepted': rewritten({ without: ['request_id'] }),
} satisfies Actions;

/** A good answer of another form. */
const ODD = {
	'under 201': rewritten({ status: 201 }),
	'under 202': rewritten({ status: 202 }),
} satisfies Actions;
const NO_URLS = {
	'no URLs': rewritten({ without: ['poll_url', 'status_url', 'response_url'] }),
} satisfies Actions;

/** Answers about a request. */
const CHECKS = {
	'not found': 'notFound',
	'the body cut': rewritten({ cut: true }),
	'all null': rewritten({ nulls: true }),
	'no word': rewritten({ without: ['status'] }),
	'no word, no id': rewritten({ without: ['status', 'request_id'] }),
	'another word': rewritten({ with: { status: 'ERROR' } }),
	'under 400': rewritten({ status: 400 }),
	'under 422': rewritten({ status: 422 }),
	'under 500': rewritten({ status: 500 }),
	'422 as HTML': { status: 422, body: PAGE },
	'422 with an error alone': { status: 422, body: { error: 'Unprocessable' } },
} satisfies Actions;

const OWN = { ...GATEWAYS, ...LOST, ...ODD, ...NO_URLS, ...CHECKS } satisfies Actions;
export type MoneyFaultName = keyof typeof OWN | FaultName;

const names = <T extends string>(faults: Record<T, unknown>) => Object.keys(faults) as T[];

const LOST_BEFORE: FaultName[] = [
	'connection lost before acceptance',
	'no answer, not accepted',
	'502',
	'504',
	'500 as HTML',
	'408',
];
const LOST_AFTER: FaultName[] = [
	'connection lost after acceptance',
	'no answer, accepted',
	'answer 70 s late',
	'body cut at 12',
	'body stalls at 0',
	'200 HTML',
	'200 an empty object',
	'200 own error',
];
const REFUSED: FaultName[] = [
	'429, no header',
	'429, Retry-After 3',
	'503',
	'500',
	'401, bad key',
	'402',
	'404',
	'406, credits',
	'422 FAILED',
];
const TRANSIENT: FaultName[] = [
	'429, Retry-After 3',
	'500',
	'502',
	'503',
	'504',
	'404',
	'401, bad key',
	'connection lost before acceptance',
	'answer 5 s late',
	'answer 45 s late',
	'body cut at 12',
	'body stalls at 0',
	'200 empty',
	'200 an empty object',
	'200 HTML',
	'200 broken JSON',
	'200 own error',
	'200 unknown word',
];

/** The calls that are interfered with, and what may happen to them. */
export const MONEY_FAULTS_ON = {
	submit: [
		...names(GATEWAYS),
		...names(LOST),
		...names(ODD),
		...names(NO_URLS),
		...LOST_BEFORE,
		...LOST_AFTER,
		...REFUSED,
	],
	status: [...TRANSIENT, ...names(ODD), ...names(CHECKS)],
	result: [...TRANSIENT, ...names(ODD), ...names(CHECKS)],
	history: [...TRANSIENT, 'the body cut'],
	upload: [...LOST_BEFORE, ...LOST_AFTER],
} satisfies Partial<Record<CallKind, MoneyFaultName[]>>;

export function actionOf(name: MoneyFaultName): FaultAction {
	if (name in OWN) return OWN[name as keyof typeof OWN];
	// None of these needs the emulator's addresses.
	return FAULTS[name as FaultName](undefined as never);
}
