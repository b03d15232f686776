/** What one person does: presses, retries and rounds of a loop, each a run of the node in n8n's engine. */
import type { INode, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { retryDataOf, runNode } from '../../helpers/runNode';
import { asCaller } from './callerMark';
import { inputOf, itemsOf, keyOf, parametersOf } from './inputs';
import type { Execution, World } from './played';
import { PRESS, type Press, type Program, type Thread } from './program';

/** How many times a thread is retried without faults. */
const MAX_FINISHING_PRESSES = 3;
/** After this time, injected rate limits have ended, except those with a reset time. */
const FINISH_DELAY_MS = 65_000;
const LONG_FINISH_DELAY_MS = 1_200_000;

/** Retries without faults until the thread succeeds, or gives up. */
type Finish = () => Promise<void>;

/** Plays a thread with faults. If it doesn't succeed, returns a function that finishes it without faults. */
export async function playThread(
	world: World,
	thread: Thread,
	index: number,
): Promise<Finish | undefined> {
	await sleep(thread.beginsMs);
	const snapshots: IRunExecutionData[] = [];
	let [lineage, nextIndex] = [0, 0];
	/** Returns the last execution of the press, and whether the thread needs another press. */
	const playNext = async (press: Press) => {
		// A tool's retry knows only what n8n stored, so a retry of the first execution would start over.
		const isOfFirst = press.from === 'first' && !world.program.asTool;
		const from = thread.mode === 'trigger' ? snapshots.at(isOfFirst ? 0 : -1) : undefined;
		const place = { thread, index, lineage, pressIndex: nextIndex++, from };
		const last = await playPress(world, place, press);
		const isStopped = last.stoppedAt !== undefined;
		if (isStopped) {
			lineage++;
			snapshots.length = 0;
		} else if (last.result.error) snapshots.push(last.result.stored);
		return { isStopped, isUnfinished: isStopped || last.result.error !== undefined };
	};
	let last = { isStopped: false, isUnfinished: false };
	for (const press of thread.presses) {
		await sleep(nextIndex === 0 ? 0 : pauseOf(press, thread));
		last = await playNext(press);
		if (!last.isUnfinished) return undefined;
	}
	// n8n stores nothing of a stopped execution. Only the editor can resume it, from the memory of the process.
	if (last.isStopped && thread.mode === 'trigger') return undefined;
	return async () => {
		await sleep(finishDelayMs(world.program));
		for (let presses = 0; presses < MAX_FINISHING_PRESSES && last.isUnfinished; presses++) {
			await sleep(1_000);
			last = await playNext(PRESS);
		}
		const [{ pressIndex, round }] = world.executions.slice(-1);
		for (const execution of world.executions)
			execution.isFinish ||=
				execution.threadIndex === index &&
				execution.pressIndex === pressIndex &&
				execution.round === round;
	};
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

interface Place {
	thread: Thread;
	index: number;
	lineage: number;
	pressIndex: number;
	/** The stored data that a retry starts from. */
	from?: IRunExecutionData;
}

/** One press, with all rounds of its loop. Returns the last round. */
async function playPress(world: World, place: Place, press: Press): Promise<Execution> {
	const { thread } = place;
	let data = place.from && retryDataOf(place.from);
	for (let round = (data?.resultData.runData.Segmind ?? []).length; ; round++) {
		const last = await playRound(world, place, press, { round, data });
		const hasEnded = last.result.error !== undefined || last.stoppedAt !== undefined;
		if (hasEnded || round + 1 >= thread.rounds) return last;
		data = nextRound(last.result.stored, itemsOf(world.program, thread));
	}
}

async function playRound(
	world: World,
	{ thread, index, lineage, pressIndex, from }: Place,
	press: Press,
	{ round, data }: { round: number; data?: IRunExecutionData },
): Promise<Execution> {
	const { program, emulator, programNumber, areFaultsOver } = world;
	const { mode, changesAtPress } = thread;
	const isManual = mode === 'manual';
	const isChanged = isManual && changesAtPress !== null && pressIndex >= changesAtPress;
	const executionId = `p${programNumber}t${index}x${pressIndex}${isChanged ? 'later' : ''}`;
	const caller = `${executionId}r${round}`;
	const patience = { timeoutSeconds: 300, pollIntervalSeconds: 10, onTimeout: 'error' as const };
	const options = { ...program.options, ...(areFaultsOver && patience) };
	const { stopAfterMs } = press;
	const startedAt = Date.now();
	let stoppedAt = Infinity;
	const running = asCaller(
		caller,
		async () =>
			await runNode({
				emulator,
				node: {
					run: 'segmind',
					v1: 'segmind',
					workflow: 'segmindWorkflow',
				}[program.work],
				nodeId: isManual ? `editor${index}` : `node${thread.node}`,
				parameters: parametersOf({ ...program, options }),
				workflowId: 'workflow1',
				executionId,
				mode: isManual ? 'manual' : from ? 'retry' : 'trigger',
				items: itemsOf(program, thread),
				retryData: data,
				onError: program.onError,
				asTool: program.asTool,
				tries: press.tries,
				credentialId: `${press.otherCredential ? 'other' : 'usual'} credential of program ${programNumber}`,
				...(stopAfterMs !== null && {
					whileRunning: async (stop) => {
						await sleep(stopAfterMs);
						stoppedAt = Date.now();
						stop();
					},
				}),
			}),
	);
	const result = await running;
	const endedAt = startedAt + result.tookMs;
	const wasStopped =
		stoppedAt <= endedAt && (result.run.status === 'canceled' || result.error !== undefined);
	const execution: World['executions'][number] = {
		caller,
		threadIndex: index,
		press,
		pressIndex,
		mode,
		lineage,
		round,
		itemKeys: thread.items.map((body) => keyOf(inputOf(program, body, isChanged))),
		result,
		startedAt,
		endedAt,
		...(wasStopped && { stoppedAt }),
		isFinish: false,
		calls: [],
	};
	world.executions.push(execution);
	return execution;
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
