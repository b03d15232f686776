/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { get } from 'node:http';
import { runInThisContext } from 'node:vm';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Call, Emulator, JobView, Leak } from '../../dev/emulator';
import { fileItem, forRetry, runNode, type RunOptions, type RunResult } from '../helpers/runNode';
import { EACH_PROMPT, model, rows } from '../helpers/inference';
import { seeded } from '../../dev/simulation/seeded';
import { callsFor, FAULTS } from './faultKinds';
import type { Scenario, Step } from './scenario';
import { START, type VirtualTime } from '../helpers/virtualTime';

/** One execution of a scenario and what was seen of it. Times in ms since the epoch. */
export interface Execution {
	operation: 'run' | 'submit' | 'getResult' | 'upload';
	step: Step;
	/** Counts up when the stored data is lost: after a Stop the next execution starts over. */
	lineage: number;
	items: INodeExecutionData[];
	result: RunResult;
	startedAt: number;
	endedAt: number;
	/** When Stop was pressed, if it was in time. */
	stoppedAt?: number;
	/** Set for the last ones, in which nothing goes wrong any more. */
	calm?: 'first' | 'second' | 'last';
	calls: Call[];
	jobs: JobView[];
}

export interface Played {
	scenario: Scenario;
	executions: Execution[];
	/** As they are hours later. */
	jobs: JobView[];
	leaks: Leak[];
	/** Rejections nobody handled. */
	unhandled: unknown[];
	/** What the files at these addresses hold. */
	contents: Record<string, string>;
}

/** jest's `process` hears no events of the real one. */
const realProcess = runInThisContext('process') as NodeJS.Process;

let played = 0;

/** Plays a scenario from beginning to end in virtual time. Throws only when time runs out, or when nothing could end it. */
export async function play(
	scenario: Scenario,
	emulator: Emulator,
	time: VirtualTime,
): Promise<Played> {
	time.restart();
	for (const origin of ['api', 'upload', 'admin', 'files'] as const) await emulator.listen(origin);
	emulator.reset();
	const random = jest.spyOn(Math, 'random').mockImplementation(seeded(scenario.random));
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => void unhandled.push(reason);
	realProcess.on('unhandledRejection', note);
	try {
		const { jobMs } = scenario;
		emulator.set({
			queueMs: scenario.queueMs,
			jobMs: (_model, _input, index) => jobMs[index % jobMs.length],
			...scenario.service,
		});
		for (const { on, after, times, what } of scenario.faults)
			emulator.fault({ on: callsFor(on), after, times, do: FAULTS[what](emulator) });
		const outage = arrangeOutage(scenario, emulator);
		const executions = await playStages(scenario, { emulator, time, outage });
		await time.run(outage, 1e9);
		jest.setSystemTime(Date.now() + 2 * 3_600_000);
		const jobs = emulator.jobs;
		const contents = await contentsOf(executions, jobs, emulator, time);
		return { scenario, executions, jobs, leaks: [...emulator.leaks], unhandled, contents };
	} finally {
		realProcess.off('unhandledRejection', note);
		random.mockRestore();
	}
}

async function arrangeOutage({ outage }: Scenario, emulator: Emulator): Promise<void> {
	if (!outage) return;
	await sleep(outage.atMs);
	await emulator.refuse(outage.origin);
	await sleep(outage.forMs);
	await emulator.listen(outage.origin);
}

interface World {
	emulator: Emulator;
	time: VirtualTime;
	/** Resolves when every origin is back. */
	outage: Promise<void>;
}

async function playStages(scenario: Scenario, world: World): Promise<Execution[]> {
	const items = Array.from({ length: scenario.items }, (_unused, at) => itemOf(scenario, at));
	if (scenario.work !== 'submitThenFetch')
		return await playStage(scenario, world, scenario.work === 'asset' ? 'upload' : 'run', items);
	const submitted = await playStage(scenario, world, 'submit', items);
	const handed = submitted[submitted.length - 1].result.items.filter(
		({ json }) => typeof json.request_id === 'string',
	);
	return handed.length === 0
		? submitted
		: [
				...submitted,
				...(await playStage(
					scenario,
					world,
					'getResult',
					handed.map(({ json }) => ({ json })),
				)),
			];
}

