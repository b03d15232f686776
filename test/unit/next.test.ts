/** The next step of an attempt for every journal entry, search result, end of a request and policy. */
import type { DoneEntry, Entry, SentEntry } from '../../nodes/shared/journal/entry';
import type { Ended } from '../../nodes/shared/request/poll/ended';
import { next } from '../../nodes/shared/request/rules/next';
import type { Attempt, Policy, Seen } from '../../nodes/shared/request/rules/state';
import type { Creation, Generation } from '../../nodes/shared/request/rules/submission';
import type { Searched } from '../../nodes/shared/request/search/searched';

const options = { onTimeout: 'error' };
const generation = { responds: 'reference', waits: true, presentation: { options } } as Generation;
const leaving = {
	...generation,
	presentation: { options: { onTimeout: 'returnRequest' } },
} as Generation;
const oneCall = { ...leaving, responds: 'output' } as Generation;
const creation = { responds: 'creation' } as Creation;

const id = 'call-1';
const ref = { request_id: 'request-1' };
const fetchable = { ...ref, status_url: 'https://a/status' };
const output = { json: { url: 'a' }, presentation: 'p' };
const accepted: Entry = { is: 'accepted', id, at: 1, ref };
const done: DoneEntry = { is: 'done', id, at: 1 };
const trace = { likeness: 'l', fingerprint: { a: 'f' } };
const lost: SentEntry = { is: 'sent', id, at: 1, by: 'ours', lostAt: 2, trace };
const gateway: SentEntry = { ...lost, gateway: true };
const another: SentEntry = { ...lost, by: 'another' };
const untraced: SentEntry = { ...lost, trace: undefined };

const CAUTIOUS: Policy = { sendAgainIfUnsure: false, credential: 'ours', submission: generation };
const IDEMPOTENT = { isIdempotent: true };
const RESEND = { sendAgainIfUnsure: true };

const NOTHING: Attempt = { is: 'none' };
const request = {} as Extract<Attempt, { is: 'prepared' }>['request'];
const LOST: Attempt = {
	is: 'lost',
	id,
	request,
	loss: { by: 'connection', fault: { kind: 'lost', reason: '' } },
};
const response = { response: { status: 200, headers: {}, body: Buffer.alloc(0) } };
const RESPONDED: Attempt = { is: 'responded', id, request, response };
const withContent = { ...response, content: { kind: 'text', text: 'a' } as const };

const ONE: Searched = { kind: 'one', requestId: 'request-2' };
const SEVERAL: Searched = { kind: 'several', candidates: ['request-3'] };
const NONE: Searched = { kind: 'none' };
const UNREAD: Searched = { kind: 'unread', isLasting: false };
const NO_HISTORY: Searched = { kind: 'unread', isLasting: true };
const UNDER_WAY: Searched = { kind: 'underWay' };

const SEND = { do: 'send' };
const ADOPT = { do: 'adopt', id, found: ONE };
const REFUSE = { do: 'fail', why: { is: 'mayBeAccepted' } };
const LOST_OUTPUT = { do: 'fail', why: { is: 'outputLost' } };
const BY_ANOTHER = { do: 'fail', why: { is: 'sentByAnother' } };

type Given = [
	what: string,
	entry: Entry | undefined,
	expected: object,
	given?: { attempt?: Attempt; policy?: Partial<Policy>; seen?: Seen },
];
const check = ([, entry, expected, given]: Given) => {
	const { attempt = NOTHING, policy, seen = {} } = given ?? {};
	const state = { entry, attempt, left: [] };
	expect(next(state, { ...CAUTIOUS, ...policy }, seen)).toMatchObject(expected);
};

test.each<Given>([
	['nothing was sent', undefined, SEND],
	['a response was lost', lost, { do: 'search', lost }],
	['by this attempt', lost, { do: 'search' }, { attempt: LOST }],
	['a gateway responded', gateway, { do: 'search' }],
	['resend', lost, { do: 'search' }, { policy: RESEND }],
	['the history does not list it', untraced, REFUSE],
	['the history does not list it, resend', untraced, SEND, { policy: RESEND }],
	['idempotent', lost, SEND, { policy: IDEMPOTENT }],
	['sent by another credential', another, BY_ANOTHER],
	['sent by another credential, resend', another, { do: 'search' }, { policy: RESEND }],
])('a request that may have been accepted: %s', (...given) => check(given));

