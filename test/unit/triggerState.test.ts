/** What the events of Segmind Trigger read, and that what they remember is bounded in size. */
import { assessFault, nodeError } from '../../nodes/SegmindTrigger/faults';
import { findChanges } from '../../nodes/SegmindTrigger/fineTuneJobs';
import { stateAfterPoll, idsToCheck, readRequestList } from '../../nodes/SegmindTrigger/listState';
import { SegmindFailure } from '../../nodes/shared/base/failure';

const BASE = 'https://api.segmind.com';

describe('the list of requests', () => {
	test.each<[unknown, string[], number]>([
		['', [], 0],
		[null, [], 0],
		[' a\nb, c;d e\r\n', ['a', 'b', 'c', 'd', 'e'], 0],
		['["a", {"request_id": "b"}]', ['a', 'b'], 0],
		['{"request_id": "a"}', ['a'], 0],
		[['a', `${BASE}/v2/requests/b/status`, { request_id: 'c' }], ['a', 'b', 'c'], 0],
		[[{ json: { request_id: 'a' } }, { json: { request_id: 'b' } }], ['a', 'b'], 0],
		[12, ['12'], 0],
		[['a', { request_id: 'a' }], ['a'], 0],
		// Unreadable entries are counted, and the others are read.
		[['a', {}, 'https://other.example/v2/requests/x', 'b'], ['a', 'b'], 2],
		['{{ $json }}', [], 1],
		['[1, ', [], 1],
	])('%j names the requests %j; unreadable entries: %i', (value, wanted, unreadable) => {
		const { refs, entryErrors } = readRequestList(value, BASE);
		expect(refs.map(({ request_id }) => request_id)).toEqual(wanted);
		expect(entryErrors).toHaveLength(unreadable);
	});

	test('remembers up to 2,000 requests that were removed from it', () => {
		const many = Array.from({ length: 3_000 }, (_unused, at) => `r${at}`);
		const found = { ended: many, missing: many, last: 'r2999' };
		const all = stateAfterPoll(many, { done: [], missing: [] }, found);
		expect(all.done).toHaveLength(3_000);
		const empty = stateAfterPoll([], all, { ended: [], missing: all.missing, last: undefined });
		expect([empty.missing.length, empty.done.length]).toEqual([0, 2_000]);
		expect(idsToCheck(['r2999', 'new'], empty)).toEqual(['new']);
	});
});

test('the stored state of fine-tune jobs is bounded', () => {
	const jobs = Array.from({ length: 3_000 }, (_unused, at) => ({ id: `j${at}`, status: 'A' }));
	const { statuses } = findChanges(undefined, jobs.slice(0, 1_500), [], false);
	const more = findChanges(statuses, jobs.slice(1_500), [], false);
	expect(more.statuses).toHaveLength(2_000);
	expect(more.statuses).toEqual(expect.arrayContaining([['j2999', 'A']]));
	expect(findChanges(undefined, jobs, [], false).statuses).toHaveLength(2_000);
	expect(findChanges([], jobs, [], false).changes).toHaveLength(2_000);
});

test('a transient fault is shown at the fifth failure and each time the failures double; other faults, and any fault of a first poll, are shown at once', () => {
	const failing = (facts: object) =>
		new SegmindFailure('rejected', { message: 'x', description: '', ...facts });
	const down = failing({ httpCode: 503 });
	const shown = Array.from({ length: 41 }, (_unused, at) => at + 1).filter(
		(consecutive) => assessFault(down, consecutive - 1, false).shown,
	);
	expect(shown).toEqual([5, 10, 20, 40]);
	expect(assessFault(down, 0, true).shown).toBe(true);
	for (const httpCode of [401, 403, 404, undefined])
		expect(assessFault(failing({ httpCode }), 3, false)).toEqual({ shown: true, consecutive: 0 });
	const passing = { shown: false, consecutive: 1 };
	expect(assessFault(failing({ transient: true }), 0, false)).toEqual(passing);
	expect(assessFault(new TypeError('x'), 0, false).shown).toBe(true);
});

test('an error that n8n renders contains no markup from a failure', () => {
	const text = 'Request <img src=x onerror=alert(1)> is <b>gone</b>';
	const node = { id: '', name: 'x', type: 'x', typeVersion: 1, parameters: {} };
	for (const httpCode of [undefined, 404]) {
		const failure = new SegmindFailure('other', { message: text, description: text, httpCode });
		const shown = nodeError({ ...node, position: [0, 0] }, failure) as Error;
		expect(`${shown.message}${(shown as Error & { description: string }).description}`).toMatch(
			/^[^<>]*gone[^<>]*gone[^<>]*$/,
		);
	}
});
