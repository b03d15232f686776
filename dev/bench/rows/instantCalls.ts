import type { WorkflowRun } from '../engineProcess/messages';
import { repeat, type Line, type Row, type Unit } from '../row';
import {
	httpPostNode,
	MODEL,
	segmindWorkflow,
	promptItems,
	singleNodeWorkflow,
} from '../workflows';

interface CallCost {
	seconds: number;
	/** Processor time of n8n's process, per call. */
	cpuMs: number;
}

export const instantCalls: Row = {
	name: 'instantCalls',
	about: '1,000 items of an instant v1 call, over the time of n8n’s own HTTP Request node',
	async measure(bench) {
		const { emulator } = bench;
		const count = bench.quick ? 200 : 1_000;
		const items = promptItems(count);
		const url = `${emulator.urls.api}/v1/${MODEL}`;
		const ourRun = segmindWorkflow(emulator, { items }, {}, { answerInOneCall: true });
		const stockRun = singleNodeWorkflow(emulator, items, httpPostNode('Call', url));
		const pairs = await bench.withEngine(async (engine) => {
			const measure = async (run: WorkflowRun): Promise<CallCost> => {
				await emulator.begin({ v1Ms: 0 });
				const { tookMs, cpuMs } = await engine.complete(run);
				return { seconds: tookMs / 1_000, cpuMs: cpuMs / count };
			};
			// The first runs are slower, because they compile code.
			for (const run of [ourRun, stockRun]) await measure(run);
			return await repeat(bench.times(7), async () => ({
				ours: await measure(ourRun),
				stock: await measure(stockRun),
			}));
		});
		const title = `${count.toLocaleString('en-GB')} items of an instant v1 call`;
		const line = (about: string, unit: Unit, what: keyof CallCost): Line => ({
			measure: `${title}: ${about}`,
			unit,
			values: pairs.map(({ ours }) => ours[what]),
			rivals: [{ name: 'HTTP Request as it comes', values: pairs.map(({ stock }) => stock[what]) }],
		});
		return {
			lines: [
				{
					measure: `${title}: wall time over HTTP Request's`,
					unit: '×',
					values: pairs.map(({ ours, stock }) => ours.seconds / stock.seconds),
					target: 1.1,
					rivals: [],
					headline: true,
				},
				{ ...line('wall time', 's', 'seconds'), drawn: true },
				line('processor time of n8n for a call, its file stored', 'ms', 'cpuMs'),
			],
		};
	},
};
