/** What one person does: presses, retries and rounds of a loop, each a run of the node in n8n's engine. */
import type { INode, INodeExecutionData, INodeParameters, IRunExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { retryDataOf, runNode, type RunResult } from '../../helpers/runNode';
import { inputOf, fetchParameters, itemsOf, keyOf, runParameters } from './inputs';
import { asCaller } from './callerMark';
import type { Execution, World } from './played';
import { PRESS, type Press, type Program, type Thread } from './program';

const CALM_TRIES = 3;
/** After this time, rate limits of injected faults are over; limits with a reset time last longer. */
const BEFORE_CALM_MS = 65_000;
const LONG_BEFORE_CALM_MS = 1_200_000;

/** All presses of one node of a thread: the one that asks, or the one that fetches what was given at once. */
interface Stage {
	thread: Thread;
	index: number;
	/** What Get Result is given. */
	handed?: INodeExecutionData[];
}

/** Retries without faults what hasn't succeeded before. */
type Finish = () => Promise<void>;

/** Plays a thread with faults. Returns how to finish it without faults, if it hasn't succeeded. */
export async function playThread(
	world: World,
	thread: Thread,
	index: number,
): Promise<Finish | undefined> {
	const { waitForCompletion, fetches, work } = world.program;
	await sleep(thread.beginsMs);
	const asking = await playStage(world, { thread, index });
	const isFetched = !waitForCompletion && fetches && (work === 'run' || work === 'workflow');
	if (asking.finish || !isFetched) return asking.finish;
	const handed = (asking.last?.result.items ?? [])
		.filter(({ json }) => typeof json.request_id === 'string')
		.map(({ json }) => ({ json }));
	if (handed.length === 0) return undefined;
	return (await playStage(world, { thread, index, handed })).finish;
}

async function playStage(
	world: World,
	stage: Stage,
): Promise<{ last?: Execution; finish?: Finish }> {
	const { thread } = stage;
	const snapshots: IRunExecutionData[] = [];
	let [lineage, at] = [0, 0];
	const press = async (how: Press) => {
		const isRetry = thread.mode === 'trigger' && snapshots.length > 0;
		// What a retry of a tool knows is what n8n stored: of the first it starts over.
		const isOfFirst = how.from === 'first' && !world.program.asTool;
		const from = isRetry ? snapshots[isOfFirst ? 0 : snapshots.length - 1] : undefined;
		const last = await playPress(world, { ...stage, lineage, at: at++, from }, how);
		if (last.stoppedAt !== undefined) {
			lineage++;
			snapshots.length = 0;
		} else if (last.result.error) snapshots.push(renamed(last.result, how));
		return last;
	};
	let last: Execution | undefined;
	for (const how of thread.presses) {
		await sleep(at === 0 ? 0 : pauseOf(how, thread));
		last = await press(how);
		if (!last.result.error && last.stoppedAt === undefined) return { last };
	}
	// Nothing stored is left of a stopped execution: only the editor's memory.
	if (last?.stoppedAt !== undefined && thread.mode === 'trigger') return { last };
	const finish = async () => {
		for (let more = 0; more < CALM_TRIES; more++) {
			await sleep(more === 0 ? beforeCalmMs(world.program) : 1_000);
			const { result } = await press({ ...PRESS, from: 'latest' });
			if (!result.error) break;
		}
		const mine = world.executions.filter(
			({ thread: other, operation }) =>
				other === stage.index && (operation === 'getResult') === (stage.handed !== undefined),
		);
		const [{ at: lastAt, round }] = mine.slice(-1);
		for (const each of mine) each.isLast = each.at === lastAt && each.round === round;
	};
	return { last, finish };
}

function beforeCalmMs({ faults, outage }: Program): number {
	const isLong =
		outage !== null || faults.some(({ what }) => /^(429, (reset|Retry)|redirect)/.test(what));
	return isLong ? LONG_BEFORE_CALM_MS : BEFORE_CALM_MS;
}

/** In the editor an execution counts as ended when n8n can no longer try again by itself. */
function pauseOf({ pauseMs }: Press, { mode, presses }: Thread): number {
	const mayTryAgain = presses.some(({ tries }) => tries > 1);
	return mode === 'manual' && mayTryAgain ? Math.max(pauseMs, 15_000) : pauseMs;
}

interface Place extends Stage {
	lineage: number;
	at: number;
	/** Stored data that a retry starts from. */
	from?: IRunExecutionData;
}

interface Round {
	executionId: string;
	round: number;
	data?: IRunExecutionData;
	isChanged: boolean;
}

/** One press, with all rounds of its loop. */
async function playPress(world: World, place: Place, press: Press): Promise<Execution> {
	const { thread, at, handed } = place;
	const isChanged =
		thread.mode === 'manual' && thread.changesAtPress !== null && at >= thread.changesAtPress;
	const stage = handed ? 'g' : 'x';
	const executionId = `p${world.number}t${place.index}${stage}${at}${isChanged ? 'later' : ''}`;
	const rounds = handed ? 1 : thread.rounds;
	let data = place.from && retryDataOf(place.from);
	for (let round = (data?.resultData.runData.Segmind ?? []).length; ; round++) {
		const last = await playRound(world, place, press, { executionId, round, data, isChanged });
		const hasEnded = last.result.error !== undefined || last.stoppedAt !== undefined;
		if (hasEnded || round + 1 >= rounds) return last;
		data = nextRound(last.result.stored, itemsOf(world.program, thread));
	}
}

async function playRound(
	world: World,
	place: Place,
	press: Press,
	{ executionId, round, data, isChanged }: Round,
): Promise<Execution> {
	const { program, emulator, clock, number } = world;
	const { thread, index, lineage, at, handed, from } = place;
	const caller = `${executionId}r${round}`;
	const now = () => Date.now() + clock.setBackMs;
	const startedAt = now();
	// How long an execution took is not known when the clock was set back in it.
	const stopAfterMs = program.setBack ? null : press.stopAfterMs;
	let stoppedAt: number | undefined;
	const running = asCaller(
		caller,
		async () =>
			await runNode({
				emulator,
				...nodeOf(world, place, press),
				workflowId: 'workflow1',
				executionId,
				mode: thread.mode === 'manual' ? 'manual' : from ? 'retry' : 'trigger',
				items: handed ?? itemsOf(program, thread),
				resume: data,
				onError: program.onError,
				asTool: program.asTool,
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
	const result = await running;
	const endedAt = program.setBack ? now() : startedAt + result.tookMs;
	const wasStopped =
		stoppedAt !== undefined &&
		stoppedAt <= endedAt &&
		(result.run.status === 'canceled' || result.error !== undefined);
	const execution: World['executions'][number] = {
		caller,
		operation: handed ? 'getResult' : program.work === 'asset' ? 'upload' : 'run',
		thread: index,
		press,
		at,
		mode: thread.mode,
		lineage,
		round,
		asked: handed
			? handed.map(() => '')
			: thread.items.map((body) => keyOf(program, inputOf(program, body, isChanged))),
		brought: (handed ?? []).map(({ json }) => String(json.request_id)),
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

function nodeOf(
	{ program, isCalm }: World,
	{ thread, index, handed }: Place,
	press: Press,
): { node: string; nodeId: string; parameters: INodeParameters } {
	const patience = { timeoutSeconds: 300, pollIntervalSeconds: 10, onTimeout: 'error' as const };
	const patient = isCalm ? { ...program, options: { ...program.options, ...patience } } : program;
	const node = {
		run: 'segmind',
		v1: 'segmind',
		workflow: 'segmindWorkflow',
		asset: 'segmindAsset',
	}[program.work];
	const nodeId = thread.mode === 'manual' ? `editor${thread.step ?? index}` : `node${thread.node}`;
	return handed
		? { node: 'segmind', nodeId: `${nodeId}fetch`, parameters: fetchParameters(patient) }
		: { node, nodeId, parameters: runParameters(patient, thread, press) };
}

/** The next round of a loop: n8n runs the node again in the same execution. */
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
