import fc from 'fast-check';

import {
	firstState,
	UNFINISHED_MS,
	judgeScan,
	planScan,
	type HistoryFilter,
	type HistoryState,
} from '../../nodes/SegmindTrigger/requestHistory/historyState';
import type { HistoryEntry } from '../../nodes/SegmindTrigger/requestHistory/historyRequests';
import { scanFrom, type ScanPage } from '../../nodes/SegmindTrigger/requestHistory/historyScan';
import { dateOf, daysFrom } from '../../nodes/SegmindTrigger/requestHistory/historyDays';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const START = Date.parse('2026-11-20T22:00:00Z');
const BOTH: HistoryFilter = { states: ['COMPLETED', 'FAILED'], model: '' };

interface Job {
	id: string;
	madeAt: number;
	endsAt: number;
	files: number;
	fails: boolean;
}

/** A history as the service keeps it, in a time zone of its own. */
class History {
	reads = 0;

	constructor(
		readonly jobs: Job[],
		private readonly pageSize = 3,
		private readonly zoneMs = 0,
	) {}

	page(
		at: number,
		days: { from_date: string; to_date?: string },
		number: number,
	): ScanPage<HistoryEntry> {
		this.reads++;
		const from = Date.parse(days.from_date) - this.zoneMs;
		const to = Date.parse(days.to_date ?? dateOf(at + this.zoneMs)) + DAY - this.zoneMs;
		if (to - from > 31 * DAY) throw new Error('more than 31 days asked for');
		const rows = this.jobs
			.filter(({ madeAt }) => madeAt <= at && madeAt >= from && madeAt < to)
			.sort((a, b) => a.madeAt - b.madeAt || (a.id < b.id ? -1 : 1))
			.flatMap((job) => this.rowsOf(job, at));
		const part = rows.slice((number - 1) * this.pageSize, number * this.pageSize);
		return { rows: part, full: part.length === this.pageSize };
	}

	private rowsOf({ id, madeAt, endsAt, files, fails }: Job, at: number): HistoryEntry[] {
		const state = at < endsAt ? 'running' : fails ? 'failed' : 'completed';
		return Array.from({ length: state === 'completed' ? files : 1 }, () => ({
			id,
			madeAt,
			state,
			model: 'm',
		}));
	}
}

/** Polls as n8n runs them: what a poll writes lives in memory, and is saved at activation and when the poll emits. */
class Poller {
	emitted: string[] = [];
	/** Files of each emitted request. */
	files: Record<string, number> = {};
	private memory?: HistoryState;
	private saved?: HistoryState;

	constructor(
		private readonly history: History,
		private readonly filter = BOTH,
		private readonly enough = 6,
	) {}

	restart() {
		this.memory =
			this.saved === undefined
				? undefined
				: (JSON.parse(JSON.stringify(this.saved)) as HistoryState);
	}

	/** The state in memory, to be looked at. */
	get state(): HistoryState {
		return this.memory as HistoryState;
	}

