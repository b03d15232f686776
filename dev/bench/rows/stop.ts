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
		const settings = { items: prompts(20) };
		const waiting: Line = {
			measure: 'Stop while waiting for 20 jobs: time to settle',
			unit: 'ms',
			values: await settling(bench, ours(emulator, settings), 'submit'),
			target: 500,
			rivals: [
				{
					name: 'HTTP Request loop, in its Wait',
					values: await settling(bench, httpLoop(emulator, settings, 5), 'submit'),
				},
			],
			headline: true,
		};
		const calling: Line = {
			measure: 'Stop during 20 v1 calls: time to settle',
			unit: 'ms',
			values: await settling(bench, ours(emulator, settings, { apiVersion: 'v1' }), 'v1'),
			target: 500,
			rivals: [
				{
					name: 'HTTP Request',
					values: await settling(
						bench,
						single(emulator, settings.items, httpPost('Call', `${emulator.urls.api}/v1/${MODEL}`)),
						'v1',
					),
					note: `calls of ${CALL_MS / 1_000} s`,
				},
			],
			headline: true,
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
					while ((await emulator.seen()).count(after) < run.items.length) await pause(50);
					await pause(500);
					press();
				});
				if (settleMs === undefined) throw new Error('It ended before it was stopped');
				return settleMs;
			}),
	);
}
