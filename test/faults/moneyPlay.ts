/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { runInThisContext } from 'node:vm';

import type {
	IDataObject,
	INode,
	INodeExecutionData,
	INodeParameters,
	IRunExecutionData,
} from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Call, Emulator, JobView, Leak } from '../../dev/emulator';
import { captureLog } from '../../dev/engine/log';
import { seeded } from '../../dev/simulation/seeded';
import { rows } from '../helpers/inference';
import { fileItem, forRetry, runNode, type RunResult } from '../helpers/runNode';
import { START, type VirtualTime } from '../helpers/virtualTime';
import { asCaller, callerOf } from './callerMark';
import { isCreating } from './calls';
import { actionOf } from './moneyFaults';
import { BODIES, PRESS, type Press, type Program, type Thread } from './moneyProgram';
import { fetchText } from './play';

/** One run of a node and what was seen of it. Times in ms since the epoch, by a clock that is never set back. */
export interface Execution {
	thread: number;
	press: Press;
	/** Which of the thread's presses, from 0; the last ones are those in good weather. */
	at: number;
	mode: Thread['mode'];
	/** Counts up when the next press starts over: a stopped execution has no retry. */
	lineage: number;
	/** Run index. */
	round: number;
	/** What each item asks for (`keyOf`). */
	asked: string[];
	result: RunResult;
	startedAt: number;
	endedAt: number;
	/** When Stop was pressed, if it was in time. */
	stoppedAt?: number;
	/** In good weather: nothing goes wrong any more. */
	isCalm: boolean;
	isLast: boolean;
	calls: Call[];
	/** Requests that this execution had made. */
	made: string[];
}

export interface Played {
	program: Program;
	executions: Execution[];
	/** As they are hours later. */
	jobs: JobView[];
	/** Requests of others, by id. */
	elsewhere: Map<string, { body: number; isOtherUser: boolean; at: number }>;
	log: string[];
	leaks: Leak[];
	unhandled: unknown[];
	/** What uploaded files hold, by address. */
	contents: Record<string, string>;
}

/** Longest a program may take, ms of virtual time. */
const LONGEST_MS = 96 * 3_600_000;
const CALM_TRIES = 3;
/** Rate limits that were told in bad weather are over by then. */
const BEFORE_CALM_MS = 65_000;

const MODEL = 'nano-banana-pro';
const WORKFLOW = 'product-photo';

/** jest's `process` hears no events of the real one. */
const realProcess = runInThisContext('process') as NodeJS.Process;

let played = 0;

interface World {
	program: Program;
	emulator: Emulator;
	/** How far the clock was set back, ms. */
	clock: { setBackMs: number };
	/** Counts programs, so that rate limits of one do not reach the next. */
	number: number;
	executions: Array<Execution & { caller: string }>;
	isCalm: boolean;
}

/** Plays a program from beginning to end in virtual time. Throws only when time runs out, or when nothing could end it. */
export async function play(
	program: Program,
	emulator: Emulator,
	time: VirtualTime,
): Promise<Played> {
	time.restart();
	emulator.reset();
	const random = jest.spyOn(Math, 'random').mockImplementation(seeded(program.random));
	const unhandled: unknown[] = [];
	const note = (reason: unknown) => void unhandled.push(reason);
	realProcess.on('unhandledRejection', note);
	const log: string[] = [];
	const endLog = captureLog(log);
	const world: World = {
		program,
		emulator,
		clock: { setBackMs: 0 },
		number: ++played,
		executions: [],
		isCalm: false,
	};
	try {
		order(world);
		const elsewhere: Played['elsewhere'] = new Map();
		const around = [arriveElsewhere(world, elsewhere), setClockBack(world)];
		const threads = program.threads.map(async (thread, at) => await playThread(world, thread, at));
		const open = (await time.run(Promise.all(threads), LONGEST_MS)).flatMap((go) => go ?? []);
		await time.run(Promise.all([...around, whileBusy(time)]), LONGEST_MS);
		goCalm(world);
		for (const go of open) await time.run(go(), LONGEST_MS);
		await time.run(whileBusy(time), LONGEST_MS);
		jest.setSystemTime(Date.now() + 3 * 3_600_000);
		const { jobs } = emulator;
		const executions = world.executions.map((execution) => seenOf(execution, emulator));
		markLast(executions);
		const contents = program.file === 'sent' ? await contentsOf(jobs, emulator, time) : {};
		return {
			program,
			executions,
			jobs,
			elsewhere,
			log,
			leaks: [...emulator.leaks],
			unhandled,
			contents,
		};
	} finally {
		endLog();
		realProcess.off('unhandledRejection', note);
		random.mockRestore();
	}
}

