/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import type {
	IConnections,
	ICredentialDataDecryptedObject,
	INode,
	INodeExecutionData,
} from 'n8n-workflow';

import { ROOT } from '../../base/project';
import type { Installation } from '../../n8n/n8nProcess';
import { envWithoutNpm } from '../../n8n/npm';

export interface WorkflowRun {
	nodes: INode[];
	connections: IConnections;
	/** The input of the first node. */
	items: INodeExecutionData[];
	/** Replaces the items with one item, whose binary field `data` is a file of this many zero bytes in n8n's storage. */
	fileBytes?: number;
	/** Values of the credential Segmind API. */
	credential: ICredentialDataDecryptedObject;
}

/** How a run ended, and what it cost the process. Times are in ms, sizes in bytes. */
export interface RunReport {
	tookMs: number;
	/** Resident memory: the highest value during the work minus the value before it. */
	rssGrowth: number;
	/** The number of items that the last node output in all its runs. */
	items: number;
	/** The size of the execution as n8n stores it. */
	storedBytes: number;
	/** The message of a failed execution's error. */
	error?: string;
}

type Versions = Record<'n8n' | 'node', string>;
/** A message of the process: its versions when it's ready, then a report for each run. */
export type EngineMessage = { versions: Versions } | { report: RunReport } | { problem: string };

const HOOKS = pathToFileURL(join(__dirname, 'installedN8n.mjs')).href;

/** n8n's engine in a separate process that handles one run at a time. */
export class Engine {
	private constructor(
		private readonly child: ChildProcess,
		readonly versions: Versions,
	) {}

	/** @throws Error if the process doesn't start */
	static async start(installation: Installation): Promise<Engine> {
		const child = fork(join(__dirname, 'process.ts'), {
			cwd: ROOT,
			execPath: installation.node,
			execArgv: ['--expose-gc', '--import', HOOKS, '--import', 'tsx'],
			env: { ...envWithoutNpm(), SEGMIND_BENCH_N8N: installation.n8n, NODE_ENV: 'production' },
		});
		const message = await nextMessage(child);
		if ('versions' in message) return new Engine(child, message.versions);
		throw new Error(`n8n's engine did not start: ${JSON.stringify(message)}`);
	}

	/** Runs a workflow until it ends. A failed workflow doesn't throw. */
	async run(run: WorkflowRun): Promise<RunReport> {
		const reply = nextMessage(this.child);
		this.child.send(run);
		const message = await reply;
		if ('report' in message) return message.report;
		throw new Error(JSON.stringify(message));
	}

	/** Runs a workflow that must output every item. @throws Error if an item is missing */
	async complete(run: WorkflowRun): Promise<RunReport> {
		const report = await this.run(run);
		if (report.items === run.items.length) return report;
		throw new Error(`${report.items} of ${run.items.length} items came out: ${report.error}`);
	}

	/** Ends the process, which then deletes its stored files. */
	async stop(): Promise<void> {
		if (this.child.exitCode !== null || this.child.signalCode !== null) return;
		const ended = once(this.child, 'exit');
		this.child.disconnect();
		await ended;
	}
}

async function nextMessage(child: ChildProcess): Promise<EngineMessage> {
	const listening = new AbortController();
	const { signal } = listening;
	const exit = once(child, 'exit', { signal }).then(([code]) => [
		{ problem: `n8n's engine ended (${code})` },
	]);
	const [message] = await Promise.race([once(child, 'message', { signal }), exit]);
	exit.catch(() => {});
	listening.abort();
	return message as EngineMessage;
}
