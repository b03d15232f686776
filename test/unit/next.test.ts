/** The next step of an attempt, for every journal entry, search result, outcome of polling, and policy. */
import type { DoneEntry, Entry, SentEntry } from '../../nodes/shared/journal/entry';
import type { PollOutcome } from '../../nodes/shared/request/poll/pollOutcome';
import { next } from '../../nodes/shared/request/rules/next';
import type { Attempt, Policy, Findings } from '../../nodes/shared/request/rules/state';
import type { Creation, Generation } from '../../nodes/shared/request/rules/submission';
import type { SearchResult } from '../../nodes/shared/request/search/searchResult';

const options = { onTimeout: 'error' };
const generation = { responds: 'reference', waits: true, presentation: { options } } as Generation;
const returnsOnTimeout = {
	...generation,
	presentation: { options: { onTimeout: 'returnRequest' } },
} as Generation;
const oneCall = { ...returnsOnTimeout, responds: 'output' } as Generation;
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

const ONE: SearchResult = { kind: 'one', requestId: 'request-2' };
const SEVERAL: SearchResult = { kind: 'several', candidates: ['request-3'] };
const NONE: SearchResult = { kind: 'none' };
const UNREAD: SearchResult = { kind: 'unread', isLasting: false };
const NO_HISTORY: SearchResult = { kind: 'unread', isLasting: true };
const UNDER_WAY: SearchResult = { kind: 'underWay' };

const SEND = { do: 'send' };
const ADOPT = { do: 'adopt', id, found: ONE };
const MAY_BE_ACCEPTED = { do: 'fail', why: { is: 'mayBeAccepted' } };
const OUTPUT_LOST = { do: 'fail', why: { is: 'outputLost' } };
const SENT_BY_ANOTHER = { do: 'fail', why: { is: 'sentByAnother' } };

type Given = [
	what: string,
	entry: Entry | undefined,
	expected: object,
	given?: { attempt?: Attempt; policy?: Partial<Policy>; findings?: Findings },
];
const check = ([, entry, expected, given]: Given) => {
	const { attempt = NOTHING, policy, findings = {} } = given ?? {};
	const state = { entry, attempt, unresumedEntries: [] };
	expect(next(state, { ...CAUTIOUS, ...policy }, findings)).toMatchObject(expected);
};

test.each<Given>([
	['nothing was sent', undefined, SEND],
	['a response was lost', lost, { do: 'search', lost }],
	["this attempt's response was lost", lost, { do: 'search' }, { attempt: LOST }],
	['a gateway responded', gateway, { do: 'search' }],
	['a response was lost, resend', lost, { do: 'search' }, { policy: RESEND }],
	['the history does not list it', untraced, MAY_BE_ACCEPTED],
	['the history does not list it, resend', untraced, SEND, { policy: RESEND }],
	['idempotent', lost, SEND, { policy: IDEMPOTENT }],
	['sent by another credential', another, SENT_BY_ANOTHER],
	['sent by another credential, resend', another, { do: 'search' }, { policy: RESEND }],
])('a request that may have been accepted: %s', (...given) => check(given));

test.each<Given>([
	['found', lost, ADOPT, { findings: { searchResult: ONE } }],
	['found, lost by this attempt', lost, ADOPT, { attempt: LOST, findings: { searchResult: ONE } }],
	['candidates', lost, MAY_BE_ACCEPTED, { findings: { searchResult: SEVERAL } }],
	['not found', lost, MAY_BE_ACCEPTED, { findings: { searchResult: NONE } }],
	['unread', lost, MAY_BE_ACCEPTED, { findings: { searchResult: UNREAD } }],
	['no history', lost, MAY_BE_ACCEPTED, { findings: { searchResult: NO_HISTORY } }],
	['gateway, found', gateway, ADOPT, { findings: { searchResult: ONE } }],
	['gateway, candidates', gateway, MAY_BE_ACCEPTED, { findings: { searchResult: SEVERAL } }],
	['gateway, not found', gateway, SEND, { findings: { searchResult: NONE } }],
	['gateway, unread', gateway, MAY_BE_ACCEPTED, { findings: { searchResult: UNREAD } }],
	['gateway, no history', gateway, SEND, { findings: { searchResult: NO_HISTORY } }],
	['gateway, under way', gateway, MAY_BE_ACCEPTED, { findings: { searchResult: UNDER_WAY } }],
	[
		'gateway, by this attempt',
		gateway,
		MAY_BE_ACCEPTED,
		{ attempt: LOST, findings: { searchResult: NONE } },
	],
	['resend, found', lost, ADOPT, { policy: RESEND, findings: { searchResult: ONE } }],
	['resend, candidates', lost, SEND, { policy: RESEND, findings: { searchResult: SEVERAL } }],
	// The response to this call or to an identical one will show the outcome.
	[
		'resend, under way',
		lost,
		MAY_BE_ACCEPTED,
		{ policy: RESEND, findings: { searchResult: UNDER_WAY } },
	],
	[
		'resend, lost by this attempt',
		lost,
		MAY_BE_ACCEPTED,
		{ policy: RESEND, attempt: LOST, findings: { searchResult: NONE } },
	],
	[
		'another credential, resend',
		another,
		SEND,
		{ policy: RESEND, findings: { searchResult: NONE } },
	],
])('the history was searched: %s', (...given) => check(given));

