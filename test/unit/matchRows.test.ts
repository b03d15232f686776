/** Whose a row of the request history is, and how its body is compared with ours. */
import fc from 'fast-check';

import type { Call } from '../../nodes/shared/journal/calls';
import { compareBody, fingerprintOf } from '../../nodes/shared/request/recover/fingerprint';
import { matchRows, type Match } from '../../nodes/shared/request/recover/matchRows';
import type { HistoryRow } from '../../nodes/shared/service/schemas';

const START = Date.UTC(2026, 0, 15, 10, 0, 0);
const BODY = { prompt: 'a lighthouse' };

/** A lost call, sent and given up so many seconds after the start. */
const call = (id: string, sent: number, lost: number, more: Partial<Call> = {}): Call => ({
	id,
	likeness: 'like',
	sentAt: START + sent * 1_000,
	lostAt: START + lost * 1_000,
	...more,
});
const row = (request_id: string, at: number | undefined, more: object = {}): HistoryRow =>
	({
		request_id,
		request_body: BODY,
		model_status: 'COMPLETED',
		...(at !== undefined && { created_at: new Date(START + at * 1_000).toISOString() }),
		...more,
	}) as HistoryRow;

interface Known {
	losses?: Call[];
	knownSince?: number;
	claimed?: string[];
	offsetMs?: number;
}

function match(one: Call, rows: HistoryRow[], known: Known = {}): Match {
	const { losses = [one], knownSince = START - 1, claimed = [], offsetMs = 0 } = known;
	return matchRows(
		{
			model: 'a-model',
			call: one,
			fingerprint: fingerprintOf(BODY),
			losses,
			knownSince,
			isClaimed: (id) => claimed.includes(id),
		},
		{ rows, offsetMs, errorMs: 0 },
	);
}
const one = (requestId: string, hasFailed = false) => ({ kind: 'one', requestId, hasFailed });
const several = (...candidates: string[]) => ({ kind: 'several', candidates });

const a = call('a', 0, 10);

test('the one row with exactly our body, made while the call was under way', () => {
	expect(match(a, [row('x', 5)])).toEqual(one('x'));
	expect(match(a, [row('x', -2), row('x', -2)])).toEqual(one('x'));
	expect(match(a, [])).toEqual({ kind: 'none' });
});

test('clocks that differ are compared by the answers’ own date', () => {
	expect(match(a, [row('x', 95)], { offsetMs: 90_000 })).toEqual(one('x'));
	expect(match(a, [row('x', 5)], { offsetMs: -90_000 })).toEqual(several('x'));
});

test('what belongs to somebody here is no candidate; more rows than losses are named, not taken', () => {
	const rows = [row('x', 5), row('y', 6)];
	expect(match(a, [row('x', 5)], { claimed: ['x'] })).toEqual({ kind: 'none' });
	expect(match(a, rows)).toEqual(several('x', 'y'));
	// Only a loss that has a row in its own time counts.
	const muchLater = call('b', 600, 610);
	expect(match(a, rows, { losses: [a, muchLater] })).toEqual(several('x', 'y'));
});

test('equal losses take the rows one by one, in order', () => {
	const b = call('b', 4, 14);
	const rows = [row('y', 4), row('x', 0)];
	const losses = [a, b];
	expect(match(a, rows, { losses })).toEqual(one('x'));
	expect(match(b, rows, { losses })).toEqual(one('y'));
	expect(match(b, [row('y', 4)], { losses, claimed: ['x'] })).toEqual(one('y'));
});

test('after a restart nobody knows whose a row is: named, not taken', () => {
	expect(match(a, [row('x', 5)], { knownSince: START + 60_000 })).toEqual(several('x'));
});

test('a row that failed stands back while another one fits', () => {
	const refused = row('x', 1, { model_status: 'FAILED' });
	expect(match(a, [refused, row('y', 5)])).toEqual(one('y'));
	expect(match(a, [refused])).toEqual(one('x', true));
});

test('a v1 call runs to its own limit, and its row may carry the time of its end', () => {
	const v1 = call('a', 0, 10, { runsUntil: START + 900_000 });
	expect(match(v1, [row('x', 600)])).toEqual(one('x'));
	expect(match(a, [row('x', 600)])).toEqual(several('x'));
});

test('an exact row is ours although others may be it too', () => {
	const more = row('y', 5, { request_body: { ...BODY, seed: 1 } });
	expect(match(a, [row('x', 5), more])).toEqual(one('x'));
	expect(match(a, [more])).toEqual(several('y'));
});

test('what was made before, long after, or clearly for something else is no candidate', () => {
	const other = row('z', 5, { request_body: { prompt: 'a windmill' } });
	expect(match(a, [row('x', -120), row('y', 5_000), other])).toEqual({ kind: 'none' });
});

describe('bodies', () => {
	const LONG = 'x'.repeat(600);
	test.each([
		[BODY, 'same'],
		[JSON.stringify(BODY), 'same'],
		[{ prompt: ' a lighthouse\n' }, 'same'],
		[{ ...BODY, seed: 1 }, 'unclear'],
		[{ input: BODY }, 'unclear'],
		[undefined, 'unclear'],
		['not JSON', 'unclear'],
		[{ prompt: 'a windmill' }, 'other'],
	])('%j: %s', (theirs, expected) => {
		expect(compareBody(fingerprintOf(BODY), theirs)).toBe(expected);
	});

	test.each([
		[{ text: LONG, steps: 25 }, { text: LONG.slice(0, 100), steps: '25' }, 'unclear'],
		[{ text: LONG, steps: 25 }, { text: LONG.slice(0, 100), steps: 26 }, 'other'],
		[{ steps: 25.0 }, { steps: '25.00' }, 'same'],
		[{ hd: true }, { hd: 'true' }, 'same'],
		[{ size: { width: 1 } }, { size: { width: '1' } }, 'same'],
		[{ mask: null }, { mask: '' }, 'other'],
		[{ size: [1, 2] }, { size: [2, 1] }, 'other'],
	])('%j against %j: %s', (ours, theirs, expected) => {
		expect(compareBody(fingerprintOf(ours), theirs)).toBe(expected);
	});

	const anyBody = fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }));

	test('are the same member by member, however the service orders them and whatever defaults it adds', () => {
		fc.assert(
			fc.property(anyBody, anyBody, (sent, added) => {
				const ours = fingerprintOf(sent);
				const stored = JSON.parse(JSON.stringify({ ...added, ...sent })) as object;
				const theirs = fingerprintOf(Object.fromEntries(Object.entries(stored).reverse()));
				for (const name of Object.keys(ours)) expect(theirs[name]).toBe(ours[name]);
			}),
			{ numRuns: 300, seed: 2 },
		);
	});

	test('leave nothing of their values in a fingerprint', () => {
		const body = { prompt: 'a private matter', image: 'x'.repeat(10_000) };
		const kept = JSON.stringify(fingerprintOf(body));
		expect(kept).not.toContain('private');
		expect(kept.length).toBeLessThan(200);
	});
});