function order({ program, emulator }: World): void {
	const { jobMs, queueMs, service, faults } = program;
	// Where only the poll_url of a workflow is told, it must tell the result too: nobody could know where that is.
	const isAllTold =
		program.work !== 'workflow' || [undefined, 'all'].includes(service.workflowUrls);
	emulator.set({
		queueMs,
		jobMs: (_model, _input, index) => jobMs[Math.max(index, 0) % jobMs.length],
		...service,
		...(!isAllTold && { pollAnswer: 'result' }),
		// A refused look under 422 would be the word of a failure.
		...(faults.some(({ what }) => what === 'under 422') && { rateLimit: null }),
	});
	for (const { on, after, times, what } of faults)
		emulator.fault({
			on: on === 'submit' ? ['submit', 'v1'] : on === 'status' ? ['status', 'poll'] : on,
			after,
			// Said for a minute by the only address of a workflow's run, it is true for all that anybody can know.
			times: !isAllTold && what.includes('422') ? Math.min(times, 3) : times,
			do: actionOf(what),
		});
}

/** Everything works from now on; what the service keeps and how it tells its URLs stays. */
function goCalm(world: World): void {
	const { emulator } = world;
	emulator.clearFaults();
	emulator.set({
		history: true,
		historyLateMs: 0,
		historyOfWorkflows: true,
		rateLimit: null,
		failJobs: [],
		// One that failed under 400 or 500 is known by its id only.
		failedId: true,
		resultShape: null,
		balance: { credits: 100, freeCredits: 0 },
	});
	world.isCalm = true;
}

async function arriveElsewhere(
	{ program, emulator }: World,
	known: Played['elsewhere'],
): Promise<void> {
	await Promise.all(
		program.elsewhere.map(async ({ atMs, body, isOtherUser, lateMs }) => {
			await sleep(atMs);
			const id = emulator.submitElsewhere({
				slug: program.work === 'workflow' ? WORKFLOW : MODEL,
				via: program.work === 'v1' ? 'v1' : 'v2',
				input: BODIES[body],
				lateMs,
				...(isOtherUser && { user: 'somebody@example.com' }),
			});
			known.set(id, { body, isOtherUser, at: START + atMs });
		}),
	);
}

/** The service's own clock goes on as before. */
async function setClockBack({ program, emulator, clock }: World): Promise<void> {
	if (!program.setBack) return;
	const { atMs, byMs } = program.setBack;
	await sleep(atMs);
	jest.setSystemTime(Date.now() - byMs);
	clock.setBackMs = byMs;
	emulator.set({ clockAheadMs: (program.service.clockAheadMs ?? 0) + byMs });
}

async function whileBusy(time: VirtualTime): Promise<void> {
	do await sleep(100);
	while (time.busy);
}

