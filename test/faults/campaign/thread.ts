/** What one person does: presses, retries and rounds of a loop, each a run of the node in n8n's engine. */
import type { INode, INodeExecutionData, INodeParameters, IRunExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { retryDataOf, runNode, type RunResult } from '../../helpers/runNode';
import { inputOf, fetchParameters, itemsOf, keyOf, runParameters } from './inputs';
import { asCaller } from './callerMark';
import type { Execution, World } from './played';
import { PRESS, type Press, type Program, type Thread } from './program';

/** How many times a thread is retried without faults. */
const MAX_FINISHING_PRESSES = 3;
/** After this time, injected rate limits have ended, except those with a reset time. */
const FINISH_DELAY_MS = 65_000;
const LONG_FINISH_DELAY_MS = 1_200_000;

/** All presses of one node of a thread: the node that submits requests, or Get Result, which fetches the results of unfinished ones. */
interface Stage {
	thread: Thread;
	index: number;
	/** The input items of Get Result. */
	getResultItems?: INodeExecutionData[];
}

/** Retries without faults until the thread succeeds, or gives up. */
type Finish = () => Promise<void>;

/** Plays a thread with faults. If it doesn't succeed, returns a function that finishes it without faults. */
export async function playThread(
	world: World,
	thread: Thread,
	index: number,
): Promise<Finish | undefined> {
	const { waitForCompletion, fetches, work } = world.program;
	await sleep(thread.beginsMs);
	const submitting = await playStage(world, { thread, index });
	const isFetched = !waitForCompletion && fetches && (work === 'run' || work === 'workflow');
	if (submitting.finish || !isFetched) return submitting.finish;
	const getResultItems = (submitting.last?.result.items ?? [])
		.filter(({ json }) => typeof json.request_id === 'string')
		.map(({ json }) => ({ json }));
	if (getResultItems.length === 0) return undefined;
	return (await playStage(world, { thread, index, getResultItems })).finish;
}

async function playStage(
	world: World,
	stage: Stage,
): Promise<{ last?: Execution; finish?: Finish }> {
	const { thread } = stage;
	const snapshots: IRunExecutionData[] = [];
	let [lineage, nextIndex] = [0, 0];
	const playNext = async (press: Press) => {
		const isRetry = thread.mode === 'trigger' && snapshots.length > 0;
		// A tool's retry knows only what n8n stored, so a retry of the first execution would start over.
		const isOfFirst = press.from === 'first' && !world.program.asTool;
		const from = isRetry ? snapshots[isOfFirst ? 0 : snapshots.length - 1] : undefined;
		const place = { ...stage, lineage, pressIndex: nextIndex++, from };
		const last = await playPress(world, place, press);
		if (last.stoppedAt !== undefined) {
			lineage++;
			snapshots.length = 0;
		} else if (last.result.error) snapshots.push(withRenamedFiles(last.result, press));
		return last;
	};
	let last: Execution | undefined;
	for (const press of thread.presses) {
		await sleep(nextIndex === 0 ? 0 : pauseOf(press, thread));
		last = await playNext(press);
		if (!last.result.error && last.stoppedAt === undefined) return { last };
	}
	// n8n stores nothing of a stopped execution. Only the editor can resume it, from the memory of the process.
	if (last?.stoppedAt !== undefined && thread.mode === 'trigger') return { last };
	const finish = async () => {
		for (let presses = 0; presses < MAX_FINISHING_PRESSES; presses++) {
			await sleep(presses === 0 ? finishDelayMs(world.program) : 1_000);
			const { result } = await playNext({ ...PRESS, from: 'latest' });
			if (!result.error) break;
		}
		const ofStage = world.executions.filter(
			({ threadIndex, operation }) =>
				threadIndex === stage.index &&
				(operation === 'getResult') === (stage.getResultItems !== undefined),
		);
		const [{ pressIndex, round }] = ofStage.slice(-1);
		for (const execution of ofStage)
			execution.isLast = execution.pressIndex === pressIndex && execution.round === round;
	};
	return { last, finish };
}

function finishDelayMs({ faults, outage }: Program): number {
	const isLong =
		outage !== null || faults.some(({ what }) => /^(429, (reset|Retry)|redirect)/.test(what));
	return isLong ? LONG_FINISH_DELAY_MS : FINISH_DELAY_MS;
}

/** In the editor, waits until Retry On Fail can't start another attempt: only then does an execution count as ended. */
function pauseOf({ pauseMs }: Press, { mode, presses }: Thread): number {
	const retriesOnFail = presses.some(({ tries }) => tries > 1);
	return mode === 'manual' && retriesOnFail ? Math.max(pauseMs, 15_000) : pauseMs;
}

interface Place extends Stage {
	lineage: number;
	pressIndex: number;
	/** The stored data that a retry starts from. */
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
	const { thread, pressIndex, getResultItems } = place;
	const isChanged =
		thread.mode === 'manual' &&
		thread.changesAtPress !== null &&
		pressIndex >= thread.changesAtPress;
	const stage = getResultItems ? 'g' : 'x';
	const executionId = `p${world.programNumber}t${place.index}${stage}${pressIndex}${isChanged ? 'later' : ''}`;
	const rounds = getResultItems ? 1 : thread.rounds;
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
	const { program, emulator, clock, programNumber } = world;
	const { thread, index, lineage, pressIndex, getResultItems, from } = place;
	const caller = `${executionId}r${round}`;
	const now = () => Date.now() + clock.setBackMs;
	const startedAt = now();
	// If the clock was set back during an execution, nobody knows how long it took.
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
				items: getResultItems ?? itemsOf(program, thread),
				retryData: data,
				onError: program.onError,
				asTool: program.asTool,
				tries: press.tries,
				credentialId: `${press.otherCredential ? 'other' : 'usual'} credential of program ${programNumber}`,
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
		operation: getResultItems ? 'getResult' : program.work === 'asset' ? 'upload' : 'run',
		threadIndex: index,
		press,
		pressIndex,
		mode: thread.mode,
		lineage,
		round,
		itemKeys: getResultItems
			? getResultItems.map(() => '')
			: thread.items.map((body) => keyOf(program, inputOf(program, body, isChanged))),
		inputRequestIds: (getResultItems ?? []).map(({ json }) => String(json.request_id)),
		result,
		startedAt,
		endedAt,
		...(wasStopped && { stoppedAt }),
		areFaultsOver: world.areFaultsOver,
		isLast: false,
		calls: [],
		createdIds: [],
	};
	world.executions.push(execution);
	return execution;
}

