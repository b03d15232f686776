import fc from 'fast-check';

import { hasFallen, type BalanceState } from '../../nodes/SegmindTrigger/balance';
import { faultOf, nodeError } from '../../nodes/SegmindTrigger/faults';
import { changesIn, jobStatuses, type JobStatuses } from '../../nodes/SegmindTrigger/fineTuneJobs';
import { firstState, historyState, judge, readBack } from '../../nodes/SegmindTrigger/historyState';
import {
	afterPoll,
	checkOrder,
	readRequestList,
	type ListState,
} from '../../nodes/SegmindTrigger/listState';
import { SegmindFailure } from '../../nodes/shared/base/failure';

const BASE = 'https://api.segmind.com';

/** What n8n keeps of a state: in memory always, saved at activation and when something is emitted. */
class Kept<State> {
	private saved?: string;

	memory?: State;

	put(state: State, isSaved: boolean) {
		if (isSaved || this.memory === undefined) this.saved = JSON.stringify(state);
		this.memory = state;
	}

	restart() {
		this.memory = this.saved === undefined ? undefined : (JSON.parse(this.saved) as State);
	}
}

describe('the list of requests', () => {
	const ids = (value: unknown) =>
		readRequestList(value, BASE).refs.map(({ request_id }) => request_id);

	test.each<[string, unknown, string[]]>([
		['nothing', '', []],
		['null', null, []],
		['an id', 'abc', ['abc']],
		['lines, commas, semicolons and spaces', ' a\nb, c;d e\r\n', ['a', 'b', 'c', 'd', 'e']],
		['JSON of a list', '["a", {"request_id": "b"}]', ['a', 'b']],
		['JSON of an object', '{"request_id": "a"}', ['a']],
		['a list', ['a', `${BASE}/v2/requests/b/status`, { request_id: 'c' }], ['a', 'b', 'c']],
		['items', [{ json: { request_id: 'a' } }, { json: { request_id: 'b' } }], ['a', 'b']],
		['an object', { request_id: 'a' }, ['a']],
		['a number', 12, ['12']],
		['the same twice', ['a', { request_id: 'a' }], ['a']],
	])('%s', (_name, value, wanted) => {
		expect(readRequestList(value, BASE).bad).toEqual([]);
		expect(ids(value)).toEqual(wanted);
	});

	test('what cannot be read is named by its position, the rest is read', () => {
		const { refs, bad } = readRequestList(
			['a', {}, 'https://other.example/v2/requests/x', 'b'],
			BASE,
		);
		expect(refs).toHaveLength(2);
		expect(bad).toEqual([
			expect.stringMatching(/^Entry 2: .*no request_id/),
			expect.stringMatching(/^Entry 3: .*not an origin/),
		]);
		expect(readRequestList('{{ $json }}', BASE).bad).toHaveLength(1);
		expect(readRequestList('[1, ', BASE).bad).toHaveLength(1);
	});
});

test('listed requests: each once, whatever is forgotten, and nobody waits longer than one round', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 1, max: 20 }),
			fc.array(
				fc.record({
					checks: fc.integer({ min: 1, max: 5 }),
					restart: fc.boolean(),
					ends: fc.array(fc.nat(19), { maxLength: 3 }),
				}),
				{ maxLength: 40 },
			),
			(count, polls) => {
				const ids = Array.from({ length: count }, (_unused, at) => `r${at}`);
				const ended = new Set<string>();
				const emitted: string[] = [];
				const kept = new Kept<ListState>();
				kept.put({ done: [], missing: [] }, true);
				const poll = (checks: number) => {
					const state = kept.memory as ListState;
					const turn = checkOrder(ids, state).slice(0, checks);
					const found = turn.filter((id) => ended.has(id));
					emitted.push(...found);
					const next = afterPoll(ids, state, {
						ended: found,
						missing: [],
						last: turn[turn.length - 1],
					});
					kept.put(next, found.length > 0);
					return turn;
				};
				for (const { checks, restart, ends } of polls) {
					for (const at of ends) if (at < count) ended.add(ids[at]);
					if (restart) kept.restart();
					poll(checks);
				}
				const seen = new Set(emitted);
				for (let round = 0; round < count; round++) for (const id of poll(1)) seen.add(id);
				expect(seen).toEqual(new Set(ids));
				for (const id of ids) ended.add(id);
				for (let round = 0; round < count; round++) poll(1);
				expect(emitted.sort()).toEqual([...ids].sort());
			},
		),
		{ numRuns: 200 },
	);
});

