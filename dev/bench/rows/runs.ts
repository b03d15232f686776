import type { INode } from 'n8n-workflow';

import type { Orders } from '../../emulator';
import type { WorkflowRun } from '../engineProcess/engine';
import type { Bench, Line, Result } from '../row';
import { httpLoopWorkflow, promptItems, segmindWorkflow, slugValue } from '../workflows';

interface Runs {
	items: number;
	model: string;
	/** The duration of the jobs of each run. */
	jobsMs: number[];
	orders?: Partial<Orders>;
	/** What a line shows of a run. */
	valueOf: (tookMs: number, jobMs: number) => number;
}

/** Measures runs in n8n's engine, of our nodes and of loops of n8n's own nodes with a Wait of 2 s and of 5 s. */
export async function compareRuns(
	bench: Bench,
	runs: Runs,
): Promise<Pick<Line, 'rivals'> & Result> {
	const { emulator } = bench;
	const items = promptItems(runs.items);
	const model = slugValue(runs.model);
	const ours = await timeRuns(bench, runs, (node) =>
		segmindWorkflow(emulator, { items, node }, { model }),
	);
	const rivals: Line['rivals'] = [];
	for (const seconds of [2, 5]) {
		const result = await timeRuns(bench, runs, () =>
			httpLoopWorkflow(emulator, { items }, seconds),
		);
		rivals.push({ name: `Wait ${seconds} s`, ...result });
	}
	return { ...ours, rivals };
}

async function timeRuns(
	{ emulator, withEngine }: Bench,
	{ items: itemCount, jobsMs, orders, valueOf }: Runs,
	make: (node: Partial<INode>) => WorkflowRun,
): Promise<Result> {
	return await withEngine(async (engine) => {
		// The rate limiter belongs to the credential, so each run uses a new credential.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run is slower, because it compiles code. It has two items, because the first status check of a single item would be late if the model's
		// published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run(-1), items: promptItems(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (const [at, jobMs] of jobsMs.entries()) {
			await emulator.begin({ jobMs, ...orders });
			const { tookMs, items } = await engine.run(run(at));
			const { jobs } = await emulator.readState();
			if (items === itemCount) values.push(valueOf(tookMs, jobMs));
			else note = `fails: ${jobs.length} jobs paid for, ${items} items out`;
		}
		return { values, note };
	});
}
