/** Which row of the history belongs to a lost call, and how a row's body is compared with the call's body. */
import type { Call } from '../../nodes/shared/journal/calls';
import { compareBody, fingerprintOf } from '../../nodes/shared/request/search/matchRows';
import { matchRows, type Match } from '../../nodes/shared/request/search/matchRows';
import type { HistoryRow } from '../../nodes/shared/service/schemas';

const START = Date.UTC(2026, 0, 15, 10, 0, 0);
const BODY = { prompt: 'a lighthouse' };

/** Returns a lost call. `sent` and `lost` are seconds after the start. */
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

function match(call: Call, rows: HistoryRow[], known: Known = {}): Match {
	const { losses = [call], knownSince = START - 1, claimed = [], offsetMs = 0 } = known;
	return matchRows(
		{
			model: 'a-model',
			call,
			fingerprint: fingerprintOf(BODY),
			equalLostCalls: losses,
			knownSince,
			isClaimed: (id) => claimed.includes(id),
		},
		{ rows, offsetMs, errorMs: 0 },
	);
}
const one = (requestId: string, hasFailed = false) => ({ kind: 'one', requestId, hasFailed });
const several = (...candidates: string[]) => ({ kind: 'several', candidates });
const NONE = { kind: 'none' };

const a = call('a', 0, 10);
const b = call('b', 4, 14);
const muchLater = call('c', 600, 610);
const v1 = call('v', 0, 10, { runsUntil: START + 900_000 });
const losses = [a, b];
const both = [row('y', 4), row('x', 0)];
const failed = row('x', 1, { model_status: 'FAILED' });
const withMore = row('y', 5, { request_body: { ...BODY, seed: 1 } });
const other = row('z', 5, { request_body: { prompt: 'a windmill' } });

test.each<[string, Call, HistoryRow[], Known, object]>([
	['a row made while the call was under way', a, [row('x', 5)], {}, one('x')],
	['two rows of one request', a, [row('x', -2), row('x', -2)], {}, one('x')],
	['no row', a, [], {}, NONE],
	['a row of a service whose clock is ahead', a, [row('x', 95)], { offsetMs: 90_000 }, one('x')],
	[
		'a row that is too early for a clock that is ahead',
		a,
		[row('x', 50)],
		{ offsetMs: 90_000 },
		several('x'),
	],
	[
		'a row of a service whose clock is behind',
		a,
		[row('x', 5)],
		{ offsetMs: -90_000 },
		several('x'),
	],
	['a row that another item has claimed', a, [row('x', 5)], { claimed: ['x'] }, NONE],
	['more rows than losses', a, both, {}, several('x', 'y')],
	[
		'more rows than losses, and a loss at another time',
		a,
		both,
		{ losses: [a, muchLater] },
		several('x', 'y'),
	],
	['the first of two equal losses', a, both, { losses }, one('x')],
	['the second of two equal losses', b, both, { losses }, one('y')],
	[
		'the second of two equal losses, after the first row was claimed',
		b,
		[row('y', 4)],
		{ losses, claimed: ['x'] },
		one('y'),
	],
	['a row from before a restart', a, [row('x', 5)], { knownSince: START + 60_000 }, several('x')],
	['a failed row and another row', a, [failed, row('y', 5)], {}, one('y')],
	['a failed row alone', a, [failed], {}, one('x', true)],
	['a v1 row with the time of its end', v1, [row('x', 600)], {}, one('x')],
	['a row from after the call was lost', a, [row('x', 600)], {}, several('x')],
	['an equal row and a row with more members', a, [row('x', 5), withMore], {}, one('x')],
	['a row with more members', a, [withMore], {}, several('y')],
	['rows with another time or prompt', a, [row('x', -120), row('y', 5_000), other], {}, NONE],
])('%s', (_what, lost, rows, known, found) => {
	expect(match(lost, rows, known)).toEqual(found);
});

describe('comparing bodies', () => {
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
		[{ text: LONG, steps: 25 }, { text: 'https://x.example/a', steps: 25 }, 'unclear'],
		[{ text: 'a', steps: 25 }, { text: 'a' }, 'unclear'],
		[{ text: 'a', steps: 25 }, { prompt: 'a', num_steps: 25 }, 'unclear'],
		[{ steps: 25.0 }, { steps: '25.00' }, 'same'],
		[{ hd: true }, { hd: 'true' }, 'same'],
		[{ size: { width: 1 } }, { size: { width: '1' } }, 'same'],
		[{ mask: null }, { mask: '' }, 'other'],
		[{ size: [1, 2] }, { size: [2, 1] }, 'other'],
	])('%j against %j: %s', (ours, theirs, expected) => {
		expect(compareBody(fingerprintOf(ours), theirs)).toBe(expected);
	});

	test('a fingerprint contains no values of the body', () => {
		const body = { prompt: 'a private matter', image: 'x'.repeat(10_000) };
		const kept = JSON.stringify(fingerprintOf(body));
		expect(kept).not.toContain('private');
		expect(kept.length).toBeLessThan(200);
	});
});
