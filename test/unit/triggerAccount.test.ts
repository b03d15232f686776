/** Each finished request of a watched account starts the workflow once, even across restarts, outages and long histories. */
import fc from 'fast-check';

import {
	evaluateReading,
	historyState,
	MAX_UNFINISHED_MS,
	type PollReading,
	type HistoryState,
} from '../../nodes/SegmindTrigger/historyState';
import type { HistoryRow } from '../../nodes/shared/service/schemas';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T22:00:00Z');

interface Job {
	id: string;
	madeAt: number;
	endsAt: number;
	files: number;
	fails: boolean;
}

const PAGE_SIZE = 6;

/** Returns a page of the service's history at a time, newest first. */
function pageOf(jobs: Job[], at: number, page: number): HistoryRow[] {
	const rows = jobs
		.filter(({ madeAt }) => madeAt <= at)
		.sort((a, b) => b.madeAt - a.madeAt || (a.id < b.id ? 1 : -1))
		.flatMap(({ id, madeAt, endsAt, files, fails }) => {
			const status = at < endsAt ? 'RUNNING' : fails ? 'FAILED' : 'COMPLETED';
			const row = { request_id: id, created_at: madeAt, status };
			return Array<HistoryRow>(status === 'COMPLETED' ? files : 1).fill(row as HistoryRow);
		});
	return rows.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
}

/** Polls as n8n does: the state is in memory, and n8n saves it at activation and after a poll that emits, or after every poll (`durable`). */
class Poller {
	emitted: string[] = [];
	/** The number of files of each emitted request. */
	files: Record<string, number> = {};
	private memory?: HistoryState;
	private saved?: string;

	constructor(
		private readonly jobs: Job[],
		private readonly durable = false,
	) {}

	restart() {
		this.memory = this.saved === undefined ? undefined : (JSON.parse(this.saved) as HistoryState);
	}

	/** Reads at most `maxPages` pages, each of which takes `pageMs`. */
	poll(now: number, maxPages = Infinity, pageMs = 0): void {
		const kept = this.memory;
		const state = kept ?? { mark: now - MAX_UNFINISHED_MS, seen: [] };
		const reading: PollReading = { rows: [], end: 'cut' };
		let time = now;
		for (let page = 0; page < (kept ? maxPages : Infinity) && reading.end === 'cut'; page++) {
			time += pageMs;
			const rows = pageOf(this.jobs, time, page);
			reading.rows.push(...rows);
			const last = rows[PAGE_SIZE - 1]?.created_at as number | undefined;
			if (last === undefined || last < state.mark) reading.end = 'enough';
		}
		const { finished, state: next } = evaluateReading(state, reading, time);
		this.memory = historyState.parse(next);
		if (kept)
			for (const rows of finished) {
				this.emitted.push(rows[0].request_id);
				this.files[rows[0].request_id] = rows.length;
			}
		if (!kept || finished.length > 0 || this.durable) this.saved = JSON.stringify(next);
	}
}

const job = (id: string, madeMin: number, tookMin: number, more: Partial<Job> = {}): Job => ({
	id,
	madeAt: START + madeMin * MINUTE,
	endsAt: START + (madeMin + tookMin) * MINUTE,
	files: 1,
	fails: false,
	...more,
});
const at = (minutes: number) => START + minutes * MINUTE;

const completed = (id: string, created_at?: number) =>
	({ request_id: id, created_at, status: 'COMPLETED' }) as HistoryRow;

test.each(['x', '__proto__', 'constructor'])(
	'a row %s without a time starts the workflow once',
	(id) => {
		let state: HistoryState = { mark: at(0) - MAX_UNFINISHED_MS, seen: [] };
		const ids: string[] = [];
		for (let minute = 0; minute < 600; minute += 5) {
			const judged = evaluateReading(state, { rows: [completed(id)], end: 'enough' }, at(minute));
			state = historyState.parse(JSON.parse(JSON.stringify(judged.state)));
			ids.push(...judged.finished.map(([row]) => row.request_id));
		}
		expect(ids).toEqual([id]);
	},
);

test('the stored state is bounded, and nothing is emitted twice, however many rows a page has', () => {
	const rows = Array.from({ length: 200_000 }, (_unused, index) =>
		completed(`${index}`, at(0) - index),
	);
	const first = { mark: at(-180), seen: [] };
	const { state, finished } = evaluateReading(first, { rows, end: 'cut' }, at(1));
	expect([finished.length, state.seen.length]).toEqual([199_999, 5_000]);
	expect(evaluateReading(state, { rows, end: 'enough' }, at(2)).finished).toEqual([]);
});

const someJobs = fc.array(
	fc.record({
		// Many requests are made at the same moment as others.
		madeMin: fc.oneof(
			fc.integer({ min: -200, max: 3_000 }),
			fc.integer({ min: -4, max: 60 }).map((n) => n * 50),
		),
		tookMin: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 170 })),
		files: fc.integer({ min: 1, max: 4 }),
		fails: fc.boolean(),
	}),
	{ maxLength: 40 },
);
const someSteps = fc.array(
	fc.record({
		// Minutes since the previous poll; sometimes n8n is down for hours or weeks.
		after: fc.oneof(
			{ weight: 8, arbitrary: fc.integer({ min: 1, max: 20 }) },
			{ weight: 1, arbitrary: fc.integer({ min: 60, max: 1_500 }) },
			{ weight: 1, arbitrary: fc.constant(45 * 1_440) },
		),
		restart: fc.boolean(),
		pages: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 6 })),
	}),
	{ maxLength: 60 },
);

test('emits each request once despite any restarts, outages and page limits, with or without durable cursors', () => {
	const pageDuration = fc.constantFrom(0, 20_000);
	fc.assert(
		fc.property(someJobs, someSteps, fc.boolean(), pageDuration, (made, steps, durable, pageMs) => {
			const jobs = made.map(({ madeMin, tookMin, ...more }, index) =>
				job(`j${index}`, madeMin, tookMin, more),
			);
			const poller = new Poller(jobs, durable);
			poller.poll(at(0));
			let minute = 0;
			for (const { after, restart, pages } of steps) {
				minute += after;
				if (restart) poller.restart();
				poller.poll(at(minute), pages, pageMs);
			}
			minute = Math.max(minute, 3_200);
			for (let round = 0; round < 60; round++) poller.poll(at((minute += 11)));
			const wanted = jobs.filter(
				({ madeAt, endsAt }) => endsAt > at(0) && madeAt >= at(0) - MAX_UNFINISHED_MS,
			);
			expect([...poller.emitted].sort()).toEqual(wanted.map(({ id }) => id).sort());
			// A row may occur twice, but none may be missing.
			for (const { id, files, fails } of wanted)
				expect(poller.files[id]).toBeGreaterThanOrEqual(fails ? 1 : files);
		}),
		{ numRuns: 200 },
	);
});
