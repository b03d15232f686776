/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, mkdtemp, rmdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { ensureBuilt } from '../base/build';
import { INTERRUPTED, runCommand, stopOnCtrlC } from '../base/command';
import { balanceCheck, generatorOf, plan, type PlannedExample } from './examples';
import { readFlags } from './flags';
import { outcomesOf, type Outcome } from './outcome';
import { showProgress } from './progress';
import { stopSummary, priceWarning, problemsOf, totals, nextSteps } from './report';
import { emulatedService, realService, type Service } from './service';
import { tableOf } from './table';

/** How long the user can press Ctrl-C before anything is charged. */
const GRACE_SECONDS = 5;

const say = (text: string): void => void process.stdout.write(`${text}\n`);

async function main(): Promise<void> {
	const apiKey = process.env.SEGMIND_API_KEY?.trim();
	const flags = readFlags(process.argv.slice(2), Boolean(apiKey));
	await ensureWritable(flags.out);
	const planned = plan({
		prompts: flags.prompt,
		model: flags.model,
		// The emulator finishes much sooner than real models, so waiting for the usual interval of status checks would dominate the demo.
		...(flags.model !== undefined && !apiKey && { pollIntervalSeconds: 0.5 }),
	});
	const service = apiKey
		? realService(apiKey)
		: await emulatedService(flags.port, flags.jobSeconds);
	const stop = stopOnCtrlC();
	try {
		process.exitCode = (await prepareRun(service, planned, stop))
			? await demonstrate(service, planned, flags.out, stop)
			: INTERRUPTED;
	} finally {
		await service.close();
	}
}

/** Announces the run, and builds the nodes if necessary. Returns false if the user stopped it before anything was sent. */
async function prepareRun(
	service: Service,
	planned: PlannedExample[],
	stop: AbortSignal,
): Promise<boolean> {
	if (service.isReal) {
		say(priceWarning(planned, GRACE_SECONDS));
		// When the signal aborts, the pause rejects. That should only end it early.
		await pause(GRACE_SECONDS * 1000, undefined, { signal: stop }).catch(() => undefined);
	} else {
		say('Segmind is emulated. Nothing is charged, and nothing leaves this computer.');
	}
	if (!stop.aborted)
		await ensureBuilt(say).catch((error: Error) => {
			// Ctrl-C ends a build as well.
			if (!stop.aborted) throw error;
		});
	if (stop.aborted) say('Stopped before anything was sent.');
	return !stop.aborted;
}

/** Runs the examples one after the other and reports how they ended. Returns the exit code. */
async function demonstrate(
	{ isReal, credential }: Service,
	planned: PlannedExample[],
	folder: string,
	stop: AbortSignal,
): Promise<number> {
	// Imported only here, because it's slow to load and not always needed.
	const { runExample } = await import('./runExample');
	const outcomes: Outcome[] = [];
	const width = Math.max(...planned.map(({ file }) => file.length));
	const startedAt = Date.now();
	for (const { file, example } of planned) {
		if (stop.aborted) break;
		const firstItem = outcomes.length + 1;
		const progress = showProgress(file.padEnd(width), firstItem, say);
		const run = await runExample(example, {
			credential: credential(),
			signal: stop,
			onMessage: progress.onMessage,
		});
		progress.end();
		const nodeName = generatorOf(example).name;
		outcomes.push(...(await outcomesOf(run, nodeName, progress.requests, firstItem, folder)));
	}
	const durationSeconds = (Date.now() - startedAt) / 1000;
	if (outcomes.length > 0) say(`\n${tableOf(outcomes)}\n`);
	if (stop.aborted) {
		say(stopSummary(outcomes, isReal));
		return INTERRUPTED;
	}
	const problems = outcomes.filter(({ problem }) => problem);
	if (problems.length > 0) say(`${problemsOf(problems)}\n`);
	const check = balanceCheck();
	const { data } = await runExample(check, {
		credential: credential(),
		signal: stop,
		onMessage: () => {},
	});
	const [balanceRun] = data.resultData.runData[check.nodes[0].name] ?? [];
	say(
		totals(
			outcomes,
			durationSeconds,
			balanceRun?.data?.main[0]?.[0].json.total as number | undefined,
		),
	);
	if (problems.length > 0) return 1;
	say(nextSteps(relative('', folder) || 'this folder'));
	return 0;
}

/** Creates the folder for the files and checks that it's writable, so that no result is charged that can't be saved. @throws the system's error */
async function ensureWritable(folder: string): Promise<void> {
	await mkdir(folder, { recursive: true });
	await rmdir(await mkdtemp(join(folder, '.try-')));
}

/** Returns a sentence about the error if it concerns the folder for the files. */
function folderProblem({ syscall, path, code }: NodeJS.ErrnoException): string | undefined {
	return syscall === 'mkdir' || syscall === 'mkdtemp'
		? `Can't write to ${path} (${code}). Choose another folder with --out.`
		: undefined;
}

void runCommand(main, (error) => folderProblem(error) ?? `The demo couldn't run: ${error.message}`);
