/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { CallKind } from '../../emulator';
import type { WorkflowRun } from '../engineProcess/messages';
import { repeat, type Bench, type Line, type Row } from '../row';
import {
	httpLoopWorkflow,
	httpPostNode,
	MODEL,
	segmindWorkflow,
	promptItems,
	singleNodeWorkflow,
} from '../workflows';

const JOB_MS = 60_000;
/** The duration of a v1 call. An HTTP Request node waits for its end, because the node doesn't notice Stop. */
const CALL_MS = 5_000;

export const stop: Row = {
	name: 'stop',
	about: 'Stop while 20 jobs are waited for: time until the execution has ended',
	async measure(bench) {
		const { emulator } = bench;
		const items = promptItems(20);
		const v1Run = segmindWorkflow(emulator, { items }, {}, { answerInOneCall: true });
		const stockRun = singleNodeWorkflow(
			emulator,
			items,
			httpPostNode('Call', `${emulator.urls.api}/v1/${MODEL}`),
		);
		const common = { unit: 'ms', target: 500, headline: true } as const;
		const waiting: Line = {
			...common,
			measure: 'Stop while waiting for 20 jobs: time to settle',
			values: await measureStops(bench, segmindWorkflow(emulator, { items }), 'submit'),
			rivals: [
				{
					name: 'HTTP Request loop, in its Wait',
					values: await measureStops(bench, httpLoopWorkflow(emulator, { items }, 5), 'submit'),
				},
			],
		};
		const calling: Line = {
			...common,
			measure: 'Stop during 20 v1 calls: time to settle',
			values: await measureStops(bench, v1Run, 'v1'),
			rivals: [
				{
					name: 'HTTP Request',
					values: await measureStops(bench, stockRun, 'v1'),
					note: `calls of ${CALL_MS / 1_000} s`,
				},
			],
		};
		return { lines: [waiting, calling] };
	},
};

/** Presses Stop half a second after every item has made a call of this kind. Returns how long the executions then take to end. */
async function measureStops(bench: Bench, run: WorkflowRun, after: CallKind): Promise<number[]> {
	const { emulator } = bench;
	return await bench.withEngine(
		async (engine) =>
			await repeat(bench.times(5), async () => {
				await emulator.begin({ jobMs: JOB_MS, v1Ms: CALL_MS });
				const { settleMs } = await engine.run(run, async (press) => {
					while ((await emulator.readState()).count(after) < run.items.length) await pause(50);
					await pause(500);
					press();
				});
				if (settleMs === undefined) throw new Error('The execution ended before it was stopped');
				return settleMs;
			}),
	);
}
