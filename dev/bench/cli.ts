/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { availableParallelism, loadavg } from 'node:os';

import { InvalidArgumentError } from 'commander';

import { commandOf, runCommand } from '../base/command';
import { startRemoteEmulator } from '../emulator/remote';
import { ensureN8n } from '../n8n/installation';
import { Engine } from './engineProcess/engine';
import { files } from './files';
import { TABLE_HEAD, tableRow, type Bench, type Row } from './row';
import { batch, footprint, limits, long, memory } from './rows';

/** All rows, in the order in which they are run and shown. */
const ROWS: readonly Row[] = [batch, long, limits, files, memory, footprint];
const NAMES = ROWS.map(({ name }) => name).join(', ');

/** Orders to the emulator: so many credits that the balance never runs out. */
const ORDERS = { balance: { credits: 1_000_000, freeCredits: 0 }, queueMs: 0 };

const say = (line: string): void => void process.stdout.write(`${line}\n`);

function readFlags(args: readonly string[]) {
	return commandOf(
		'run bench',
		`Measures the nodes in n8n's engine against the emulator, next to n8n's own HTTP Request node, and prints the table of docs/benchmarks.md. Rows: ${NAMES}.`,
	)
		.option('--rows <names>', 'measure only these rows, separated by commas', readRowNames)
		.parse(args, { from: 'user' })
		.opts<{ rows?: readonly Row[] }>();
}

function readRowNames(names: string): readonly Row[] {
	return names.split(',').map((name) => {
		const row = ROWS.find((candidate) => candidate.name === name.trim());
		if (row) return row;
		throw new InvalidArgumentError(`There is no row '${name}'. The rows are ${NAMES}.`);
	});
}

async function main(): Promise<void> {
	const { rows = ROWS } = readFlags(process.argv.slice(2));
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
	say(TABLE_HEAD);
	for (const { measure } of rows) for (const line of await measure(bench)) say(tableRow(line));
	const { n8n, node } = await bench.withEngine(async ({ versions }) => versions);
	await emulator.stop();
	const [day] = new Date().toISOString().split('T');
	say(
		`\nMeasured on ${day} with n8n ${n8n} and Node.js ${node} on ${availableParallelism()} cores, at a load of ${load} before the run.`,
	);
}

// Exit explicitly, because anything that a failed row left running would keep the process alive.
void runCommand(main, ({ stack }) => stack ?? '').finally(() => process.exit());
