import type { INode } from 'n8n-workflow';

import type { Orders } from '../../emulator';
import { ITEMS, JOB_MS } from '../../simulation/simulatedBatch';
import type { WorkflowRun } from '../engineProcess/engine';
import type { Bench, Line, Result, Row } from '../row';
import {
	httpLoopWorkflow,
	promptItems,
	segmindWorkflow,
	slugValue,
	SLOW_MODEL,
} from '../workflows';

export const batch: Row = {
	name: 'batch',
	about: '20 items with jobs of 5 s: wall time over 5 s',
	async measure(bench) {
		const { emulator } = bench;
		const items = promptItems(ITEMS);
		const slow = (node: Partial<INode>) =>
			segmindWorkflow(emulator, { items, node }, { model: slugValue(SLOW_MODEL) });
		const measure = `${ITEMS} items, jobs of 5 s: wall time over 5 s`;
		const ours = await timeBatch(bench, slow, { times: 7, minMs: JOB_MS, orders: {} });
		return [
			await batchLine(bench, measure, 7, 1.15),
			{ measure: `${measure}, published time 61 s`, unit: '×', target: 1.5, ...ours },
		];
	},
};

/**
 * Measures a batch in n8n's engine, for our nodes and for a loop of n8n's own nodes: the time relative to `minMs`, the minimum for all items.
 */
export async function batchLine(
	bench: Bench,
	measure: string,
	times: number,
	target: number,
	{ minMs = JOB_MS, ...orders }: Partial<Orders> & { minMs?: number } = {},
): Promise<Line> {
	const { emulator } = bench;
	const items = promptItems(ITEMS);
	const time = async (make: (node: Partial<INode>) => WorkflowRun) =>
		await timeBatch(bench, make, { times, minMs, orders });
	const ours = await time((node) => segmindWorkflow(emulator, { items, node }));
	const rivals: Line['rivals'] = [];
	for (const seconds of [2, 5]) {
		const result = await time(() => httpLoopWorkflow(emulator, { items }, seconds));
		rivals.push({ name: `Wait ${seconds} s`, ...result });
	}
	return { measure, unit: '×', target, ...ours, rivals };
}

async function timeBatch(
	{ emulator, withEngine }: Bench,
	make: (node: Partial<INode>) => WorkflowRun,
	{ times, minMs, orders }: { times: number; minMs: number; orders: Partial<Orders> },
): Promise<Result> {
	return await withEngine(async (engine) => {
		// The rate limiter belongs to the credential, so each run uses a new credential.
		const run = (at: number) =>
			make({ credentials: { segmindApi: { id: `run ${at}`, name: '' } } });
		// The first run is slower, because it compiles code. It has two items, because the first status check of a single item would be late if the model's
		// published time is long.
		await emulator.begin({ jobMs: 0 });
		await engine.complete({ ...run(0), items: promptItems(2) });
		const values: number[] = [];
		let note: string | undefined;
		for (let at = 1; at <= times; at++) {
			await emulator.begin({ jobMs: JOB_MS, ...orders });
			const { tookMs, items } = await engine.run(run(at));
			const { jobs } = await emulator.readState();
			if (items === ITEMS) values.push(tookMs / minMs);
			else note = `fails: ${jobs.length} jobs paid for, ${items} items out`;
		}
		return { values, note };
	});
}
