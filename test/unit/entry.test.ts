/** What a try does with what an earlier one left: every entry, every answer of the request history, every policy. */
import {
	decide,
	type DoneEntry,
	type Entry,
	type Policy,
	type Searched,
	type SentEntry,
} from '../../nodes/shared/journal/entry';

const ref = { request_id: 'request-1' };
const output = { json: { url: 'a' }, presentation: 'p' };
const done: DoneEntry = { is: 'done', id: 'call-1', at: 1 };
const lost: SentEntry = { is: 'sent', id: 'call-1', at: 1, by: 'ours', fingerprint: { a: 'f' } };
const gateway: SentEntry = { ...lost, gateway: true };
const another: SentEntry = { ...lost, by: 'another' };

const CAUTIOUS: Policy = {
	isHarmlessTwice: false,
	isSearchable: true,
	sendAgainIfUnsure: false,
	credential: 'ours',
};
const HARMLESS = { isHarmlessTwice: true };
const RESUBMIT = { sendAgainIfUnsure: true };
const UNSEARCHABLE = { isSearchable: false };

const FOUND: Searched = { kind: 'one', requestId: 'request-2' };
const SEVERAL: Searched = { kind: 'several', candidates: ['request-3'] };
const NONE: Searched = { kind: 'none' };
const UNREAD: Searched = { kind: 'unread', isLasting: false };
const NO_HISTORY: Searched = { kind: 'unread', isLasting: true };
const UNDER_WAY: Searched = { kind: 'unread', isLasting: false, isUnderWay: true };

const MAY_BE_ACCEPTED = { do: 'refuse', why: 'mayBeAccepted' };
const ACCEPT = { do: 'accept', requestId: 'request-2' };

test.each<[string, Entry | undefined, Partial<Policy>, Searched | undefined, object]>([
	['nothing is there', undefined, {}, undefined, { do: 'send' }],
	['accepted', { is: 'accepted', id: 'call-1', at: 1, ref }, {}, undefined, { do: 'ask', ref }],
	['done', { ...done, ref, output }, {}, undefined, { do: 'give', output }],
	['done, output elsewhere', { ...done, ref }, {}, undefined, { do: 'ask', ref }],
	[
		'output lost',
		{ ...done, ref: { request_id: '' } },
		RESUBMIT,
		undefined,
		{ do: 'refuse', why: 'outputLost' },
	],
	['answer lost', lost, {}, undefined, { do: 'search' }],
	['answer lost, found', lost, {}, FOUND, ACCEPT],
	['answer lost, perhaps found', lost, {}, SEVERAL, MAY_BE_ACCEPTED],
	['answer lost, not found', lost, {}, NONE, MAY_BE_ACCEPTED],
	['answer lost, unread', lost, {}, UNREAD, MAY_BE_ACCEPTED],
	['answer lost, no history', lost, {}, NO_HISTORY, MAY_BE_ACCEPTED],
	['answer lost, not searchable', lost, UNSEARCHABLE, undefined, MAY_BE_ACCEPTED],
	['answer lost, harmless twice', lost, HARMLESS, undefined, { do: 'send' }],
	['a gateway answered', gateway, {}, undefined, { do: 'search' }],
	['a gateway answered, found', gateway, {}, FOUND, ACCEPT],
	['a gateway answered, perhaps found', gateway, {}, SEVERAL, MAY_BE_ACCEPTED],
	['a gateway answered, not found', gateway, {}, NONE, { do: 'send' }],
	['a gateway answered, unread', gateway, {}, UNREAD, MAY_BE_ACCEPTED],
	['a gateway answered, no history', gateway, {}, NO_HISTORY, { do: 'send' }],
	['a gateway answered, under way', gateway, {}, UNDER_WAY, MAY_BE_ACCEPTED],
	['resubmit, not searched', lost, RESUBMIT, undefined, { do: 'search' }],
	['resubmit, found', lost, RESUBMIT, FOUND, ACCEPT],
	['resubmit, perhaps found', lost, RESUBMIT, SEVERAL, { do: 'send' }],
	// Its own answer, or an equal call's, will tell.
	['resubmit, under way', lost, RESUBMIT, UNDER_WAY, MAY_BE_ACCEPTED],
	['sent by another', another, {}, NONE, { do: 'refuse', why: 'sentByAnother' }],
	['sent by another, resubmit', another, RESUBMIT, NONE, { do: 'send' }],
])('%s', (_what, entry, policy, searched, decision) => {
	expect(decide(entry, { ...CAUTIOUS, ...policy }, searched)).toEqual(decision);
});
