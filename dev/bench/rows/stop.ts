/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { setTimeout as pause } from 'node:timers/promises';

import type { CallKind } from '../../emulator';
import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Bench, type Line, type Row } from '../row';
import { httpLoop, httpPost, MODEL, ours, prompts, single } from '../workflows';

const LONG_MS = 60_000;
/** What an HTTP Request node that does not notice Stop is waited for. */
const CALL_MS = 5_000;

export const stop: Row = {
	name: 'stop',
	about: 'Stop while 20 jobs are waited for: time until the execution has ended',
	async measure(bench) {
		const { emulator } = bench;
		const items = prompts(20);
		const v1 = ours(emulator, { items }, {}, { answerInOneCall: true });
		const plain = single(emulator, items, httpPost('Call', `${emulator.urls.api}/v1/${MODEL}`));
		const settles = { unit: 'ms', target: 500, headline: true } as const;
		const waiting: Line = {
			...settles,
			measure: 'Stop while waiting for 20 jobs: time to settle',
			values: await settling(bench, ours(emulator, { items }), 'submit'),
			rivals: [
				{
					name: 'HTTP Request loop, in its Wait',
					values: await settling(bench, httpLoop(emulator, { items }, 5), 'submit'),
				},
			],
		};
		const calling: Line = {
			...settles,
			measure: 'Stop during 20 v1 calls: time to settle',
			values: await settling(bench, v1, 'v1'),
			rivals: [
				{
					name: 'HTTP Request',
					values: await settling(bench, plain, 'v1'),
					note: `calls of ${CALL_MS / 1_000} s`,
				},
			],
		};
		return { lines: [waiting, calling] };
	},
};

/** Presses Stop half a second after every item has called so. */
async function settling(bench: Bench, run: WorkflowRun, after: CallKind): Promise<number[]> {
	const { emulator } = bench;
	return await bench.withEngine(
		async (engine) =>
			await repeated(bench.times(5), async () => {
				await emulator.begin({ jobMs: LONG_MS, v1Ms: CALL_MS });
				const { settleMs } = await engine.run(run, async (press) => {
					while ((await emulator.readState()).count(after) < run.items.length) await pause(50);
					await pause(500);
					press();
				});
				if (settleMs === undefined) throw new Error('It ended before it was stopped');
				return settleMs;
			}),
	);
}