/** All presses of buttons for one node, and at last one in good weather if it is still failing. */
async function playStage(
	scenario: Scenario,
	{ emulator, time, outage }: World,
	operation: Execution['operation'],
	items: INodeExecutionData[],
): Promise<Execution[]> {
	const executions: Execution[] = [];
	const credentialId = `credential ${++played}`;
	let lineage = 0;
	const options = {
		emulator,
		node: nodeOf(scenario),
		items,
		onError: scenario.onError,
		asTool: scenario.asTool,
		credentialId,
	};
	const execute = async (step: Step, calm: Execution['calm'], parameters: INodeParameters) => {
		const before = executions[executions.length - 1];
		const resume =
			before && before.stoppedAt === undefined ? forRetry(before.result.stored) : undefined;
		const done = await playStep({ ...options, parameters, resume, tries: step.tries }, step, time);
		executions.push({ operation, step, lineage, items, calm, ...done });
		if (done.stoppedAt !== undefined) lineage++;
		return done;
	};
	for (const step of scenario.steps) {
		const { result, stoppedAt } = await execute(step, undefined, parametersOf(scenario, operation));
		if (!result.error && stoppedAt === undefined) return executions;
	}
	if (executions[executions.length - 1].stoppedAt !== undefined) return executions;
	await time.run(outage, 1e9);
	emulator.clearFaults();
	emulator.set({
		history: true,
		rateLimit: null,
		failJobs: [],
		noCreditRecord: false,
		deniedModels: [],
		resultShape: null,
		balance: { credits: 100, freeCredits: 0 },
	});
	const patient = { ...scenario, options: { ...scenario.options, timeoutSeconds: 3_600 } };
	// Limits that were told in bad weather are over by then, and what failed for free in the first try was submitted before.
	for (const calm of ['first', 'second', 'last'] as const) {
		const { result } = await execute(
			{ pauseMs: calm === 'first' ? 1_200_000 : 1_000, tries: 1, stopAfterMs: null },
			calm,
			parametersOf(patient, operation),
		);
		if (!result.error) break;
	}
	return executions;
}

async function playStep(
	options: RunOptions & { emulator: Emulator },
	step: Step,
	time: VirtualTime,
) {
	const { emulator } = options;
	await time.run(sleep(step.pauseMs), 1e9);
	const [calls, jobs] = [emulator.calls.length, emulator.jobs.length];
	const startedAt = Date.now();
	const stopAt = step.stopAfterMs;
	const running = runNode({
		...options,
		whileRunning:
			stopAt === null
				? undefined
				: async (stop) => {
						await sleep(stopAt);
						stop();
					},
		// What was in flight when Stop was pressed may still be logged.
		logUntil: () => !time.busy,
	});
	const result = await time.run(running, longestMs(options));
	return {
		result,
		startedAt,
		endedAt: startedAt + result.tookMs,
		...(stopAt !== null && result.tookMs >= stopAt && result.error
			? { stoppedAt: startedAt + stopAt }
			: {}),
		calls: emulator.calls.slice(calls),
		jobs: emulator.jobs.slice(jobs),
	};
}

/** No execution may take longer, ms: each item in turn with all its waits at their limits. */
function longestMs({ parameters, items = [], tries = 1 }: RunOptions): number {
	const { timeoutSeconds, maxConcurrency } = (parameters as { options: Scenario['options'] })
		.options;
	const perItem = 3 * timeoutSeconds * 1_000 + 3_600_000;
	return tries * Math.ceil(items.length / maxConcurrency) * perItem;
}

function nodeOf({ work }: Scenario): string {
	return work === 'workflow' ? 'segmindWorkflow' : work === 'asset' ? 'segmindAsset' : 'segmind';
}

