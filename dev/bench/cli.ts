/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { InvalidArgumentError } from 'commander';
import { format, resolveConfig } from 'prettier';

import { commandOf, runCommand } from '../base/command';
import { ROOT } from '../base/project';
import { ensureN8n } from '../n8n/installation';
import { startRemoteEmulator } from '../emulator/remote';
import { Engine } from './engineProcess/engine';
import { drawChart } from './report/chart';
import { environmentOf } from './report/environment';
import { outcomesMarkdown, headlineTable, resultsPage } from './report/markdown';
import type { Bench, Results, Row } from './row';
import { rows } from './rows';

interface Flags {
	rows?: readonly Row[];
	quick: boolean;
	update: boolean;
	docs: boolean;
}

/** The folder for results to keep. */
const KEPT_FOLDER = 'dev/bench/results';
/** The folder for results of a quick or partial run. */
const TEMPORARY_FOLDER = 'out/bench';
const PAGE = join(ROOT, 'docs/benchmarks.md');
const PAGE_TABLE = /(<!-- bench -->\n)[^]*(\n<!-- \/bench -->)/;

/** Orders to the emulator: so many credits that the balance never runs out. */
const ORDERS = { balance: { credits: 1_000_000, freeCredits: 0 }, queueMs: 0 };

const NAMES = rows.map(({ name }) => name).join(', ');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readFlags(args: readonly string[]): Flags {
	return commandOf(
		'run bench',
		`Measures the nodes in n8n's engine against the emulator, next to n8n's own HTTP Request node. Rows: ${NAMES}.`,
	)
		.option('--rows <names>', 'measure only these rows, separated by commas', readRowNames)
		.option(
			'--quick',
			'measure everything in three minutes; the numbers are only a rough check',
			false,
		)
		.option('--update', `replace the measured rows in ${KEPT_FOLDER}, and keep the others`, false)
		.option('--docs', 'also put the table into docs/benchmarks.md', false)
		.parse(args, { from: 'user' })
		.opts<Flags>();
}

function readRowNames(names: string): readonly Row[] {
	return names.split(',').map((name) => {
		const row = rows.find((candidate) => candidate.name === name.trim());
		if (row) return row;
		throw new InvalidArgumentError(`There is no row '${name}'. The rows are ${NAMES}.`);
	});
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const { quick, rows: chosen = rows } = flags;
	if (quick && flags.update)
		throw new Error("A quick run is only a rough check, so --update doesn't store its numbers.");
	const installation = await ensureN8n(say);
	const emulator = await startRemoteEmulator(ORDERS);
	const startedAt = new Date();
	const bench: Bench = {
		installation,
		emulator,
		quick,
		times: (full) => (quick ? 1 : full),
		async withEngine(work) {
			const engine = await Engine.start(installation);
			try {
				return await work(engine);
			} finally {
				await engine.stop();
			}
		},
	};
	const versions = await bench.withEngine(async (engine) => engine.versions);
	const results: Results = {
		startedAt: startedAt.toISOString(),
		machine: environmentOf(versions),
		quick,
		rows: await measureRows(bench, chosen),
		minutes: (Date.now() - startedAt.getTime()) / 60_000,
	};
	await emulator.stop();
	const isKept = flags.update || (chosen.length === rows.length && !quick);
	const allResults = flags.update ? mergeResults(results) : results;
	await writeResults(allResults, isKept ? KEPT_FOLDER : TEMPORARY_FOLDER);
	if (flags.docs) await putIntoPage(allResults);
}

/** Measures the rows. Returns the outcome of each row by its name. */
async function measureRows(bench: Bench, chosen: readonly Row[]): Promise<Results['rows']> {
	const outcomes: Results['rows'] = {};
	for (const { name, about, measure } of chosen) {
		say(`\n${name}: ${about} …`);
		const rowStartedAt = Date.now();
		try {
			outcomes[name] = await measure(bench);
			say(
				`${outcomesMarkdown(outcomes[name])}\n${Math.round((Date.now() - rowStartedAt) / 1_000)} s`,
			);
		} catch (error) {
			// A failed row doesn't stop the others.
			process.exitCode = 1;
			say(`${name} could not be measured: ${(error as Error).stack}`);
		}
	}
	return outcomes;
}

/** Returns the kept results, with the measured rows replaced. */
function mergeResults({ rows: measured }: Results): Results {
	const kept = JSON.parse(readFileSync(join(ROOT, KEPT_FOLDER, 'results.json'), 'utf8')) as Results;
	return { ...kept, rows: { ...kept.rows, ...measured } };
}

async function writeResults(results: Results, path: string): Promise<void> {
	const folder = join(ROOT, path);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, '\t')}\n`);
	writeFileSync(join(folder, 'results.md'), resultsPage(results));
	writeFileSync(join(folder, 'chart.png'), await drawChart(results));
	say(`\nWritten to ${path} after ${results.minutes.toFixed(1)} minutes.`);
}

async function putIntoPage(results: Results): Promise<void> {
	const table = headlineTable(results);
	const text = readFileSync(PAGE, 'utf8').replace(
		PAGE_TABLE,
		(_all, head: string, foot: string) => `${head}\n${table}\n${foot}`,
	);
	const style = await resolveConfig(PAGE);
	writeFileSync(PAGE, await format(text, { ...style, filepath: PAGE }));
}

// Exit explicitly, because anything that a failed row left running would keep the process alive.
void runCommand(main, ({ stack }) => stack ?? '').finally(() => process.exit());