const expired: PollOutcome = { kind: 'missing', isExpired: true, history: 'none' };
const failed: PollOutcome = { kind: 'failed', reason: 'no' };
const timeout: PollOutcome = { kind: 'timeout', status: 'PROCESSING' };
const finished: PollOutcome = { kind: 'finished', body: {} };
const POLL = { do: 'poll', ref, hasCompleted: false };
const NO_RESULT = { do: 'fail', why: { is: 'noResult' } };
const discardEntry = (why: string) => ({ do: 'discardEntry', id, why });
const deliverFrom = (what: string) => ({ do: 'deliver', from: what });

test.each<Given>([
	['waits for it', accepted, POLL],
	['without an ID', { ...accepted, ref: undefined }, OUTPUT_LOST],
	[
		'does not wait for it',
		accepted,
		deliverFrom('request'),
		{ policy: { submission: { ...generation, waits: false } } },
	],
	[
		'its response contains the output',
		accepted,
		deliverFrom('response'),
		{ attempt: { ...RESPONDED, response: withContent } },
	],
	[
		'something was created',
		accepted,
		deliverFrom('creation'),
		{ policy: { submission: creation }, attempt: RESPONDED },
	],
	['finished', accepted, deliverFrom('result'), { findings: { outcome: finished } }],
	['failed', accepted, discardEntry('failed'), { findings: { outcome: failed } }],
	[
		'failed, sent by this attempt',
		accepted,
		NO_RESULT,
		{ attempt: RESPONDED, findings: { outcome: failed } },
	],
	[
		'failed, adopted by this attempt',
		accepted,
		NO_RESULT,
		{ attempt: LOST, findings: { outcome: failed } },
	],
	['expired', accepted, NO_RESULT, { findings: { outcome: expired } }],
	[
		'expired, resend',
		accepted,
		discardEntry('expired'),
		{ policy: RESEND, findings: { outcome: expired } },
	],
	[
		'unfinished when it expired, resend',
		accepted,
		discardEntry('expired'),
		{ policy: RESEND, findings: { outcome: { ...expired, history: 'unfinished' } } },
	],
	[
		'expired with a text, resend',
		accepted,
		NO_RESULT,
		{ policy: RESEND, findings: { outcome: { ...expired, history: 'completedWithoutFile' } } },
	],
	[
		'expired, history out of reach, resend',
		accepted,
		NO_RESULT,
		{ policy: RESEND, findings: { outcome: { ...expired, history: 'outOfReach' } } },
	],
	[
		'missing within its hour, resend',
		accepted,
		NO_RESULT,
		{ policy: RESEND, findings: { outcome: { ...expired, isExpired: false } } },
	],
	['timeout', accepted, NO_RESULT, { policy: RESEND, findings: { outcome: timeout } }],
	[
		'timeout, with On Timeout: Return Request',
		accepted,
		deliverFrom('request'),
		{ policy: { submission: returnsOnTimeout }, findings: { outcome: timeout } },
	],
	[
		'timeout of one call',
		accepted,
		NO_RESULT,
		{ policy: { submission: oneCall }, findings: { outcome: timeout } },
	],
	[
		'contradicted',
		accepted,
		NO_RESULT,
		{ policy: RESEND, findings: { outcome: { kind: 'contradicted', reason: '' } } },
	],
])('an accepted request: %s', (...given) => check(given));

test.each<Given>([
	['its output is stored', { ...done, ref, output }, deliverFrom('kept')],
	[
		'its output is stored, but the parameters now need another form of it',
		{ ...done, ref: fetchable, output },
		{ do: 'poll', hasCompleted: true },
		{ findings: { isOutputUsable: false } },
	],
	[
		'its output is of the wrong form and cannot be fetched again',
		{ ...done, ref, output },
		deliverFrom('kept'),
		{ findings: { isOutputUsable: false } },
	],
	[
		'its output is of the wrong form and has expired',
		{ ...done, ref: fetchable, output },
		deliverFrom('kept'),
		{ findings: { isOutputUsable: false, outcome: expired } },
	],
	['its output is not stored', { ...done, ref }, { do: 'poll', hasCompleted: true }],
	[
		'it has expired, resend',
		{ ...done, ref },
		NO_RESULT,
		{ policy: RESEND, findings: { outcome: expired } },
	],
	['its output is lost', done, OUTPUT_LOST, { policy: RESEND }],
])('a completed request: %s', (...given) => check(given));
