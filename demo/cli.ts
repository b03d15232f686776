/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { CommanderError } from 'commander';

import { findModel } from '../nodes/shared/catalogue';
import { build, isBuilt } from './builtPackage';
import { balanceCheck, generatorOf, plan, type Planned } from './examples';
import { readFlags } from './flags';
import { outcomesOf, type Outcome } from './outcome';
import { showProgress } from './progress';
import { emulatedService, portProblem, realService, type Service } from './service';
import { tableOf, usd } from './table';

/** Time to think again before anything is paid, ms. */
const GRACE_MS = 5_000;
const STOPPED = 130;

const say = (text = ''): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
	const apiKey = process.env.SEGMIND_API_KEY;
	const flags = readFlags(process.argv.slice(2), Boolean(apiKey));
	const planned = plan(flags.prompt, flags.model);
	const folder = resolve(flags.out);
	await mkdir(folder, { recursive: true });
	const service = apiKey
		? realService(apiKey)
		: await emulatedService(flags.port, flags.jobSeconds);
	const stop = stopOnCtrlC();
	try {
		process.exitCode = await demonstrate(service, planned, folder, stop);
	} finally {
		await service.close();
	}
}

/** Runs the examples one after the other and tells how they ended. Gives the exit code. */
async function demonstrate(
	service: Service,
	planned: Planned[],
	folder: string,
	stop: AbortSignal,
): Promise<number> {
	if (service.isReal) {
		say(priceWarning(planned));
		await pause(GRACE_MS, undefined, { signal: stop }).catch(() => undefined);
	} else {
		say('Segmind is emulated on this computer: nothing is paid, nothing leaves it.');
	}
	if (!isBuilt() && !stop.aborted) {
		say('Building the nodes …');
		await build();
	}
	if (stop.aborted) {
		say('Stopped before anything was sent.');
		return STOPPED;
	}
	const { runExample } = await import('./engine');
	const credential = service.credential();
	const outcomes: Outcome[] = [];
	const startedAt = Date.now();
	for (const { file, example } of planned) {
		if (stop.aborted) break;
		const firstItem = outcomes.length + 1;
		const progress = showProgress(`examples/${file}.json`, firstItem);
		const run = await runExample(example, { credential, signal: stop, told: progress.told });
		progress.end();
		const { name } = generatorOf(example);
		outcomes.push(...(await outcomesOf(run, name, progress.requests, firstItem, folder)));
	}
	const tookSeconds = (Date.now() - startedAt) / 1000;
	say();
	if (outcomes.length > 0) say(`${tableOf(outcomes)}\n`);
	if (stop.aborted) {
		say(afterStop(outcomes, service.isReal));
		return STOPPED;
	}
	for (const { item, problem } of outcomes) if (problem) say(`Item ${item}: ${problem}\n`);

	const check = await runExample(balanceCheck(), { credential, signal: stop, told: () => {} });
	const balance = check.data.resultData.runData['Segmind Credits']?.[0].data?.main[0]?.[0].json.total;
	say(totals(outcomes, tookSeconds, balance as number | undefined));
	const failed = outcomes.some(({ problem }) => problem);
	if (!failed)
		say(
			`The files are in ${relative('', folder) || '.'}${process.platform === 'win32' ? '\\' : '/'}. Next, do the same in your own n8n: README.md shows how to install the package there and import ${join('examples', '*.json')}.`,
		);
	return failed ? 1 : 0;
}
