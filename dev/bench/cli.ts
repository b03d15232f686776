/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { InvalidArgumentError } from 'commander';
import { format, resolveConfig } from 'prettier';

import { commandOf, runCommand } from '../base/command';
import { ROOT } from '../base/project';
import { preparedN8n } from '../n8n/installation';
import { startRemoteEmulator } from '../emulator/remote';
import { Engine } from './engineProcess/client';
import { drawChart } from './report/chart';
import { machine } from './report/machine';
import { found, headlines, resultsPage } from './report/markdown';
import type { Bench, Results, Row } from './row';
import { rows } from './rows';

interface Flags {
	rows?: readonly Row[];
	quick: boolean;
	update: boolean;
	docs: boolean;
}

/** Numbers to keep, and numbers of a quick or partial run. */
const KEPT = 'dev/bench/results';
const TEMPORARY = 'out/bench';
const PAGE = join(ROOT, 'docs/benchmarks.md');
const PAGE_TABLE = /(<!-- bench -->\n)[^]*(\n<!-- \/bench -->)/;

/** The balance must never run out, because the benchmarks don't measure money. */
const RICH = { balance: { credits: 1_000_000, freeCredits: 0 }, queueMs: 0 };

const NAMES = rows.map(({ name }) => name).join(', ');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readFlags(words: readonly string[]): Flags {
	return commandOf(
		'run bench',
		`Measures the nodes in n8n's engine against the emulator, next to n8n's own HTTP Request node. Rows: ${NAMES}.`,
	)
		.option('--rows <names>', 'only these, separated by commas', named)
		.option('--quick', 'everything in three minutes; the numbers say little', false)
		.option('--update', `measured rows replace those in ${KEPT}, the others stay`, false)
		.option('--docs', 'put the table into docs/benchmarks.md too', false)
		.parse(words, { from: 'user' })
		.opts<Flags>();
}

function named(names: string): readonly Row[] {
	return names.split(',').map((name) => {
		const row = rows.find((known) => known.name === name.trim());
		if (row) return row;
		throw new InvalidArgumentError(`There is no row '${name}'. The rows are ${NAMES}.`);
	});
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const { quick, rows: chosen = rows } = flags;
	if (quick && flags.update)
		throw new Error("A quick run is only a rough check, so --update doesn't store its numbers.");
	const installation = await preparedN8n(say);
	const emulator = await startRemoteEmulator(RICH);
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
		machine: machine(versions),
		quick,
		rows: await measured(bench, chosen),
		minutes: (Date.now() - startedAt.getTime()) / 60_000,
	};
	await emulator.stop();
	const keeps = flags.update || (chosen.length === rows.length && !quick);
	const all = flags.update ? updated(results) : results;
	await write(all, keeps ? KEPT : TEMPORARY);
	if (flags.docs) await putIntoPage(all);
}

/** What each row found. */
async function measured(bench: Bench, chosen: readonly Row[]): Promise<Results['rows']> {
	const outcomes: Results['rows'] = {};
	for (const { name, about, measure } of chosen) {
		say(`\n${name}: ${about} …`);
		const began = Date.now();
		try {
			outcomes[name] = await measure(bench);
			say(`${found(outcomes[name])}\n${Math.round((Date.now() - began) / 1_000)} s`);
		} catch (error) {
			// A failed row doesn't stop the others.
			process.exitCode = 1;
			say(`${name} could not be measured: ${(error as Error).stack}`);
		}
	}
	return outcomes;
}

/** The results of the last full run, with these rows replaced. */
function updated({ rows: measured }: Results): Results {
	const kept = JSON.parse(readFileSync(join(ROOT, KEPT, 'results.json'), 'utf8')) as Results;
	return { ...kept, rows: { ...kept.rows, ...measured } };
}

async function write(results: Results, place: string): Promise<void> {
	const folder = join(ROOT, place);
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, '\t')}\n`);
	writeFileSync(join(folder, 'results.md'), resultsPage(results));
	writeFileSync(join(folder, 'chart.png'), await drawChart(results));
	say(`\nWritten to ${place} after ${results.minutes.toFixed(1)} minutes.`);
}

async function putIntoPage(results: Results): Promise<void> {
	const table = headlines(results);
	const text = readFileSync(PAGE, 'utf8').replace(
		PAGE_TABLE,
		(_all, head: string, foot: string) => `${head}\n${table}\n${foot}`,
	);
	const style = await resolveConfig(PAGE);
	writeFileSync(PAGE, await format(text, { ...style, filepath: PAGE }));
}

// Otherwise what a failed row started would keep the process alive.
void runCommand(main, ({ stack }) => stack ?? '').finally(() => process.exit());
