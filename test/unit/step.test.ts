/** The state after each event, and the effects of the event. */
import type { DoneEntry, Entry, SentEntry } from '../../nodes/shared/journal/entry';
import type { Attempt, Event, State } from '../../nodes/shared/request/rules/state';
import { step } from '../../nodes/shared/request/rules/step';
import type { Loss } from '../../nodes/shared/request/rules/submission';

const ref = { request_id: 'request-1' };
const output = { json: { url: 'a' }, presentation: 'p' };
const trace = { likeness: 'l', fingerprint: { a: 'f' } };
const lost: SentEntry = { is: 'sent', id: 'call-1', at: 1, by: 'ours', lostAt: 2, trace };
const call = { id: 'call-2', at: 3, by: 'ours', trace };
const underWay: SentEntry = { ...call, is: 'sent', earlier: lost };
const accepted: Entry = { is: 'accepted', id: 'call-2', at: 5, ref };
const done: DoneEntry = { is: 'done', id: 'call-2', at: 5, ref };

const request = {} as Extract<Attempt, { is: 'prepared' }>['request'];
const PREPARED: Attempt = { is: 'prepared', request };
const SENT: Attempt = { ...PREPARED, is: 'underWay', id: 'call-2' };
const response = { status: 200, headers: {}, body: Buffer.alloc(0) };
const RESPONDED: Attempt = { ...PREPARED, is: 'responded', id: 'call-2', response: { response } };

const stateOf = (entry: Entry | undefined, more: Partial<State> = {}): State => ({
	entry,
	attempt: { is: 'none' },
	unresumedEntries: [],
	...more,
});
const BROKEN: Loss = { by: 'connection', fault: { kind: 'lost', reason: '' } };
const loss = (by: Loss): Event => ({ kind: 'lost', id: 'call-2', at: 4, loss: by });
const eventOf = (kind: 'completed' | 'finished' | 'delivered' | 'failed' | 'expired'): Event => ({
	kind,
	id: 'call-2',
});
const acceptance: Event = { kind: 'accepted', id: 'call-2', at: 5, ref };

test.each<[string, Entry | undefined, Event, Entry | undefined]>([
	['resumed', undefined, { kind: 'resumed', entry: lost, unresumedEntries: [] }, lost],
	['sent', undefined, { kind: 'sent', call }, { ...call, is: 'sent' }],
	['resent', lost, { kind: 'sent', call }, underWay],
	[
		'resent after a crash: only the latest earlier call is kept',
		underWay,
		{ kind: 'sent', call },
		{ ...underWay, earlier: { ...call, is: 'sent' } },
	],
	[
		'not accepted: the earlier entry returns',
		underWay,
		{ kind: 'notAccepted', id: 'call-2' },
		lost,
	],
	['another call is not accepted', lost, { kind: 'notAccepted', id: 'call-2' }, lost],
	['lost', underWay, loss(BROKEN), { ...call, is: 'sent', lostAt: 4 }],
	[
		'lost: gateway',
		underWay,
		loss({ by: 'gateway', response }),
		{ ...call, is: 'sent', lostAt: 4, gateway: true },
	],
	['another call is lost', lost, loss(BROKEN), lost],
	['accepted', underWay, acceptance, accepted],
	[
		'accepted, without an ID',
		underWay,
		{ kind: 'accepted', id: 'call-2', at: 5 },
		{ ...accepted, ref: undefined },
	],
	['another call is accepted', lost, acceptance, lost],
	['completed', accepted, eventOf('completed'), done],
	[
		'another request completed',
		{ ...accepted, id: 'call-3' },
		eventOf('completed'),
		{ ...accepted, id: 'call-3' },
	],
	['finished', accepted, eventOf('finished'), done],
	['delivered', accepted, { kind: 'delivered', id: 'call-2', output }, { ...done, output }],
	['failed', accepted, eventOf('failed'), undefined],
	['failed after COMPLETED', done, eventOf('failed'), done],
	[
		'another request failed',
		{ ...accepted, id: 'call-3' },
		eventOf('failed'),
		{ ...accepted, id: 'call-3' },
	],
	['expired', accepted, eventOf('expired'), undefined],
	['closed', accepted, { kind: 'closed' }, accepted],
])('the entry: %s', (_what, entry, event, after) => {
	expect(step(stateOf(entry, { attempt: SENT }), event).state.entry).toEqual(after);
});

test.each<[string, Attempt, Event, Attempt['is']]>([
	['prepared', { is: 'none' }, { kind: 'prepared', request }, 'prepared'],
	['sent', PREPARED, { kind: 'sent', call }, 'underWay'],
	['not accepted', SENT, { kind: 'notAccepted', id: 'call-2' }, 'prepared'],
	['another call is not accepted', SENT, { kind: 'notAccepted', id: 'call-1' }, 'underWay'],
	['lost', SENT, loss(BROKEN), 'lost'],
	['accepted by its response', SENT, { ...acceptance, response: { response } }, 'responded'],
	['adopted', { ...SENT, is: 'lost', loss: BROKEN }, acceptance, 'lost'],
])('the attempt: %s', (_what, attempt, event, is) => {
	expect(step(stateOf(underWay, { attempt }), event).state.attempt.is).toBe(is);
});

