/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { ROOT } from '../../base/project';
import type { Installation } from '../../n8n/n8nProcess';
import { envWithoutNpm } from '../../n8n/npm';
import type { EngineMessage, EngineRequest, RunReport, WorkflowRun } from './messages';

/** How long the process may take to exit before it's killed. */
const STOP_MS = 10_000;

const HOOKS = pathToFileURL(join(__dirname, 'installedN8n.mjs')).href;

/** n8n's engine in a separate process that handles one run at a time. */
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
			env: { ...envWithoutNpm(), SEGMIND_BENCH_N8N: installation.n8n, NODE_ENV: 'production' },
			silent: true,
		});
		let printed = '';
		for (const stream of [child.stdout, child.stderr])
			stream?.on('data', (chunk: Buffer) => (printed = (printed + chunk.toString()).slice(-4_000)));
		const message = await nextMessage(child);
		if (message.kind !== 'ready') throw new Error(`n8n's engine did not start:\n${printed}`);
		return new Engine(child, message.versions);
	}

	/** Runs a workflow until it ends. A failed workflow doesn't throw. `whileRunning` can press Stop. */
	async run(
		run: WorkflowRun,
		whileRunning?: (stop: () => void) => Promise<void>,
	): Promise<RunReport> {
		const reply = this.request({ kind: 'run', run });
		await Promise.all([reply, whileRunning?.(() => this.child.send({ kind: 'stop' }))]);
		const message = await reply;
		if (message.kind !== 'ran') throw new Error(`Unexpected message: ${message.kind}`);
		return message.report;
	}

	/** Runs a workflow that must output every item. @throws Error if an item is missing */
	async complete(run: WorkflowRun): Promise<RunReport> {
		const report = await this.run(run);
		const expected = run.items.length * (run.executions ?? 1);
		if (report.items === expected) return report;
		throw new Error(`${report.items} of ${expected} items came out: ${report.error}`);
	}

	/** Ends the process, which then deletes its stored files. */
	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, 'exit');
		this.child.disconnect();
		const killTimer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
		await ended;
		clearTimeout(killTimer);
	}

	private async request(message: EngineRequest): Promise<EngineMessage> {
		const reply = nextMessage(this.child);
		this.child.send(message);
		const result = await reply;
		if (result.kind === 'broke') throw new Error(result.problem);
		return result;
	}
}

async function nextMessage(child: ChildProcess): Promise<EngineMessage> {
	return await new Promise((resolve) => {
		const onMessage = (message: unknown) => settle(message as EngineMessage);
		const onExit = (code: number | null, signal: string | null) =>
			settle({ kind: 'broke', problem: `n8n's engine ended (${signal ?? code})` });
		const settle = (message: EngineMessage) => {
			child.off('message', onMessage);
			child.off('exit', onExit);
			resolve(message);
		};
		child.on('message', onMessage);
		child.on('exit', onExit);
	});
}
