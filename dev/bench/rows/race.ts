import type { INode } from 'n8n-workflow';

import type { Orders } from '../../emulator';
import { ITEMS, JOB_MS } from '../../simulation/simulatedBatch';
import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Bench, type Line, type Rival } from '../row';
import { httpLoop, ours, prompts } from '../workflows';

/** Twenty items with jobs of 5 s, and what the service does besides. */
interface Race {
	orders?: Partial<Orders>;
	/** What all of them take at the least. */
	leastMs?: number;
	/** How often ours runs, and the loop of HTTP Request. */
	times: [ours: number, loop: number];
	/** Running all of them one after the other is too slow: only this many, at these intervals, s. */
	oneByOne?: { items: number; every: number[] };
}

/** A contender. */
interface Contender {
	name: string;
	times: number;
	make: (node: Partial<INode>) => WorkflowRun;
}

/** Time relative to the minimum, in n8n's engine: for our nodes and for what people use today. */
export async function raced(
	bench: Bench,
	{ times: [own, loop], oneByOne, ...race }: Race,
): Promise<Pick<Line, 'values' | 'note' | 'rivals'>> {
	const { emulator } = bench;
	const items = prompts(ITEMS);
	const loops = [2, 5].map((seconds) => ({
		name: `HTTP Request loop, Wait ${seconds} s`,
		times: bench.times(loop),
		make: () => httpLoop(emulator, { items }, seconds),
	}));
	const few = prompts(bench.quick ? 2 : (oneByOne?.items ?? 0));
	const slow = (oneByOne?.every ?? []).map((seconds) => ({
		name: `one by one, every ${seconds} s`,
		times: 1,
		make: (node: Partial<INode>) =>
			ours(emulator, { items: few, node }, {}, { maxConcurrency: 1, pollIntervalSeconds: seconds }),
	}));
	const { values, note } = await timed(bench, race, {
		name: 'ours',
		times: bench.times(own),
		make: (node) => ours(emulator, { items, node }),
	});
	const all = [...loops, ...slow];
	const rivals = await repeated(all.length, async (at) => await timed(bench, race, all[at]));
	return { values, note, rivals };
}

async function timed(
	{ emulator, withEngine }: Bench,
	{ orders, leastMs = JOB_MS }: Pick<Race, 'orders' | 'leastMs'>,
	{ name, times, make }: Contender,
): Promise<Rival> {
	return await withEngine(async (engine) => {
		// The rate limiter belongs to the credential, so each run uses a new credential.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run compiles. Of a single item the first look would come late: the model's published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run(0), items: prompts(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (let at = 1; at <= times; at++) {
			await emulator.begin({ jobMs: JOB_MS, ...orders });
			const given = run(at);
			const { tookMs, items, error } = await engine.run(given);
			const factor = ITEMS / given.items.length;
			if (items === given.items.length) {
				values.push((tookMs / leastMs) * factor);
				if (factor > 1) note = `${items} items, times ${factor}`;
			} else {
				const { jobs } = await emulator.readState();
				note = `fails: ${jobs.length} jobs paid for, ${items} items out (${error})`;
			}
		}
		return { name, values, note };
	});
}
