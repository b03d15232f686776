/** What a try does with what an earlier one left: every entry, every answer of the request history, every policy. */
import {
	decide,
	makesRoom,
	needsSearch,
	transition,
	type DoneEntry,
	type Entry,
	type Policy,
	type RequestEvent,
	type Searched,
	type SentEntry,
} from '../../nodes/shared/journal/entry';

const ref = { request_id: 'request-1' };
const output = { json: { url: 'a' }, presentation: 'p' };
const done: DoneEntry = { is: 'done', id: 'call-1', at: 1 };
const trace = { likeness: 'l', fingerprint: { a: 'f' } };
const lost: SentEntry = { is: 'sent', id: 'call-1', at: 1, by: 'ours', lostAt: 2, trace };
const gateway: SentEntry = { ...lost, gateway: true };
const another: SentEntry = { ...lost, by: 'another' };

const CAUTIOUS: Policy = {
	isIdempotent: false,
	sendAgainIfUnsure: false,
	credential: 'ours',
	hasSent: false,
};
const IDEMPOTENT = { isIdempotent: true };
const RESUBMIT = { sendAgainIfUnsure: true };
const SENT = { hasSent: true };

const FOUND: Searched = { kind: 'one', requestId: 'request-2' };
const SEVERAL: Searched = { kind: 'several', candidates: ['request-3'] };
const NONE: Searched = { kind: 'none' };
const UNREAD: Searched = { kind: 'unread', isLasting: false };
const NO_HISTORY: Searched = { kind: 'unread', isLasting: true };
const UNDER_WAY: Searched = { kind: 'underWay' };

const MAY_BE_ACCEPTED = { do: 'refuse', why: 'mayBeAccepted' };
const ACCEPT = { do: 'adopt', requestId: 'request-2' };

test.each<[string, Entry | undefined, Partial<Policy>, Searched | undefined, object]>([
	['nothing is there', undefined, {}, undefined, { do: 'send' }],
	[
		'accepted, without an id',
		{ is: 'accepted', id: 'call-1', at: 1 },
		{},
		undefined,
		{ do: 'wait' },
	],
	['accepted', { is: 'accepted', id: 'call-1', at: 1, ref }, {}, undefined, { do: 'wait', ref }],
	['done', { ...done, ref, output }, {}, undefined, { do: 'reuse', output, ref }],
	['done, output elsewhere', { ...done, ref }, {}, undefined, { do: 'wait', ref }],
	['output lost', done, RESUBMIT, undefined, { do: 'refuse', why: 'outputLost' }],
	['answer lost, found', lost, {}, FOUND, ACCEPT],
	['answer lost, perhaps found', lost, {}, SEVERAL, MAY_BE_ACCEPTED],
	['answer lost, not found', lost, {}, NONE, MAY_BE_ACCEPTED],
	['answer lost, unread', lost, {}, UNREAD, MAY_BE_ACCEPTED],
	['answer lost, no history', lost, {}, NO_HISTORY, MAY_BE_ACCEPTED],
	['answer lost, not searchable', { ...lost, trace: undefined }, {}, undefined, MAY_BE_ACCEPTED],
	['answer lost, idempotent', lost, IDEMPOTENT, undefined, { do: 'send' }],
	['a gateway answered, lost by this very try', gateway, SENT, NONE, MAY_BE_ACCEPTED],
	['a gateway answered, lost by this very try, found', gateway, SENT, FOUND, ACCEPT],
	['a gateway answered, found', gateway, {}, FOUND, ACCEPT],
	['a gateway answered, perhaps found', gateway, {}, SEVERAL, MAY_BE_ACCEPTED],
	['a gateway answered, not found', gateway, {}, NONE, { do: 'send' }],
	['a gateway answered, unread', gateway, {}, UNREAD, MAY_BE_ACCEPTED],
	['a gateway answered, no history', gateway, {}, NO_HISTORY, { do: 'send' }],
	['a gateway answered, under way', gateway, {}, UNDER_WAY, MAY_BE_ACCEPTED],
	['resubmit, lost by this very try', lost, { ...RESUBMIT, ...SENT }, NONE, MAY_BE_ACCEPTED],
	['resubmit, found', lost, RESUBMIT, FOUND, ACCEPT],
	['resubmit, perhaps found', lost, RESUBMIT, SEVERAL, { do: 'send' }],
	// Its own answer, or an equal call's, will tell.
	['resubmit, under way', lost, RESUBMIT, UNDER_WAY, MAY_BE_ACCEPTED],
	['sent by another', another, {}, NONE, { do: 'refuse', why: 'sentByAnother' }],
	['sent by another, resubmit', another, RESUBMIT, NONE, { do: 'send' }],
])('%s', (_what, entry, policy, searched, decision) => {
	expect(decide(entry, { ...CAUTIOUS, ...policy }, searched)).toEqual(decision);
});