export function promptOf({ alike }: Scenario, at: number): string {
	return alike ? 'the same' : `item ${at}`;
}

function itemOf(scenario: Scenario, at: number): INodeExecutionData {
	const prompt = promptOf(scenario, at);
	const hasFile = scenario.withFile || scenario.work === 'asset';
	return hasFile
		? fileItem({ data: { bytes: Buffer.from(`file of ${prompt}`) } }, { prompt })
		: { json: { prompt } };
}

function parametersOf(scenario: Scenario, operation: Execution['operation']): INodeParameters {
	const { work, simplify, withFile, options } = scenario;
	if (operation === 'upload') return { operation, source: 'binary', binaryFields: 'data', options };
	if (operation === 'getResult')
		return { resource: 'request', operation, request: '={{ $json }}', simplify, options };
	const waitForCompletion = operation === 'run';
	const file = (name: string) => (withFile ? [{ name, type: 'file', binaryFields: 'data' }] : []);
	if (work === 'workflow')
		return {
			operation: 'run',
			slug: 'product-photo',
			inputs: rows(
				{ name: 'prompt', type: 'string', stringValue: EACH_PROMPT },
				...file('reference'),
			),
			waitForCompletion,
			simplify,
			options,
		};
	return {
		resource: 'model',
		operation: 'run',
		model: model('nano-banana-pro'),
		prompt: EACH_PROMPT,
		...(work !== 'v1' && { waitForCompletion }),
		simplify,
		options: {
			...options,
			...(withFile && { additionalParameters: rows(...file('image_urls')) }),
			...(work === 'v1' && { answerInOneCall: true }),
		},
	};
}

/** Reads the assets that outputs and jobs point to, to see whose file it is. */
async function contentsOf(
	executions: Execution[],
	jobs: JobView[],
	emulator: Emulator,
	time: VirtualTime,
): Promise<Record<string, string>> {
	const text = JSON.stringify([
		executions.map(({ result }) => result.items),
		jobs.map(({ input }) => input),
	]);
	const urls = [...new Set(text.match(/http:\/\/127\.0\.0\.1:\d+\/assets\/[\w.]+/g) ?? [])].filter(
		(url) => url.startsWith(emulator.urls.files),
	);
	emulator.clearFaults();
	emulator.set({ fileMs: Infinity });
	const read = async (url: string) => [url, await time.run(fetchText(url), 60_000)] as const;
	const contents: Record<string, string> = {};
	for (const url of urls) contents[url] = (await read(url))[1];
	return contents;
}

/** The text at an address. */
export async function fetchText(url: string): Promise<string> {
	return await new Promise((resolve, reject) => {
		get(url, { agent: false }, (response) => {
			let text = '';
			response
				.setEncoding('utf8')
				.on('data', (part: string) => (text += part))
				.on('end', () => resolve(text))
				.on('error', reject);
		}).on('error', reject);
	});
}

/** What happened, a line a call, for whoever reads a failing scenario. */
export function storyOf({ executions }: Played): string[] {
	return executions.flatMap(({ operation, calm, startedAt, endedAt, stoppedAt, calls, result }) => [
		`${seconds(startedAt)} ${operation}${calm ? ' in good weather' : ''}`,
		...calls.map(
			({ at, kind, status, fault, requestId }) =>
				`${seconds(at)}   ${kind} ${requestId?.slice(0, 6) ?? ''} -> ${status ?? 'no answer'}${fault ? ` (${fault})` : ''}`,
		),
		...(stoppedAt === undefined ? [] : [`${seconds(stoppedAt)}   Stop`]),
		`${seconds(endedAt)}   ${result.error?.message ?? JSON.stringify(result.json.map(({ request_id, status, error }) => [request_id, status, error]))}`,
	]);
}

function seconds(at: number): string {
	return `${((at - START) / 1_000).toFixed(3).padStart(10)} s`;
}
