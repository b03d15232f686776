/** What a try does with what an earlier one left: every entry, every policy, every answer of the request history. */
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
const sent: SentEntry = {
	is: 'sent',
	id: 'call-1',
	at: 1,
	by: 'ours',
	fingerprint: { prompt: 'f' },
};
const done: DoneEntry = { is: 'done', id: 'call-1', at: 1 };

const ENTRIES: Record<string, Entry | undefined> = {
	nothing: undefined,
	'sent, and nothing known': sent,
	'sent, connection lost': { ...sent, lostAt: 2 },
	'sent, a gateway answered': { ...sent, lostAt: 2, gateway: true },
	'sent with another credential': { ...sent, by: 'another' },
	'sent with another credential, a gateway answered': { ...sent, by: 'another', gateway: true },
	accepted: { is: 'accepted', id: 'call-1', at: 1, ref },
	'done, with its output': { ...done, ref, output },
	'done, its output can be fetched': { ...done, ref },
	'done, its output is lost': { ...done, ref: { request_id: '' } },
};
const both = [false, true];
const POLICIES: Policy[] = both.flatMap((isHarmlessTwice) =>
	both.flatMap((isSearchable) =>
		both.map((resubmitWhenUnknown) => ({
			isHarmlessTwice,
			isSearchable,
			resubmitWhenUnknown,
			credential: 'ours',
		})),
	),
);
const SEARCHED: Array<Searched | undefined> = [
	undefined,
	{ kind: 'one', requestId: 'request-2' },
	{ kind: 'several', candidates: ['request-3'] },
	{ kind: 'none' },
	{ kind: 'unread', isLasting: false },
	{ kind: 'unread', isLasting: true },
	{ kind: 'unread', isLasting: false, isUnderWay: true },
];

/** The rules in their own words, one after the other. */
function expected(name: string, policy: Policy, searched: Searched | undefined): unknown {
	const { isHarmlessTwice, isSearchable, resubmitWhenUnknown } = policy;
	if (name === 'nothing') return { do: 'send' };
	if (name === 'accepted') return { do: 'ask', ref };
	if (name === 'done, with its output') return { do: 'give', output };
	if (name === 'done, its output can be fetched') return { do: 'ask', ref };
	if (name === 'done, its output is lost') return { do: 'refuse', why: 'outputLost' };
	if (isHarmlessTwice) return { do: 'send' };
	if (name.includes('another') && !resubmitWhenUnknown)
		return { do: 'refuse', why: 'sentByAnother' };
	if (isSearchable && searched === undefined) return { do: 'search' };
	if (searched?.kind === 'one') return { do: 'accept', requestId: 'request-2' };
	// Its own answer, or an equal call's, will tell.
	if (searched?.kind === 'unread' && searched.isUnderWay)
		return { do: 'refuse', why: 'mayBeAccepted' };
	if (resubmitWhenUnknown) return { do: 'send' };
	const nothingThere =
		searched?.kind === 'none' || (searched?.kind === 'unread' && searched.isLasting);
	return name.includes('gateway') && nothingThere
		? { do: 'send' }
		: { do: 'refuse', why: 'mayBeAccepted' };
}

const CASES = Object.keys(ENTRIES).flatMap((name) =>
	POLICIES.flatMap((policy) => SEARCHED.map((searched) => ({ name, policy, searched }))),
);

describe('what a try does', () => {
	test.each(Object.keys(ENTRIES))('%s', (name) => {
		for (const policy of POLICIES)
			for (const searched of SEARCHED)
				expect([policy, searched, decide(ENTRIES[name], policy, searched)]).toEqual([
					policy,
					searched,
					expected(name, policy, searched),
				]);
	});

	test('what may have been accepted is never sent without a search, but for the user or where it does no harm', () => {
		const cautious = CASES.filter(
			({ policy }) => !policy.resubmitWhenUnknown && !policy.isHarmlessTwice,
		);
		const sends = cautious.filter(
			({ name, policy, searched }) =>
				name.startsWith('sent') && decide(ENTRIES[name], policy, searched).do === 'send',
		);
		expect(sends.length).toBeGreaterThan(0);
		for (const { name, searched } of sends) {
			expect(name).toContain('gateway');
			expect(['none', 'unread']).toContain(searched?.kind);
		}
	});
});