/** All presses of a thread. Gives what it takes to end it well in good weather, when it has not. */
async function playThread(
	world: World,
	thread: Thread,
	index: number,
): Promise<(() => Promise<void>) | undefined> {
	await sleep(thread.beginsMs);
	const snapshots: IRunExecutionData[] = [];
	let lineage = 0;
	const press = async (how: Press, at: number) => {
		const isRetry = thread.mode === 'trigger' && snapshots.length > 0;
		const from = isRetry ? snapshots[how.from === 'first' ? 0 : snapshots.length - 1] : undefined;
		const last = await playPress(world, { thread, index, lineage, at, from }, how);
		if (last.stoppedAt !== undefined) {
			lineage++;
			snapshots.length = 0;
		} else if (last.result.error) snapshots.push(renamed(last.result, how));
		return last;
	};
	let at = 0;
	let last: Execution | undefined;
	for (const how of thread.presses) {
		await sleep(at === 0 ? 0 : pauseOf(how, thread));
		last = await press(how, at++);
		if (!last.result.error && last.stoppedAt === undefined) return undefined;
	}
	// Nothing stored is left of a stopped execution: only the editor's memory.
	if (last?.stoppedAt !== undefined && thread.mode === 'trigger') return undefined;
	return async () => {
		for (let more = 0; more < CALM_TRIES; more++) {
			await sleep(more === 0 ? BEFORE_CALM_MS : 1_000);
			const { result } = await press({ ...PRESS, from: 'latest' }, at++);
			if (!result.error) return;
		}
	};
}

/** In the editor an execution counts as ended when n8n can no longer try again by itself. */
function pauseOf({ pauseMs }: Press, { mode, presses }: Thread): number {
	const mayTryAgain = presses.some(({ tries }) => tries > 1);
	return mode === 'manual' && mayTryAgain ? Math.max(pauseMs, 15_000) : pauseMs;
}

interface Place {
	thread: Thread;
	index: number;
	lineage: number;
	at: number;
	/** Stored data that a retry starts from. */
	from?: IRunExecutionData;
}

/** One press, with all rounds of its loop. */
async function playPress(world: World, place: Place, press: Press): Promise<Execution> {
	const { thread, at } = place;
	const isChanged =
		thread.mode === 'manual' && thread.changesAtPress !== null && at >= thread.changesAtPress;
	const executionId = `p${world.number}t${place.index}x${at}${isChanged ? 'later' : ''}`;
	const firstRound = runIndexOf(place.from);
	let data = place.from && forRetry(place.from);
	for (let round = firstRound; ; round++) {
		const last = await playRound(world, place, press, { executionId, round, data, isChanged });
		const hasEnded = last.result.error !== undefined || last.stoppedAt !== undefined;
		if (hasEnded || round + 1 >= thread.rounds) return last;
		data = nextRound(last.result.stored, itemsOf(world, thread));
	}
}

interface Round {
	executionId: string;
	round: number;
	data?: IRunExecutionData;
	isChanged: boolean;
}

async function playRound(
	world: World,
	{ thread, index, lineage, at }: Place,
	press: Press,
	{ executionId, round, data, isChanged }: Round,
): Promise<Execution> {
	const { program, emulator, clock, number } = world;
	const caller = `${executionId}r${round}`;
	const now = () => Date.now() + clock.setBackMs;
	const startedAt = now();
	// How long an execution took is not known when the clock was set back in it.
	const stopAfterMs = program.setBack ? null : press.stopAfterMs;
	let stoppedAt: number | undefined;
	const result = await asCaller(
		caller,
		async () =>
			await runNode({
				emulator,
				node: program.work === 'workflow' ? 'segmindWorkflow' : 'segmind',
				nodeId: thread.mode === 'manual' ? `editor${index}` : `node${thread.node}`,
				workflowId: 'workflow1',
				executionId,
				mode:
					thread.mode === 'manual'
						? 'manual'
						: at > 0 && lineageGoesOn(world, index, lineage)
							? 'retry'
							: 'trigger',
				items: itemsOf(world, thread),
				resume: data,
				parameters: parametersOf(world.isCalm ? patient(program) : program, thread, press),
				onError: program.onError,
				tries: press.tries,
				credentialId: `${press.otherCredential ? 'other' : 'usual'} credential of program ${number}`,
				whileRunning:
					stopAfterMs === null
						? undefined
						: async (stop) => {
								await sleep(stopAfterMs);
								stoppedAt = now();
								stop();
							},
			}),
	);
	const endedAt = program.setBack ? now() : startedAt + result.tookMs;
	const wasStopped =
		stoppedAt !== undefined &&
		stoppedAt <= endedAt &&
		(result.run.status === 'canceled' || result.error !== undefined);
	const execution = {
		caller,
		thread: index,
		press,
		at,
		mode: thread.mode,
		lineage,
		round,
		asked: thread.items.map((body) => keyOf(program, askedFor(program, body, isChanged))),
		result,
		startedAt,
		endedAt,
		...(wasStopped && { stoppedAt }),
		isCalm: world.isCalm,
		isLast: false,
		calls: [],
		made: [],
	};
	world.executions.push(execution);
	return execution;
}

