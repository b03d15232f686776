/** Which row of the history belongs to a lost call, and how a row's body is compared with the call's body. */
import {
	compareBody,
	fingerprintOf,
	matchRows,
	type Match,
} from '../../nodes/shared/request/matchRows';
import type { HistoryRow } from '../../nodes/shared/service/schemas';

const START = Date.UTC(2026, 0, 15, 10, 0, 0);
const BODY = { prompt: 'a lighthouse' };

/** Returns a row that was made a number of seconds after the call was sent. */
const row = (request_id: string, at: number, more: object = {}): HistoryRow =>
	({
		request_id,
		request_body: BODY,
		model_status: 'COMPLETED',
		created_at: new Date(START + at * 1_000).toISOString(),
		...more,
	}) as HistoryRow;

interface Known {
	equalLostCount?: number;
	claimed?: string[];
	offsetMs?: number;
}

/** Matches the rows with a call that was sent at the start and lost 10 s later. */
function match(rows: HistoryRow[], known: Known = {}): Match {
	const { equalLostCount = 1, claimed = [], offsetMs = 0 } = known;
	return matchRows(
		{
			model: 'a-model',
			fingerprint: fingerprintOf(BODY),
			sentAt: START,
			lostAt: START + 10_000,
			equalLostCount,
			isClaimed: (id) => claimed.includes(id),
		},
		{ rows, offsetMs, errorMs: 0 },
	);
}
const one = (requestId: string) => ({ kind: 'one', requestId });
const several = (...candidates: string[]) => ({ kind: 'candidates', candidates });
const NONE = { kind: 'none' };

const both = [row('y', 4), row('x', 0)];
const failed = row('f', 1, { model_status: 'FAILED' });
const withMore = row('y', 5, { request_body: { ...BODY, seed: 1 } });
const other = row('z', 5, { request_body: { prompt: 'a windmill' } });
const noZone = row('x', 5, { created_at: '2026-01-15T10:00:05' });
const hoursOnly = row('x', 5, { created_at: '2026-01-15 10:00:05+00' });
const noTime = row('x', 5, { created_at: undefined });
const ahead = { offsetMs: 90_000 };

test.each<[string, HistoryRow[], Known, object]>([
	['a row made while the call was under way', [row('x', 5)], {}, one('x')],
	['two rows of one request', [row('x', -2), row('x', -2)], {}, one('x')],
	['a row whose zone has only hours', [hoursOnly], {}, one('x')],
	['a row of another process', [row('x', 5)], { equalLostCount: 0 }, several('x')],
	['no row', [], {}, NONE],
	['a row of a service whose clock is ahead', [row('x', 95)], ahead, one('x')],
	['a row too early for a clock that is ahead', [row('x', 50)], ahead, several('x')],
	['a row of a service whose clock is behind', [row('x', 5)], { offsetMs: -90_000 }, several('x')],
	['a row that another item has claimed', [row('x', 5)], { claimed: ['x'] }, NONE],
	['more rows than losses', both, {}, several('x', 'y')],
	['as many rows as losses', both, { equalLostCount: 2 }, one('x')],
	['the second row, after the first was claimed', both, { claimed: ['x'] }, one('y')],
	['a failed row and another row', [failed, row('y', 5)], {}, one('y')],
	['a failed row alone', [failed], {}, NONE],
	['a row that completed and failed', [{ ...failed, request_id: 'x' }, row('x', 1)], {}, one('x')],
	['a row from after the call was lost', [row('x', 6_000)], {}, several('x')],
	['a row without a time', [noTime], {}, several('x')],
	['a row without a zone', [noZone], {}, several('x')],
	['a row of another model', [row('x', 5, { model_name: 'b-model' })], {}, several('x')],
	['a row with the title of the model', [row('x', 5, { model_name: 'A Model' })], {}, one('x')],
	['an equal row and a row with more members', [row('x', 5), withMore], {}, one('x')],
	['a row with more members', [withMore], {}, several('y')],
	['rows from before the call, or with another prompt', [row('x', -120), other], {}, NONE],
])('%s', (_what, rows, known, found) => {
	expect(match(rows, known)).toEqual(found);
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
		[{ urls: [LONG], steps: 25 }, { urls: ['https://x.example/a'], steps: 25 }, 'unclear'],
		[{ messages: [{ content: LONG }] }, { messages: [{ content: LONG.slice(9) }] }, 'unclear'],
		[{ text: 'a', steps: 25 }, { text: 'a' }, 'unclear'],
		[{ text: 'a', steps: 25 }, { prompt: 'a', num_steps: 25 }, 'unclear'],
		[{ steps: 25.0 }, { steps: '25.00' }, 'same'],
		[{ hd: true }, { hd: 'True' }, 'same'],
		[{ size: { width: 1 } }, { size: { width: '1' } }, 'same'],
		[{ mask: null }, { mask: '' }, 'other'],
		[{ size: { mask: null, width: 1 } }, { size: { width: 1, mask: null } }, 'same'],
		[{ size: { mask: null, width: 1 } }, { size: { mask: null, width: 2 } }, 'other'],
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
