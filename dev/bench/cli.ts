/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';

import { InvalidArgumentError } from 'commander';
import { format, resolveConfig } from 'prettier';

import { commandOf, runCommand } from '../base/command';
import { ROOT } from '../base/project';
import { startRemoteEmulator } from '../emulator/remote';
import { ensureN8n } from '../n8n/installation';
import { Engine } from './engineProcess/engine';
import type { Bench, Line, Row } from './row';
import { batch } from './rows/batch';
import { files } from './rows/files';
import { footprint } from './rows/footprint';
import { limits } from './rows/limits';
import { long } from './rows/long';
import { memory } from './rows/memory';
import { tableOf } from './table';

/** All rows, in the order in which they are run and shown. */
const ROWS: readonly Row[] = [batch, long, limits, files, memory, footprint];
const NAMES = ROWS.map(({ name }) => name).join(', ');

const PAGE = join(ROOT, 'docs/benchmarks.md');
/** The part of the page that `--docs` replaces. */
const PAGE_TABLE = /(<!-- bench -->)[^]*(<!-- \/bench -->)/;

/** Orders to the emulator: so many credits that the balance never runs out. */
const ORDERS = { balance: { credits: 1_000_000, freeCredits: 0 }, queueMs: 0 };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readFlags(args: readonly string[]) {
	return commandOf(
		'run bench',
		`Measures the nodes in n8n's engine against the emulator, next to n8n's own HTTP Request node. Rows: ${NAMES}.`,
	)
		.option('--rows <names>', 'measure only these rows, separated by commas', readRowNames)
		.option('--docs', 'measure all rows and put the table into docs/benchmarks.md', false)
		.parse(args, { from: 'user' })
		.opts<{ rows?: readonly Row[]; docs: boolean }>();
}

function readRowNames(names: string): readonly Row[] {
	return names.split(',').map((name) => {
		const row = ROWS.find((candidate) => candidate.name === name.trim());
		if (row) return row;
		throw new InvalidArgumentError(`There is no row '${name}'. The rows are ${NAMES}.`);
	});
}

async function main(): Promise<void> {
	const { rows, docs } = readFlags(process.argv.slice(2));
	const load = loadavg()[0].toFixed(1);
	const installation = await ensureN8n(say);
	const emulator = await startRemoteEmulator(ORDERS);
	const bench: Bench = {
		installation,
		emulator,
		async withEngine(work) {
			const engine = await Engine.start(installation);
			try {
				return await work(engine);
			} finally {
				await engine.stop();
			}
		},
	};
	const lines = await measureRows(bench, docs || !rows ? ROWS : rows);
	const { n8n, node } = await bench.withEngine(async ({ versions }) => versions);
	await emulator.stop();
	const [day] = new Date().toISOString().split('T');
	const conditions = `Measured on ${day} with n8n ${n8n} and Node.js ${node} on ${availableParallelism()} cores, at a load of ${load} before the run.`;
	if (docs) await putIntoPage(`${tableOf(lines)}\n\n${conditions}`);
}

/** Measures the rows and prints their lines. */
async function measureRows(bench: Bench, rows: readonly Row[]): Promise<Line[]> {
	const all: Line[] = [];
	for (const { name, about, measure } of rows) {
		say(`\n${name}: ${about} …`);
		const lines = await measure(bench);
		say(tableOf(lines));
		all.push(...lines);
	}
	return all;
}

async function putIntoPage(content: string): Promise<void> {
	const text = readFileSync(PAGE, 'utf8').replace(
		PAGE_TABLE,
		(_all, head: string, foot: string) => `${head}\n\n${content}\n\n${foot}`,
	);
	writeFileSync(PAGE, await format(text, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}

// Exit explicitly, because anything that a failed row left running would keep the process alive.
void runCommand(main, ({ stack }) => stack ?? '').finally(() => process.exit());