function lineageGoesOn({ executions }: World, thread: number, lineage: number): boolean {
	return executions.some((other) => other.thread === thread && other.lineage === lineage);
}

/** What an item asks for, evaluated. */
function askedFor({ file }: Program, body: number, isChanged: boolean): Record<string, unknown> {
	const { prompt, ...rest } = BODIES[body];
	const said = `${prompt}${file === 'sent' ? ` ${body}` : ''}${isChanged ? ' later' : ''}`;
	return file === 'sent' ? { prompt: said } : { prompt: said, ...rest };
}

/** Equal for what counts as equal. */
export function keyOf({ randomSeed, file }: Program, input: Record<string, unknown>): string {
	const seed = randomSeed && file !== 'sent' ? '' : String(input.seed ?? '');
	return `${String(input.prompt)}|${seed}`;
}

function itemsOf({ program }: World, { items }: Thread): INodeExecutionData[] {
	return items.map((body) => {
		const json = { ...askedFor(program, body, false) };
		if (program.file === 'sent')
			return fileItem({ data: { bytes: Buffer.from(`file of ${json.prompt}`) } }, json as never);
		if (program.file === 'none') return { json: json as never };
		const id = `filesystem-v2:workflows/workflow1/executions/temp/binary_data/file-${body}`;
		return {
			json: json as never,
			binary: { data: { id, data: 'filesystem-v2', mimeType: 'image/png', fileName: 'a.png' } },
		};
	});
}

function patient(program: Program): Program {
	return { ...program, options: { ...program.options, timeoutSeconds: 300, onTimeout: 'error' } };
}

const LATER = "($execution.id.endsWith('later') ? ' later' : '')";

function parametersOf(
	{ work, waitForCompletion, file, options, randomSeed }: Program,
	{ mode }: Thread,
	{ repicked, task }: Press,
): INodeParameters {
	// In the editor another seed is another request.
	const seed = randomSeed && mode !== 'manual' ? ', { seed: Math.random() }' : '';
	const prompt = `={{ $json.prompt + ${LATER} }}`;
	const isWorkflow = work === 'workflow';
	const fileRow = {
		name: isWorkflow ? 'reference' : 'image_urls',
		type: 'file',
		binaryFields: 'data',
	};
	const asking: IDataObject =
		file !== 'sent'
			? {
					requestBody: `={{ Object.assign({}, $json, { prompt: $json.prompt + ${LATER} }${seed}) }}`,
				}
			: isWorkflow
				? {}
				: { additionalParameters: rows(fileRow) };
	const [resource, operation] = task.split('.');
	return {
		...(isWorkflow
			? {
					operation: 'run',
					slug: WORKFLOW,
					...(file === 'sent' && {
						inputs: rows({ name: 'prompt', type: 'string', stringValue: prompt }, fileRow),
					}),
				}
			: {
					resource,
					operation,
					model: {
						__rl: true,
						mode: 'list',
						value: MODEL,
						cachedResultName: repicked ? 'Nano Banana Pro (new)' : 'Nano Banana Pro',
					},
					...(file === 'sent' && { prompt }),
				}),
		...(work !== 'v1' && { waitForCompletion }),
		options: { ...options, ...asking, ...(work === 'v1' && { answerInOneCall: true }) },
	} as INodeParameters;
}

