import type { INode } from 'n8n-workflow';

import type { Orders } from '../../emulator';
import { ITEMS, JOB_MS } from '../../simulation/simulatedBatch';
import type { WorkflowRun } from '../engineProcess/messages';
import { repeat, type Bench, type Line, type Rival } from '../row';
import { httpLoopWorkflow, segmindWorkflow, promptItems } from '../workflows';

/** A race with twenty items whose jobs take 5 s. */
interface Race {
	orders?: Partial<Orders>;
	/** The minimum time for all items. */
	minMs?: number;
	/** How often our nodes run, and how often the loop of HTTP Request nodes. */
	times: [ours: number, loop: number];
	/** Also measures items one after the other, with these poll intervals in s. All twenty items would be too slow, so only this many run. */
	oneByOne?: { items: number; every: number[] };
}

interface Contender {
	name: string;
	times: number;
	make: (node: Partial<INode>) => WorkflowRun;
}

/** Measures the time relative to the minimum, in n8n's engine, for our nodes and for what people use today. */
export async function race(
	bench: Bench,
	{ times: [ourTimes, loopTimes], oneByOne, ...conditions }: Race,
): Promise<Pick<Line, 'values' | 'note' | 'rivals'>> {
	const { emulator } = bench;
	const items = promptItems(ITEMS);
	const loops = [2, 5].map((seconds) => ({
		name: `HTTP Request loop, Wait ${seconds} s`,
		times: bench.times(loopTimes),
		make: () => httpLoopWorkflow(emulator, { items }, seconds),
	}));
	const fewItems = promptItems(bench.quick ? 2 : (oneByOne?.items ?? 0));
	const oneByOneRuns = (oneByOne?.every ?? []).map((seconds) => ({
		name: `one by one, every ${seconds} s`,
		times: 1,
		make: (node: Partial<INode>) =>
			segmindWorkflow(
				emulator,
				{ items: fewItems, node },
				{},
				{ maxConcurrency: 1, pollIntervalSeconds: seconds },
			),
	}));
	const { values, note } = await timeContender(bench, conditions, {
		name: 'ours',
		times: bench.times(ourTimes),
		make: (node) => segmindWorkflow(emulator, { items, node }),
	});
	const contenders = [...loops, ...oneByOneRuns];
	const rivals = await repeat(
		contenders.length,
		async (at) => await timeContender(bench, conditions, contenders[at]),
	);
	return { values, note, rivals };
}

async function timeContender(
	{ emulator, withEngine }: Bench,
	{ orders, minMs = JOB_MS }: Pick<Race, 'orders' | 'minMs'>,
	{ name, times, make }: Contender,
): Promise<Rival> {
	return await withEngine(async (engine) => {
		// The rate limiter belongs to the credential, so each run uses a new credential.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run is slower, because it compiles code. It has two items, because the first status check of a single item would be late: the model's
		// published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run(0), items: promptItems(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (let at = 1; at <= times; at++) {
			await emulator.begin({ jobMs: JOB_MS, ...orders });
			const workflow = run(at);
			const { tookMs, items, error } = await engine.run(workflow);
			const factor = ITEMS / workflow.items.length;
			if (items === workflow.items.length) {
				values.push((tookMs / minMs) * factor);
				if (factor > 1) note = `${items} items, times ${factor}`;
			} else {
				const { jobs } = await emulator.readState();
				note = `fails: ${jobs.length} jobs paid for, ${items} items out (${error})`;
			}
		}
		return { name, values, note };
	});
}