	async poll(now: number, pages = Infinity): Promise<string[]> {
		const kept = this.memory;
		const state = kept ?? firstState(now, this.filter);
		const { full, from } = planScan(state, now);
		const { until, ...days } = daysFrom(from, now);
		const day = days.from_date;
		const hint =
			state.pages.day === day
				? full
					? state.pages.mark
					: Math.max(state.pages.mark, state.pages.recent)
				: 1;
		let left = kept ? pages : Infinity;
		const scan = await scanFrom(
			async (page) => (left-- > 0 ? this.history.page(now, days, page) : undefined),
			from,
			hint,
			kept ? this.enough : Infinity,
		);
		const { events, state: next } = judgeScan(state, scan, {
			full,
			now,
			filter: this.filter,
			day,
			until,
		});
		this.memory = next;
		const ids = kept ? events.map(({ id }) => id) : [];
		this.emitted.push(...ids);
		if (kept) for (const { id, rows } of events) this.files[id] = rows.length;
		if (!kept || ids.length > 0) this.saved = JSON.parse(JSON.stringify(next)) as HistoryState;
		return ids;
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

test('requests finish in another order than they were made, each is emitted when it finishes', async () => {
	const poller = new Poller(new History([job('slow', 1, 100), job('quick', 2, 1)]));
	await poller.poll(at(0));
	expect(await poller.poll(at(5))).toEqual(['quick']);
	poller.restart();
	expect(await poller.poll(at(60))).toEqual([]);
	expect(await poller.poll(at(102))).toEqual(['slow']);
	expect(await poller.poll(at(103))).toEqual([]);
});

test('what was finished at activation is not emitted, what was unfinished is', async () => {
	const poller = new Poller(
		new History([job('done', -60, 1), job('under way', -50, 60), job('same moment', -60, 70)]),
	);
	expect(await poller.poll(at(0))).toEqual([]);
	expect(await poller.poll(at(15))).toEqual(['same moment', 'under way']);
});

test.each([4, Infinity])(
	'an outage longer than the history can be asked for at once loses nothing (%s pages a poll)',
	async (pages) => {
		const jobs = Array.from({ length: 40 }, (_unused, index) =>
			job(`j${String(index).padStart(2, '0')}`, index * 2_880, 3),
		);
		const poller = new Poller(new History(jobs), BOTH, pages === Infinity ? 1_000 : 6);
		await poller.poll(at(-10));
		poller.restart();
		for (let round = 0; round < 30; round++) await poller.poll(at(85 * 1_440 + round), pages);
		expect(poller.emitted).toEqual(jobs.map(({ id }) => id));
	},
);

test('many requests of one moment, more than a poll takes', async () => {
	const jobs = Array.from({ length: 50 }, (_unused, index) =>
		job(`j${String(index).padStart(2, '0')}`, 5, 1, { files: 1 + (index % 3) }),
	);
	const poller = new Poller(new History(jobs));
	await poller.poll(at(0));
	for (let round = 0; round < 5; round++) await poller.poll(at(10 + round));
	expect(poller.emitted).toEqual(jobs.map(({ id }) => id));
});

test('the place in a long day is found by a few pages', async () => {
	const jobs = Array.from({ length: 3_000 }, (_unused, index) =>
		job(`j${index}`, -1_300 + index * 0.4, 0.1),
	);
	const history = new History([...jobs, job('new', 0.5, 0.2)]);
	const poller = new Poller(history);
	await poller.poll(at(0));
	history.reads = 0;
	expect(await poller.poll(at(1))).toEqual(['new']);
	// A quarter of an hour is 38 requests, 13 pages of 3.
	expect(history.reads).toBeLessThan(20);
});

test('a request that never ends does not make every poll long', async () => {
	const jobs = Array.from({ length: 400 }, (_unused, index) => job(`j${index}`, index * 0.5, 0.1));
	const history = new History([...jobs, job('stuck', 0.1, 1e6)]);
	const poller = new Poller(history, BOTH, 1_000);
	await poller.poll(at(0));
	for (let minute = 1; minute < 150; minute++) await poller.poll(at(minute));
	history.reads = 0;
	for (let minute = 150; minute < 160; minute++) await poller.poll(at(minute));
	// One long scan (over 100 pages) in ten minutes, the others a quarter of an hour each.
	expect(history.reads).toBeLessThan(110 + 9 * 16);
	expect(new Set(poller.emitted).size).toBe(poller.emitted.length);
});

test('a changed filter does not bring up what the old one left out', async () => {
	const history = new History([
		job('good', 1, 1),
		job('bad', 2, 1, { fails: true }),
		job('later', 20, 1),
	]);
	const poller = new Poller(history, { states: ['FAILED'], model: '' });
	await poller.poll(at(0));
	expect(await poller.poll(at(5))).toEqual(['bad']);
	Object.assign(poller, { filter: BOTH });
	expect(await poller.poll(at(6))).toEqual([]);
	expect(await poller.poll(at(25))).toEqual(['later']);
});

test('the filter takes a model by its whole name', async () => {
	const poller = new Poller(new History([job('one', 1, 1)]), {
		states: ['COMPLETED'],
		model: 'm-pro',
	});
	await poller.poll(at(0));
	expect(await poller.poll(at(5))).toEqual([]);
});

test('what is kept is bounded', async () => {
	const rows = Array.from(
		{ length: 25_000 },
		(_unused, index): HistoryEntry => ({
			id: `${index}`,
			madeAt: at(0) + index,
			state: 'completed',
			model: 'm',
		}),
	);
	const state = firstState(at(1), BOTH);
	const judged = judgeScan(
		state,
		{ rows, complete: true, readTo: undefined, pages: [] },
		{ full: true, now: at(1), filter: BOTH, day: '' },
	);
	expect(Object.keys(judged.state.seen).length).toBeLessThanOrEqual(20_000);
	expect(judged.state.mark).toBe(at(0) + 5_000);
	const again = judgeScan(
		judged.state,
		{
			rows: rows.filter(({ madeAt = 0 }) => madeAt >= judged.state.mark),
			complete: true,
			readTo: undefined,
			pages: [],
		},
		{ full: true, now: at(2), filter: BOTH, day: '' },
	);
	expect(again.events).toEqual([]);
});

test('a service that gives another order is read in full, or not at all', async () => {
	const rows = [5, 4, 3, 2, 1].map(
		(minute): HistoryEntry => ({
			id: `j${minute}`,
			madeAt: at(minute),
			state: 'completed',
			model: 'm',
		}),
	);
	const page = (number: number) => ({
		rows: rows.slice((number - 1) * 2, number * 2),
		full: number < 3,
	});
	const whole = await scanFrom(async (number) => page(number), at(2), 1);
	expect([whole.complete, whole.rows.map(({ id }) => id)]).toEqual([
		true,
		['j5', 'j4', 'j3', 'j2'],
	]);
	const part = await scanFrom(async (number) => (number < 2 ? page(number) : undefined), at(2), 1);
	expect([part.complete, part.readTo, part.rows]).toEqual([false, undefined, []]);
});

test('windows: whole days, 31 at most, whatever the time zone', () => {
	const now = Date.parse('2026-11-20T12:00:00Z');
	expect(daysFrom(now - 3 * 3_600_000, now)).toEqual({ from_date: '2026-11-19' });
	expect(daysFrom(now - 60 * DAY, now)).toEqual({
		from_date: '2026-09-20',
		to_date: '2026-10-20',
		until: Date.parse('2026-10-20T10:00:00Z'),
	});
	expect(dateOf(now)).toBe('2026-11-20');
});

const someJobs = fc.array(
	fc.record({
		// Often in the same moment as others.
		madeMin: fc.oneof(
			fc.integer({ min: -200, max: 3_000 }),
			fc.integer({ min: -4, max: 60 }).map((n) => n * 50),
		),
		tookMin: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.integer({ min: 0, max: 170 })),
		files: fc.integer({ min: 1, max: 4 }),
		fails: fc.boolean(),
	}),
	{ maxLength: 60 },
);
const someSteps = fc.array(
	fc.record({
		// Minutes since the poll before; now and then n8n is down for hours or weeks.
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

test('nothing twice, nothing skipped, under any restarts, outages, page limits and time zones', async () => {
	await fc.assert(
		fc.asyncProperty(
			someJobs,
			someSteps,
			fc.integer({ min: -11, max: 13 }),
			async (made, steps, zone) => {
				const jobs = made.map(({ madeMin, tookMin, ...more }, index) =>
					job(`j${index}`, madeMin, tookMin, more),
				);
				const poller = new Poller(new History(jobs, 3, zone * 3_600_000));
				await poller.poll(at(0));
				let minute = 0;
				for (const { after, restart, pages } of steps) {
					minute += after;
					if (restart) poller.restart();
					await poller.poll(at(minute), pages);
				}
				minute = Math.max(minute, 3_200);
				for (let round = 0; round < 60; round++) await poller.poll(at((minute += 11)));
				const wanted = jobs
					.filter(({ madeAt, endsAt }) => endsAt > at(0) && madeAt >= at(0) - UNFINISHED_MS)
					.map(({ id }) => id);
				expect([...poller.emitted].sort()).toEqual(wanted.sort());
				for (const { id, files, fails } of jobs)
					if (wanted.includes(id)) expect(poller.files[id]).toBe(fails ? 1 : files);
			},
		),
		{ numRuns: 400 },
	);
});