test('listed requests: what left the list is remembered for a while, no more than 2,000 of it', () => {
	const many = Array.from({ length: 3_000 }, (_unused, at) => `r${at}`);
	const all = afterPoll(
		many,
		{ done: [], missing: [] },
		{ ended: many, missing: many, last: 'r2999' },
	);
	expect(all.done).toHaveLength(3_000);
	const empty = afterPoll([], all, { ended: [], missing: all.missing, last: undefined });
	expect(empty.missing).toEqual([]);
	expect(empty.done).toHaveLength(2_000);
	expect(checkOrder(['r2999', 'new'], empty)).toEqual(['new']);
});

test('fine-tune jobs: every chosen status that lasts is emitted once, whatever is forgotten', () => {
	const course = ['REQUESTED', 'TRAINING_COMPLETED', 'INFERENCE_QUEUED', 'AVAILABLE'];
	fc.assert(
		fc.property(
			fc.array(fc.record({ job: fc.nat(3), restart: fc.boolean(), lacks: fc.boolean() }), {
				maxLength: 40,
			}),
			fc.subarray(course),
			(steps, chosen) => {
				const stages = [0, 0, 0, 0];
				const kept = new Kept<JobStatuses>();
				const emitted: string[] = [];
				const wanted: string[] = [];
				const listed = () => stages.map((stage, at) => ({ id: `j${at}`, status: course[stage] }));
				const poll = (jobs = listed()) => {
					const isFirst = kept.memory === undefined;
					const { changes, statuses } = changesIn(kept.memory, jobs, chosen, false);
					emitted.push(...changes.map(({ id, status }) => `${id} ${status}`));
					kept.put(statuses, isFirst || changes.length > 0);
				};
				poll();
				for (const { job, restart, lacks } of steps) {
					if (stages[job] < 3) {
						const status = course[++stages[job]];
						if (chosen.length === 0 || chosen.includes(status)) wanted.push(`j${job} ${status}`);
					}
					if (restart) kept.restart();
					// An answer that lacks a job is no news of it.
					if (lacks) poll(listed().slice(1));
					poll();
				}
				expect(emitted.sort()).toEqual(wanted.sort());
			},
		),
	);
});

test('fine-tune jobs: what is kept is bounded', () => {
	const jobs = (from: number) =>
		Array.from({ length: 1_500 }, (_unused, at) => ({ id: `j${from + at}`, status: 'AVAILABLE' }));
	const { statuses } = changesIn(undefined, jobs(0), [], false);
	const more = changesIn(statuses, jobs(1_500), [], false);
	expect(more.statuses).toHaveLength(2_000);
	expect(more.statuses).toEqual(expect.arrayContaining([['j2999', 'AVAILABLE']]));
	const many = [...jobs(0), ...jobs(1_500)];
	expect(changesIn(undefined, many, [], false).statuses).toHaveLength(2_000);
	expect(changesIn([], many, [], false).changes).toHaveLength(2_000);
});

test('credits: once a crossing while n8n runs; a restart repeats at most where credits were added', () => {
	fc.assert(
		fc.property(
			fc.array(fc.record({ total: fc.integer({ min: 0, max: 10 }), restart: fc.boolean() }), {
				minLength: 1,
				maxLength: 40,
			}),
			(polls) => {
				const kept = new Kept<BalanceState>();
				let process = 0;
				let before: number | undefined;
				let lastAlert = Infinity;
				for (const { total, restart } of polls) {
					if (restart) {
						kept.restart();
						process++;
					}
					const now = { total, process: `p${process}` };
					const isFirst = kept.memory === undefined;
					const alert = hasFallen(kept.memory, now, 5, false);
					const crossed = before !== undefined && before >= 5 && total < 5;
					if (!restart) expect(alert).toBe(crossed);
					else if (alert && !crossed) expect(total).toBeGreaterThan(lastAlert);
					// n8n polls at activation, and saves then.
					kept.put(now, isFirst || alert || restart);
					if (alert || isFirst || restart) lastAlert = total;
					before = total;
				}
			},
		),
	);
});

