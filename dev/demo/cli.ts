/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

import type { INodeExecutionData } from 'n8n-workflow';

import { ensureBuilt } from '../base/build';
import { commandOf, INTERRUPTED, jobSecondsOption, runCommand, stopOnCtrlC } from '../base/command';
import { startEmulator, type Emulator, type JobView } from '../emulator';
import { planDemo } from './plan';
import { showProgress } from './progress';
import { alignCells } from './table';

interface Flags {
	/** The folder for the files, relative to the current folder. */
	out: string;
	/** The approximate duration of a request. */
	jobSeconds: number;
}

/** Factors for the durations of a batch's requests, because the requests of a real batch don't end all at once. */
const PACES = [1, 0.7, 1.5, 0.9, 1.8, 1.2];

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function readFlags(args: readonly string[]): Flags {
	return commandOf(
		'start',
		"Runs the Segmind nodes of examples/text-to-image.json and examples/batch-of-prompts.json in n8n's engine, against an emulated Segmind.",
	)
		.option('--out <folder>', 'where to write the files', 'output')
		.addOption(jobSecondsOption(3))
		.parse(args, { from: 'user' })
		.opts<Flags>();
}

async function main(): Promise<void> {
	const { out, jobSeconds } = readFlags(process.argv.slice(2));
	// Before any request is made.
	await mkdir(out, { recursive: true });
	const timeOf = (share: number) => (_model: string, _input: object, index: number) =>
		1_000 * share * jobSeconds * PACES[index % PACES.length];
	const emulator = await startEmulator({
		media: 'real',
		queueMs: timeOf(0.1),
		jobMs: timeOf(0.9),
	});
	const stop = stopOnCtrlC();
	try {
		say('Segmind is emulated. Nothing is charged, and nothing leaves this computer.');
		await ensureBuilt(say);
		process.exitCode = await demonstrate(emulator, out, stop);
	} finally {
		await emulator.close();
	}
}

/** Runs the steps one after the other and reports how they ended. Returns the exit code. */
async function demonstrate(emulator: Emulator, folder: string, stop: AbortSignal): Promise<number> {
	// Imported only here, because it's slow to load and not always needed.
	const { runNode } = await import('./runNode');
	const files = new Map<unknown, string[]>();
	const problems: string[] = [];
	const startedAt = Date.now();
	for (const { name, node, items } of planDemo()) {
		if (stop.aborted) break;
		const progress = showProgress(name, emulator.jobs.length + 1, say);
		const { outputs, error } = await runNode(node, items, {
			credential: emulator.credentials,
			signal: stop,
			onMessage: progress.onMessage,
		});
		progress.end(`${items.length} sent`);
		for (const item of outputs) files.set(item.json.request_id, await writeFiles(item, folder));
		if (error) problems.push([error.message, error.description].filter(Boolean).join('. '));
	}
	const seconds = (Date.now() - startedAt) / 1_000;
	const { jobs } = emulator;
	say(`\n${alignCells([HEAD, ...jobs.map((job) => cellsOf(job, files))], RIGHT_ALIGNED)}\n`);
	if (stop.aborted) {
		const running = jobs.filter(({ finishedAt }) => finishedAt === undefined).length;
		say(
			`Stopped. On Segmind itself, ${running} unfinished ${running === 1 ? 'request' : 'requests'} would keep running and be charged. To get a result, you would use Get Result with the request ID within an hour.`,
		);
		return INTERRUPTED;
	}
	for (const problem of problems) say(`${problem}\n`);
	const { charged, balance } = emulator;
	say(
		`${jobs.length} requests: ${usd(charged)} in ${seconds.toFixed(1)} s. Balance: ${usd(balance.credits)}.`,
	);
	if (problems.length > 0) return 1;
	say(
		`The files are in ${relative('', folder) || 'this folder'}. To do the same in your own n8n, install the package and import the recipes from examples/, as described in README.md.`,
	);
	return 0;
}

const HEAD = ['item', 'request id', 'state', 'cost', 'time', 'file'];
const RIGHT_ALIGNED = ['item', 'cost', 'time'];

function cellsOf(job: JobView, files: ReadonlyMap<unknown, string[]>): string[] {
	const { index, requestId, state, submittedAt, finishedAt, charged } = job;
	return [
		String(index + 1),
		requestId,
		state,
		finishedAt === undefined ? '-' : usd(charged),
		finishedAt === undefined ? '-' : `${((finishedAt - submittedAt) / 1_000).toFixed(1)} s`,
		files.get(requestId)?.join(', ') ?? '-',
	];
}

/** Writes an item's files and its text. Returns their names, which contain the request ID, so that no later run overwrites them. */
async function writeFiles(
	{ json, binary = {} }: INodeExecutionData,
	folder: string,
): Promise<string[]> {
	const contents: Array<[extension: string, content: Buffer | string]> = Object.values(binary).map(
		({ fileExtension = 'bin', data }) => [fileExtension, Buffer.from(data, 'base64')],
	);
	if (typeof json.text === 'string') contents.push(['txt', `${json.text}\n`]);
	const name = String(json.request_id).slice(0, 6);
	const files = contents.map(
		([extension], at) => `${name}${at === 0 ? '' : `-${at + 1}`}.${extension}`,
	);
	for (const [at, [, content]] of contents.entries())
		await writeFile(join(folder, files[at]), content);
	return files;
}

/** Formats an amount with two decimal places, or four if it needs them: "$12.50", "$0.0364". */
function usd(amount: number): string {
	return `$${amount.toFixed(Number.isInteger(Number((amount * 100).toFixed(2))) ? 2 : 4)}`;
}

void runCommand(main, (error) => `The demo couldn't run: ${error.message}`);
