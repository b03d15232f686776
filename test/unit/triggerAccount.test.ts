/** Each finished request of a watched account starts the workflow once, even across restarts, outages and long histories. */
import fc from 'fast-check';

import {
	initialState,
	historyState,
	evaluateReading,
	MAX_PAGES,
	readBack,
	MAX_UNFINISHED_MS,
	type HistoryEntry,
	type EntryPage,
	type HistoryState,
} from '../../nodes/SegmindTrigger/historyState';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T22:00:00Z');

interface Job {
	id: string;
	madeAt: number;
	endsAt: number;
	files: number;
	fails: boolean;
}

/** The service's history, newest first. `order` can differ, because the service may ignore the requested order. */
class History {
	constructor(
		private readonly jobs: Job[],
		private readonly pageSize = 3,
		private readonly order: 'desc' | 'asc' = 'desc',
	) {}

	page(at: number, number: number): EntryPage<HistoryEntry> {
		const rows = this.jobs
			.filter(({ madeAt }) => madeAt <= at)
			.sort((a, b) => a.madeAt - b.madeAt || (a.id < b.id ? -1 : 1))
			.flatMap((job) => this.rowsOf(job, at));
		if (this.order === 'desc') rows.reverse();
		const part = rows.slice((number - 1) * this.pageSize, number * this.pageSize);
		return { rows: part, isLast: part.length < this.pageSize };
	}

	private rowsOf({ id, madeAt, endsAt, files, fails }: Job, at: number): HistoryEntry[] {
		const state = at < endsAt ? 'running' : fails ? 'failed' : 'completed';
		return Array.from({ length: state === 'completed' ? files : 1 }, () => ({ id, madeAt, state }));
	}
}

/** Polls as n8n does: the state is in memory, and n8n saves it at activation and after a poll that emits, or after every poll (`durable`). */
class Poller {
	emitted: string[] = [];
	/** The number of files of each emitted request. */
	files: Record<string, number> = {};
	ends: string[] = [];
	private memory?: HistoryState;
	private saved?: string;

	constructor(
		private readonly history: History,
		private readonly durable = false,
	) {}

	restart() {
		this.memory = this.saved === undefined ? undefined : (JSON.parse(this.saved) as HistoryState);
	}

	/** Reads at most `maxPages` pages, each of which takes `pageMs`. Returns the IDs that the poll emits. */
	async poll(now: number, maxPages = Infinity, pageMs = 0): Promise<string[]> {
		const kept = this.memory;
		const state = kept ?? initialState(now);
		let pagesLeft = kept ? maxPages : Infinity;
		let time = now;
		let page = 0;
		const reading = await readBack(async () => {
			if (pagesLeft-- <= 0) return undefined;
			time += pageMs;
			return this.history.page(time, ++page);
		}, state.mark);
		this.ends.push(reading.end);
		const { finished, state: next } = evaluateReading(state, reading, time);
		this.memory = next;
		const ids = kept ? finished.map(({ id }) => id) : [];
		this.emitted.push(...ids);
		if (kept) for (const { id, rows } of finished) this.files[id] = rows.length;
		if (!kept || ids.length > 0 || this.durable) this.saved = JSON.stringify(next);
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

test('reports that there are more requests than one poll reads, emits the newest, and emits nothing twice', async () => {
	const jobs = Array.from({ length: 400 }, (_unused, index) => job(`j${index}`, index * 0.1, 0.1));
	const poller = new Poller(new History(jobs));
	await poller.poll(at(-1));
	const found = await poller.poll(at(41));
	expect(poller.ends).toEqual(['mark', 'tooMuch']);
	// The oldest request that was read isn't emitted, because the next page may have more of its files.
	expect(found).toEqual(jobs.slice(400 - MAX_PAGES * 3 + 1).map(({ id }) => id));
	expect(await poller.poll(at(42))).toEqual([]);
	poller.restart();
	expect(await poller.poll(at(60))).toEqual([]);
});

test('reads everything if the service uses another order', async () => {
	const jobs = Array.from({ length: 20 }, (_unused, index) => job(`j${index}`, index, 1));
	const old = Array.from({ length: 20 }, (_unused, index) => job(`old${index}`, index - 400, 1));
	const poller = new Poller(new History([...old, ...jobs], 3, 'asc'));
	await poller.poll(at(0));
	expect(await poller.poll(at(30))).toEqual(jobs.map(({ id }) => id));
	expect(await poller.poll(at(31))).toEqual([]);
});

test.each(['x', '__proto__', 'constructor'])(
	'a row %s without a time starts the workflow once',
	(id) => {
		let state = initialState(at(0));
		const ids: string[] = [];
		for (let minute = 0; minute < 600; minute += 5) {
			const rows: HistoryEntry[] = [{ id, madeAt: undefined, state: 'completed' }];
			const judged = evaluateReading(state, { rows, end: 'mark' }, at(minute));
			state = historyState.parse(JSON.parse(JSON.stringify(judged.state)));
			ids.push(...judged.finished.map((request) => request.id));
		}
		expect(ids).toEqual([id]);
	},
);

test('the stored state is bounded, and nothing is emitted twice, however many rows a page has', async () => {
	const row = (index: number): HistoryEntry => {
		return { id: `${index}`, madeAt: at(0) - index, state: 'completed' };
	};
	const rows = Array.from({ length: 300_000 }, (_unused, index) => row(index));
	const pages = [{ rows, isLast: false }];
	const onePage = async () => pages.shift();
	const reading = await readBack(onePage, 0);
	expect(reading).toMatchObject({ end: 'cut', rows: { length: rows.length } });
	const { state } = evaluateReading(
		initialState(at(1)),
		{ rows: rows.slice(0, 8_000), end: 'cut' },
		at(1),
	);
	expect(state.seen).toHaveLength(5_000);
	expect(
		evaluateReading(state, { rows: rows.slice(0, 8_000), end: 'mark' }, at(2)).finished,
	).toEqual([]);
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

test('emits each request once despite any restarts, outages and page limits, with or without durable cursors', async () => {
	const pageDuration = fc.constantFrom(0, 20_000);
	await fc.assert(
		fc.asyncProperty(
			someJobs,
			someSteps,
			fc.boolean(),
			pageDuration,
			async (made, steps, durable, pageMs) => {
				const jobs = made.map(({ madeMin, tookMin, ...more }, index) =>
					job(`j${index}`, madeMin, tookMin, more),
				);
				const poller = new Poller(new History(jobs, 6), durable);
				await poller.poll(at(0));
				let minute = 0;
				for (const { after, restart, pages } of steps) {
					minute += after;
					if (restart) poller.restart();
					await poller.poll(at(minute), pages, pageMs);
				}
				minute = Math.max(minute, 3_200);
				for (let round = 0; round < 60; round++) await poller.poll(at((minute += 11)));
				expect(poller.ends).not.toContain('tooMuch');
				const wanted = jobs.filter(
					({ madeAt, endsAt }) => endsAt > at(0) && madeAt >= at(0) - MAX_UNFINISHED_MS,
				);
				expect([...poller.emitted].sort()).toEqual(wanted.map(({ id }) => id).sort());
				// A row may occur twice, but none may be missing.
				for (const { id, files, fails } of wanted)
					expect(poller.files[id]).toBeGreaterThanOrEqual(fails ? 1 : files);
			},
		),
		{ numRuns: 200 },
	);
});