test('faults: transient ones are patient, then show at every doubling; others, and a first poll, at once', () => {
	const transient = new SegmindFailure('refused', { message: 'x', description: '', httpCode: 503 });
	const shown = Array.from({ length: 41 }, (_unused, at) => at + 1).filter(
		(consecutive) => faultOf(transient, consecutive - 1, false).shown,
	);
	expect(shown).toEqual([5, 10, 20, 40]);
	expect(faultOf(transient, 0, true).shown).toBe(true);
	for (const httpCode of [401, 403, 404, undefined])
		expect(
			faultOf(new SegmindFailure('refused', { message: 'x', description: '', httpCode }), 3, false),
		).toEqual({ shown: true, consecutive: 0 });
	expect(
		faultOf(
			new SegmindFailure('refused', { message: 'x', description: '', transient: true }),
			0,
			false,
		),
	).toEqual({ shown: false, consecutive: 1 });
	expect(faultOf(new TypeError('x'), 0, false).shown).toBe(true);
});

describe('ids that an object has names of its own for', () => {
	const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
	/** As n8n stores it and this version reads it. */
	const stored = <State>(state: State) => JSON.parse(JSON.stringify(state)) as unknown;

	test.each(NAMES)('a finished request %s starts the workflow once', (id) => {
		const row = { id, madeAt: 1_000, state: 'completed' as const };
		let state = firstState(2_000);
		const ids: string[] = [];
		for (let poll = 0; poll < 3; poll++) {
			const judged = judge(state, { rows: [row], end: 'mark' }, 2_000);
			ids.push(...judged.finished.map((request) => request.id));
			state = historyState.parse(stored(judged.state));
		}
		expect(ids).toEqual([id]);
	});

	test.each(NAMES)('a fine-tune %s is known by its status', (id) => {
		let kept: JobStatuses = [];
		const seen: Array<[string | null, string]> = [];
		for (const status of ['REQUESTED', 'REQUESTED', 'AVAILABLE', 'AVAILABLE']) {
			const { changes, statuses } = changesIn(kept, [{ id, status }], [], false);
			for (const change of changes) seen.push([change.previous, change.status]);
			kept = jobStatuses.parse(stored(statuses));
		}
		expect(seen).toEqual([
			[null, 'REQUESTED'],
			['REQUESTED', 'AVAILABLE'],
		]);
	});
});

test('markup in a failure does not reach what n8n renders', () => {
	for (const httpCode of [undefined, 404]) {
		const failure = new SegmindFailure('other', {
			message: 'Request <img src=x onerror=alert(1)> is <b>gone</b>',
			description: 'See <a href="https://evil.example">this</a>',
			httpCode,
		});
		const shown = nodeError(
			{ id: '', name: 'x', type: 'x', typeVersion: 1, position: [0, 0], parameters: {} },
			failure,
		) as Error & { description: string };
		expect(shown.message + shown.description).not.toMatch(/[<>]/);
		expect(shown.message).toContain('gone');
	}
});

test('a page of the history may hold any number of rows', async () => {
	const rows = Array.from({ length: 300_000 }, (_unused, at) => ({
		id: `request${at}`,
		madeAt: 2_000_000_000_000 - at,
		state: 'running' as const,
	}));
	const mark = 1_000_000_000_000;
	const reading = await readBack(
		async (page) => (page === 1 ? { rows, full: true } : undefined),
		mark,
	);
	expect(reading).toMatchObject({ end: 'cut', rows: { length: rows.length } });
	const { state } = judge({ mark, seen: [] }, { rows, end: 'tooMuch' }, 2_000_000_000_000);
	expect(state.mark).toBe(rows[rows.length - 1].madeAt + 1);
});
