/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

import { Command, CommanderError, InvalidArgumentError } from 'commander';
import { format, resolveConfig } from 'prettier';

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
	rows: readonly Row[];
	quick: boolean;
	update: boolean;
	out?: string;
	docs: boolean;
}

/** Numbers to keep, and numbers of a quick or partial run. */
const KEPT = 'dev/bench/results';
const TEMPORARY = 'out/bench';
const PAGE = join(ROOT, 'docs/benchmarks.md');
const PAGE_TABLE = /(<!-- bench -->\n)[^]*(\n<!-- \/bench -->)/;

/** Nothing here is about money: no balance may run out. */
const RICH = { balance: { credits: 1_000_000, freeCredits: 0 }, queueMs: 0 };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readFlags(words: readonly string[]): Flags {
	return new Command('npm run bench --')
		.description(
			`Measures the nodes in n8n's engine against the emulator, beside n8n's own HTTP Request node. Rows: ${rows.map(({ name }) => name).join(', ')}.`,
		)
		.option('--rows <names>', 'only these, separated by commas', named, rows)
		.option('--quick', 'everything in three minutes; the numbers say little', false)
		.option(
			'--out <folder>',
			`where results.json, results.md and chart.png go (default: ${KEPT}, or ${TEMPORARY} with --quick or --rows)`,
		)
		.option('--update', `measured rows replace those in ${KEPT}, the others stay`, false)
		.option('--docs', 'put the table into docs/benchmarks.md too', false)
		.allowExcessArguments(false)
		.exitOverride()
		.parse(words, { from: 'user' })
		.opts<Flags>();
}

function named(names: string): readonly Row[] {
	return names.split(',').map((name) => {
		const row = rows.find((known) => known.name === name.trim());
		if (row) return row;
		const all = rows.map((known) => known.name).join(', ');
		throw new InvalidArgumentError(`There is no row '${name}'. The rows are ${all}.`);
	});
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const { quick } = flags;
	if (quick && flags.update)
		throw new Error('Numbers of a quick run say little: --update does not keep them.');
	const installation = await preparedN8n(say);
	const emulator = await startRemoteEmulator(RICH);
	const startedAt = new Date();
	const results: Results = {
		startedAt: startedAt.toISOString(),
		minutes: 0,
		quick,
		machine: {},
		rows: {},
	};
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
	try {
		results.machine = machine(await bench.withEngine(async ({ versions }) => versions));
		for (const { name, about, measure } of flags.rows) {
			say(`\n${name}: ${about} …`);
			const began = Date.now();
			try {
				const outcome = await measure(bench);
				results.rows[name] = outcome;
				say(`${found(outcome)}\n${Math.round((Date.now() - began) / 1_000)} s`);
			} catch (error) {
				// The others are measured all the same.
				process.exitCode = 1;
				say(`${name} could not be measured: ${(error as Error).stack}`);
			}
		}
	} finally {
		await emulator.stop();
	}
	results.minutes = (Date.now() - startedAt.getTime()) / 60_000;
	const keeps = flags.update || (flags.rows.length === rows.length && !quick);
	const all = flags.update ? updated(results) : results;
	await write(all, resolve(ROOT, flags.out ?? (keeps ? KEPT : TEMPORARY)));
	if (flags.docs) await putIntoPage(all);
}

/** Those of the last whole run, with these rows in place of theirs. */
function updated({ rows: measured }: Results): Results {
	const kept = JSON.parse(readFileSync(join(ROOT, KEPT, 'results.json'), 'utf8')) as Results;
	return { ...kept, rows: { ...kept.rows, ...measured } };
}

async function write(results: Results, folder: string): Promise<void> {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, 'results.json'), `${JSON.stringify(results, null, '\t')}\n`);
	writeFileSync(join(folder, 'results.md'), resultsPage(results));
	const chart = await drawChart(results);
	writeFileSync(join(folder, 'chart.png'), chart);
	say(`\nWritten to ${relative(ROOT, folder)} after ${results.minutes.toFixed(1)} minutes.`);
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

main().catch((error: Error) => {
	process.exitCode = 1;
	// commander has printed its sentence, or the help that was asked for.
	if (error instanceof CommanderError) process.exitCode = error.exitCode;
	else process.stderr.write(`${error.stack}\n`);
	// What a failed row had started.
	process.exit();
});