function nodeOf(
	{ program, areFaultsOver }: World,
	{ thread, index, getResultItems }: Place,
	press: Press,
): { node: string; nodeId: string; parameters: INodeParameters } {
	const patience = { timeoutSeconds: 300, pollIntervalSeconds: 10, onTimeout: 'error' as const };
	const patient = areFaultsOver
		? { ...program, options: { ...program.options, ...patience } }
		: program;
	const node = {
		run: 'segmind',
		v1: 'segmind',
		workflow: 'segmindWorkflow',
		asset: 'segmindAsset',
	}[program.work];
	const nodeId =
		thread.mode === 'manual' ? `editor${thread.editorNode ?? index}` : `node${thread.node}`;
	return getResultItems
		? { node: 'segmind', nodeId: `${nodeId}fetch`, parameters: fetchParameters(patient) }
		: { node, nodeId, parameters: runParameters(patient, thread, press) };
}

/** Returns the data of the next round of a loop, in which n8n runs the node again in the same execution. */
function nextRound(stored: IRunExecutionData, items: INodeExecutionData[]): IRunExecutionData {
	const data = JSON.parse(JSON.stringify(stored)) as IRunExecutionData;
	if (data.executionData)
		data.executionData.nodeExecutionStack = [
			{ node: { name: 'Segmind' } as INode, data: { main: [items] }, source: null },
		];
	return data;
}

/** Renames files as n8n does when it stores an execution: in the inputs and outputs, `temp` in their IDs becomes the execution's ID. */
function withRenamedFiles({ stored, executionId }: RunResult, press: Press): IRunExecutionData {
	if (!press.filesRenamed || !stored.executionData) return stored;
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