test.each<Given>([
	['found', lost, ADOPT, { seen: { searched: ONE } }],
	['found, lost by this attempt', lost, ADOPT, { attempt: LOST, seen: { searched: ONE } }],
	['candidates', lost, REFUSE, { seen: { searched: SEVERAL } }],
	['not found', lost, REFUSE, { seen: { searched: NONE } }],
	['unread', lost, REFUSE, { seen: { searched: UNREAD } }],
	['no history', lost, REFUSE, { seen: { searched: NO_HISTORY } }],
	['gateway, found', gateway, ADOPT, { seen: { searched: ONE } }],
	['gateway, candidates', gateway, REFUSE, { seen: { searched: SEVERAL } }],
	['gateway, not found', gateway, SEND, { seen: { searched: NONE } }],
	['gateway, unread', gateway, REFUSE, { seen: { searched: UNREAD } }],
	['gateway, no history', gateway, SEND, { seen: { searched: NO_HISTORY } }],
	['gateway, under way', gateway, REFUSE, { seen: { searched: UNDER_WAY } }],
	['gateway, by this attempt', gateway, REFUSE, { attempt: LOST, seen: { searched: NONE } }],
	['resend, found', lost, ADOPT, { policy: RESEND, seen: { searched: ONE } }],
	['resend, candidates', lost, SEND, { policy: RESEND, seen: { searched: SEVERAL } }],
	// Its own response or an equal call's will show the outcome.
	['resend, under way', lost, REFUSE, { policy: RESEND, seen: { searched: UNDER_WAY } }],
	[
		'resend, lost by this attempt',
		lost,
		REFUSE,
		{ policy: RESEND, attempt: LOST, seen: { searched: NONE } },
	],
	['another credential, resend', another, SEND, { policy: RESEND, seen: { searched: NONE } }],
])('the history was searched: %s', (...given) => check(given));

const expired: Ended = { kind: 'missing', isExpired: true, history: 'none' };
const failed: Ended = { kind: 'failed', reason: 'no' };
const timeout: Ended = { kind: 'timeout', status: 'PROCESSING' };
const finished: Ended = { kind: 'finished', body: {} };
const POLL = { do: 'poll', ref, hasCompleted: false };
const ENDED = { do: 'fail', why: { is: 'ended' } };
const room = (why: string) => ({ do: 'makeRoom', id, why });
const from = (what: string) => ({ do: 'deliver', from: what });

test.each<Given>([
	['waits for it', accepted, POLL],
	['without an ID', { ...accepted, ref: undefined }, LOST_OUTPUT],
	[
		'does not wait for it',
		accepted,
		from('request'),
		{ policy: { submission: { ...generation, waits: false } } },
	],
	[
		'its own response holds the output',
		accepted,
		from('response'),
		{ attempt: { ...RESPONDED, response: withContent } },
	],
	[
		'something was created',
		accepted,
		from('creation'),
		{ policy: { submission: creation }, attempt: RESPONDED },
	],
	['finished', accepted, from('result'), { seen: { ended: finished } }],
	['failed', accepted, room('failed'), { seen: { ended: failed } }],
	[
		'failed, sent by this attempt',
		accepted,
		ENDED,
		{ attempt: RESPONDED, seen: { ended: failed } },
	],
	['failed, adopted by this attempt', accepted, ENDED, { attempt: LOST, seen: { ended: failed } }],
	['expired', accepted, ENDED, { seen: { ended: expired } }],
	['expired, resend', accepted, room('expired'), { policy: RESEND, seen: { ended: expired } }],
	[
		'unfinished when it expired, resend',
		accepted,
		room('expired'),
		{ policy: RESEND, seen: { ended: { ...expired, history: 'unfinished' } } },
	],
	[
		'expired with a text, resend',
		accepted,
		ENDED,
		{ policy: RESEND, seen: { ended: { ...expired, history: 'withoutFile' } } },
	],
	[
		'expired, history out of reach, resend',
		accepted,
		ENDED,
		{ policy: RESEND, seen: { ended: { ...expired, history: 'outOfReach' } } },
	],
	[
		'missing within its hour, resend',
		accepted,
		ENDED,
		{ policy: RESEND, seen: { ended: { ...expired, isExpired: false } } },
	],
	['timeout', accepted, ENDED, { policy: RESEND, seen: { ended: timeout } }],
	[
		'timeout, with On Timeout: Return Request',
		accepted,
		from('request'),
		{ policy: { submission: leaving }, seen: { ended: timeout } },
	],
	[
		'timeout of one call',
		accepted,
		ENDED,
		{ policy: { submission: oneCall }, seen: { ended: timeout } },
	],
	[
		'contradicted',
		accepted,
		ENDED,
		{ policy: RESEND, seen: { ended: { kind: 'contradicted', reason: '' } } },
	],
])('an accepted request: %s', (...given) => check(given));

test.each<Given>([
	['its output is here', { ...done, ref, output }, from('kept')],
	[
		'its output is here, but the parameters now need another form of it',
		{ ...done, ref: fetchable, output },
		{ do: 'poll', hasCompleted: true },
		{ seen: { isOutputGood: false } },
	],
	[
		'its output is of the wrong form and cannot be fetched again',
		{ ...done, ref, output },
		from('kept'),
		{ seen: { isOutputGood: false } },
	],
	[
		'its output is of the wrong form and has expired',
		{ ...done, ref: fetchable, output },
		from('kept'),
		{ seen: { isOutputGood: false, ended: expired } },
	],
	['its output is elsewhere', { ...done, ref }, { do: 'poll', hasCompleted: true }],
	['it has expired, resend', { ...done, ref }, ENDED, { policy: RESEND, seen: { ended: expired } }],
	['its output is lost', done, LOST_OUTPUT, { policy: RESEND }],
])('a completed request: %s', (...given) => check(given));