/** Run index that a retry of this execution begins with. */
function runIndexOf(stored: IRunExecutionData | undefined): number {
	if (!stored) return 0;
	return (forRetry(stored).resultData.runData.Segmind ?? []).length;
}

/** The loop comes around: n8n runs the node again in the same execution. */
function nextRound(stored: IRunExecutionData, items: INodeExecutionData[]): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(stored)) as IRunExecutionData;
	if (data.executionData)
		data.executionData.nodeExecutionStack = [
			{ node: { name: 'Segmind' } as INode, data: { main: [items] }, source: null },
		];
	return data;
}

/** As n8n stores it: `temp` in the ids of files becomes the execution's id, in inputs and outputs only. */
function renamed({ stored, executionId }: RunResult, press: Press): IRunExecutionData {
	if (!press.renamed || !stored.executionData) return stored;
	const rename = <T>(value: T) =>
		JSON.parse(JSON.stringify(value).replaceAll('/temp/', `/${executionId}/`)) as T;
	const { executionData, resultData } = stored;
	return {
		...stored,
		resultData: rename(resultData),
		executionData: {
			...executionData,
			nodeExecutionStack: rename(executionData.nodeExecutionStack),
		},
	};
}

function seenOf(
	{ caller, ...execution }: Execution & { caller: string },
	emulator: Emulator,
): Execution {
	const calls = emulator.calls.filter((call) => callerOf(call) === caller);
	const made = calls
		.filter(isCreating)
		.flatMap(({ requestId }) => (requestId === undefined ? [] : [requestId]));
	return { ...execution, calls, made };
}

function markLast(executions: Execution[]): void {
	for (const execution of executions)
		execution.isLast = !executions.some(
			({ thread, at, round }) =>
				thread === execution.thread &&
				(at > execution.at || (at === execution.at && round > execution.round)),
		);
}

async function contentsOf(
	jobs: JobView[],
	emulator: Emulator,
	time: VirtualTime,
): Promise<Record<string, string>> {
	const urls = [
		...new Set(
			JSON.stringify(jobs.map(({ input }) => input)).match(
				/http:\/\/127\.0\.0\.1:\d+\/assets\/[\w.]+/g,
			) ?? [],
		),
	];
	emulator.set({ fileMs: Infinity });
	const contents: Record<string, string> = {};
	for (const url of urls)
		if (url.startsWith(emulator.urls.files)) contents[url] = await time.run(fetchText(url), 60_000);
	return contents;
}

/** What happened, a line a call, for whoever reads a failing program. */
export function storyOf({ executions }: Played): string[] {
	return executions.flatMap(
		({ thread, at, round, mode, isCalm, startedAt, endedAt, stoppedAt, calls, result, asked }) => [
			`${seconds(startedAt)} thread ${thread}, press ${at}, round ${round}, ${mode}${isCalm ? ' in good weather' : ''}: ${JSON.stringify(asked)}`,
			...calls.map(
				({ at: when, kind, status, fault, requestId, path }) =>
					`${seconds(when)}   ${kind} ${requestId?.slice(0, 6) ?? ''} -> ${status ?? 'no answer'}${fault ? ` (${fault})` : ''}${kind === 'history' && requestId === undefined ? ` page ${/[?&]page=(\d+)/.exec(path)?.[1]}` : ''}`,
			),
			...(stoppedAt === undefined ? [] : [`${seconds(stoppedAt)}   Stop`]),
			`${seconds(endedAt)}   ${result.error ? `${result.error.message}\n${result.error.description ?? ''}` : JSON.stringify([...result.items, ...result.errorItems].map(({ json: { request_id, status, error } }) => [request_id, status, error]))}`,
			...result.hints.map((hint) => `             hint: ${hint}`),
		],
	);
}

function seconds(at: number): string {
	return `${((at - START) / 1_000).toFixed(3).padStart(10)} s`;
}
