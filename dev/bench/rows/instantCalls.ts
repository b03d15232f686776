import type { WorkflowRun } from '../engineProcess/messages';
import { repeated, type Line, type Row, type Unit } from '../row';
import { httpPost, MODEL, ours, prompts, single } from '../workflows';

interface Called {
	seconds: number;
	/** Of n8n's process, for a call. */
	cpuMs: number;
}

export const instantCalls: Row = {
	name: 'instantCalls',
	about: '1,000 items of an instant v1 call, over the time of n8n’s own HTTP Request node',
	async measure(bench) {
		const { emulator } = bench;
		const count = bench.quick ? 200 : 1_000;
		const items = prompts(count);
		const url = `${emulator.urls.api}/v1/${MODEL}`;
		const own = ours(emulator, { items }, {}, { answerInOneCall: true });
		const plain = single(emulator, items, httpPost('Call', url));
		const pairs = await bench.withEngine(async (engine) => {
			const called = async (run: WorkflowRun): Promise<Called> => {
				await emulator.begin({ v1Ms: 0 });
				const { tookMs, cpuMs } = await engine.complete(run);
				return { seconds: tookMs / 1_000, cpuMs: cpuMs / count };
			};
			// The first runs compile.
			for (const run of [own, plain]) await called(run);
			return await repeated(bench.times(7), async () => ({
				own: await called(own),
				plain: await called(plain),
			}));
		});
		const measure = `${count.toLocaleString('en-GB')} items of an instant v1 call`;
		const line = (about: string, unit: Unit, what: keyof Called): Line => ({
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
