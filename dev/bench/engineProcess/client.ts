/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../../base/project';
import type { Installation } from '../../n8n/n8nProcess';
import { outsideNpm } from '../../n8n/npm';
import type { Answer, Request, RunReport, WorkflowRun } from './messages';

/** How long the process may take to exit before it is killed, ms. */
const STOP_MS = 10_000;

const HOOKS = pathToFileURL(join(__dirname, 'installedN8n.mjs')).href;

/** n8n's engine in a separate process that does one thing at a time. */
export class Engine {
	private constructor(
		private readonly child: ChildProcess,
		readonly versions: Record<string, string>,
	) {}

	/** @throws Error with the process's output if it doesn't start */
	static async start(installation: Installation): Promise<Engine> {
		const child = fork(join(__dirname, 'process.ts'), {
			cwd: ROOT,
			execPath: installation.node,
			execArgv: ['--expose-gc', '--import', HOOKS, '--import', 'tsx'],
			env: { ...outsideNpm(), SEGMIND_BENCH_N8N: installation.n8n, NODE_ENV: 'production' },
			silent: true,
		});
		let printed = '';
		for (const stream of [child.stdout, child.stderr])
			stream?.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4_000)));
		const answer = await nextAnswer(child);
		if (answer.kind !== 'ready') throw new Error(`n8n's engine did not start:\n${printed}`);
		return new Engine(child, answer.versions);
	}

	/** Runs a workflow until it ends. A failed workflow doesn't throw. `whileRunning` can press Stop. */
	async run(
		run: WorkflowRun,
		whileRunning?: (stop: () => void) => Promise<void>,
	): Promise<RunReport> {
		const answered = this.ask({ kind: 'run', run });
		await Promise.all([answered, whileRunning?.(() => this.child.send({ kind: 'stop' }))]);
		const answer = await answered;
		if (answer.kind !== 'ran') throw new Error(`Unexpected answer: ${answer.kind}`);
		return answer.report;
	}

	/** Runs a workflow that must output every item. @throws Error if an item is missing */
	async complete(run: WorkflowRun): Promise<RunReport> {
		const report = await this.run(run);
		const wanted = run.items.length * (run.executions ?? 1);
		if (report.items === wanted) return report;
		throw new Error(`${report.items} of ${wanted} items came out: ${report.error}`);
	}

	/** Ends the process, which deletes its stored files. */
	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, 'exit');
		this.child.disconnect();
		const late = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
		await ended;
		clearTimeout(late);
	}

	private async ask(request: Request): Promise<Answer> {
		const answered = nextAnswer(this.child);
		this.child.send(request);
		const answer = await answered;
		if (answer.kind === 'broke') throw new Error(answer.problem);
		return answer;
	}
}

async function nextAnswer(child: ChildProcess): Promise<Answer> {
	return await new Promise((resolve) => {
		const onMessage = (answer: unknown) => settle(answer as Answer);
		const onExit = (code: number | null, signal: string | null) =>
			settle({ kind: 'broke', problem: `n8n's engine ended (${signal ?? code})` });
		const settle = (answer: Answer) => {
			child.off('message', onMessage);
			child.off('exit', onExit);
			resolve(answer);
		};
		child.on('message', onMessage);
		child.on('exit', onExit);
	});
}