test.each<[string, Entry | undefined, Event, object[]]>([
	[
		'resumed',
		undefined,
		{ kind: 'resumed', entry: lost, unresumedEntries: [] },
		[{ note: 'restore' }],
	],
	['sent', undefined, { kind: 'sent', call }, [{ note: 'begin' }]],
	['resent', lost, { kind: 'sent', call }, [{ note: 'forget', id: 'call-1' }, { note: 'begin' }]],
	[
		'not accepted',
		underWay,
		{ kind: 'notAccepted', id: 'call-2' },
		[{ note: 'forget', id: 'call-2' }],
	],
	['lost', underWay, loss(BROKEN), [{ note: 'lose' }]],
	['accepted', underWay, acceptance, [{ note: 'accept', id: 'call-2', requestId: 'request-1' }]],
])('the register of calls: %s', (_what, entry, event, notes) => {
	expect(step(stateOf(entry, { attempt: SENT }), event).notes).toMatchObject(notes);
});

const RESERVED = { reservation: 'key' };
const effectOf = (what: string) => [{ do: what, key: 'key' }];
test.each<[string, Entry | undefined, Attempt, Event, object[]]>([
	[
		'accepted',
		underWay,
		SENT,
		acceptance,
		[{ do: 'addRequestId', key: 'key', requestId: 'request-1' }],
	],
	[
		'finished',
		accepted,
		RESPONDED,
		{ kind: 'finished', id: 'call-2', cost: 2 },
		[{ do: 'settle', key: 'key', cost: 2 }],
	],
	['failed', accepted, RESPONDED, eventOf('failed'), effectOf('cancel')],
	['failed after COMPLETED', done, RESPONDED, eventOf('failed'), []],
	['expired', accepted, { is: 'none' }, eventOf('expired'), effectOf('keepExpectedCost')],
	['closed, nothing was sent', undefined, { is: 'none' }, { kind: 'closed' }, effectOf('cancel')],
	['closed, it was rejected', undefined, PREPARED, { kind: 'closed' }, effectOf('cancel')],
	[
		'closed, it was rejected, and an earlier request is still open',
		lost,
		PREPARED,
		{ kind: 'closed' },
		effectOf('cancel'),
	],
	['closed, it is under way', underWay, SENT, { kind: 'closed' }, effectOf('keepExpectedCost')],
	[
		'closed, it was lost',
		underWay,
		{ ...SENT, is: 'lost', loss: BROKEN },
		{ kind: 'closed' },
		effectOf('keepExpectedCost'),
	],
	[
		'closed, it is not waited for any longer',
		accepted,
		RESPONDED,
		{ kind: 'closed' },
		effectOf('keepExpectedCost'),
	],
	[
		'closed, a resumed request is still running',
		accepted,
		{ is: 'none' },
		{ kind: 'closed' },
		effectOf('keepExpectedCost'),
	],
])('the reservation: %s', (_what, entry, attempt, event, effects) => {
	const { effects: all } = step(stateOf(entry, { ...RESERVED, attempt }), event);
	expect(all.filter((effect) => 'key' in effect)).toMatchObject(effects);
	if (effects.length === 0) expect(all).toEqual([]);
});

test.each<[string, Entry | undefined, Attempt, Event, string[]]>([
	[
		'resent and accepted',
		underWay,
		SENT,
		{ ...acceptance, response: { response } },
		['logAcceptance', 'listInReport', 'hintAtResend'],
	],
	['resent and lost', underWay, SENT, loss(BROKEN), ['hintAtResend']],
	['resent and rejected', underWay, SENT, { kind: 'notAccepted', id: 'call-2' }, []],
	[
		'adopted',
		lost,
		{ is: 'none' },
		{ ...acceptance, id: 'call-1', isFound: true },
		['logAcceptance', 'listInReport'],
	],
	[
		'resumed',
		undefined,
		{ is: 'none' },
		{ kind: 'resumed', entry: accepted, unresumedEntries: [] },
		['listInReport'],
	],
	[
		"an earlier attempt's request failed",
		accepted,
		{ is: 'none' },
		eventOf('failed'),
		['removeFromReport'],
	],
	["this attempt's request failed", accepted, RESPONDED, eventOf('failed'), []],
])('the log and the report: %s', (_what, entry, attempt, event, effects) => {
	expect(step(stateOf(entry, { attempt }), event).effects.map(({ do: what }) => what)).toEqual(
		effects,
	);
});

test.each<[string, Attempt, boolean]>([
	['nothing was sent', PREPARED, false],
	['another request was sent', RESPONDED, true],
])('what an earlier attempt left is reported: %s', (_what, attempt, hasSent) => {
	const left = [lost];
	const { effects } = step(stateOf(undefined, { attempt, unresumedEntries: left }), {
		kind: 'closed',
	});
	expect(effects).toEqual([{ do: 'hintAtUnresumed', unresumedEntries: left, hasSent }]);
});