test.each<[string, Entry | undefined, Partial<Policy>, boolean]>([
	['nothing is there', undefined, {}, false],
	['done', done, {}, false],
	['answer lost', lost, {}, true],
	['answer lost by this very try', lost, SENT, true],
	['a gateway answered', gateway, {}, true],
	['resubmit', lost, RESUBMIT, true],
	['idempotent', lost, IDEMPOTENT, false],
	['no history knows it', { ...lost, trace: undefined }, {}, false],
	['sent by another', another, {}, false],
	['sent by another, resubmit', another, RESUBMIT, true],
])('is searched: %s', (_what, entry, policy, isSearched) => {
	expect(needsSearch(entry, { ...CAUTIOUS, ...policy }) !== undefined).toBe(isSearched);
});

const accepted: Entry = { is: 'accepted', id: 'call-1', at: 1, ref };
const expired = { kind: 'missing', isExpired: true, history: 'none' } as const;

test.each<[string, Entry, Partial<Policy>, Parameters<typeof makesRoom>[2], string | undefined]>([
	['failed', accepted, {}, { kind: 'failed' }, 'failed'],
	['failed, sent by this very try', accepted, SENT, { kind: 'failed' }, undefined],
	['failed after it had completed', done, {}, { kind: 'failed' }, undefined],
	['expired', accepted, {}, expired, undefined],
	['expired, resubmit', accepted, RESUBMIT, expired, 'expired'],
	['lost from sight', accepted, RESUBMIT, { ...expired, isExpired: false }, undefined],
	['expired with a text', accepted, RESUBMIT, { ...expired, history: 'withoutFile' }, undefined],
	['time is up', accepted, RESUBMIT, { kind: 'timeUp' }, undefined],
])('makes room: %s', (_what, entry, policy, ending, room) => {
	expect(makesRoom(entry, { ...CAUTIOUS, ...policy }, ending)).toBe(room);
});

const call = { id: 'call-2', at: 3, by: 'ours', trace };
const underWay: Entry = { ...call, is: 'sent', earlier: lost };
const loss = (by: 'connection' | 'gateway' | 'unusableAnswer') =>
	({ kind: 'lost', at: 4, by }) as const;

test.each<[string, Entry | undefined, RequestEvent, Entry | undefined]>([
	['sent', undefined, { kind: 'sent', call }, { ...call, is: 'sent' }],
	['sent again', lost, { kind: 'sent', call }, underWay],
	[
		'sent again after a crash',
		underWay,
		{ kind: 'sent', call },
		{ ...underWay, earlier: { ...call, is: 'sent' } },
	],
	['not accepted', underWay, { kind: 'notAccepted', id: 'call-2' }, lost],
	['another one is not accepted', lost, { kind: 'notAccepted', id: 'call-2' }, lost],
	['lost', underWay, loss('connection'), { ...call, is: 'sent', lostAt: 4 }],
	[
		'lost to a gateway',
		underWay,
		loss('gateway'),
		{ ...call, is: 'sent', lostAt: 4, gateway: true },
	],
	[
		'accepted',
		underWay,
		{ kind: 'accepted', id: 'call-2', at: 5, ref },
		{ is: 'accepted', id: 'call-2', at: 5, ref },
	],
	[
		'accepted, nothing else known',
		undefined,
		{ kind: 'accepted', id: 'call-2', at: 5 },
		{ is: 'accepted', id: 'call-2', at: 5 },
	],
	['completed', accepted, { kind: 'completed' }, { ...done, ref }],
	['delivered', accepted, { kind: 'delivered', output }, { ...done, ref, output }],
	['failed', accepted, { kind: 'failed' }, undefined],
	['failed after it had completed', done, { kind: 'failed' }, done],
	['expired', accepted, { kind: 'expired' }, undefined],
])('%s', (_what, entry, event, after) => {
	expect(transition(entry, event)).toEqual(after);
});
