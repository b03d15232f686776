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
	/** Processor time of n8n's process per call. */
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
		const own = segmindWorkflow(emulator, { items }, {}, { answerInOneCall: true });
		const plain = singleNodeWorkflow(emulator, items, httpPostNode('Call', url));
		const pairs = await bench.withEngine(async (engine) => {
			const called = async (run: WorkflowRun): Promise<CallCost> => {
				await emulator.begin({ v1Ms: 0 });
				const { tookMs, cpuMs } = await engine.complete(run);
				return { seconds: tookMs / 1_000, cpuMs: cpuMs / count };
			};
			// The first runs are slower, because they compile code.
			for (const run of [own, plain]) await called(run);
			return await repeat(bench.times(7), async () => ({
				own: await called(own),
				plain: await called(plain),
			}));
		});
		const measure = `${count.toLocaleString('en-GB')} items of an instant v1 call`;
		const line = (about: string, unit: Unit, what: keyof CallCost): Line => ({
			measure: `${measure}: ${about}`,
			unit,
			values: pairs.map(({ own: ourCall }) => ourCall[what]),
			rivals: [{ name: 'HTTP Request as it comes', values: pairs.map((pair) => pair.plain[what]) }],
		});
		return {
			lines: [
				{
					measure: `${measure}: wall time over HTTP Request's`,
					unit: '×',
					values: pairs.map((pair) => pair.own.seconds / pair.plain.seconds),
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
