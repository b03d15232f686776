import type { IPairedItemData } from 'n8n-workflow';

import type { RunResult } from '../../helpers/runNode';
import { errorFaults, hintFaults, textsOf } from '../failures';
import type { Rule } from '../ledger';
import { mayInvent } from './faults';
import type { Execution, Played } from './played';

/** Stop must end an execution within this time. */
const STOP_MS = 500;

/** Rules for any execution. */
export const COMMON_RULES: Record<string, Rule<Played>> = {
	'outputs are paired and in order': ({ executions }) =>
		executions
			.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
			.map(({ result, itemKeys: { length: items } }) => {
				const outputs = [result.items, result.errorItems].map((output) => output.map(inputIndexOf));
				const all = outputs.flat().sort((one, other) => one - other);
				const isInOrder = outputs.every((indexes) =>
					indexes.every((at, index) => index === 0 || at > indexes[index - 1]),
				);
				const isComplete = all.length === items && all.every((at, index) => at === index);
				return isInOrder && isComplete
					? undefined
					: `pairs are ${JSON.stringify(outputs)} for ${items} items`;
			}),

	'a delivered request has completed': ({ executions, jobs, program }) =>
		executions.flatMap(({ result, endedAt }) =>
			[...result.items, ...result.errorItems].flatMap(({ json: { status, request_id } }) => {
				const job = jobs.find(({ requestId }) => requestId === request_id);
				if (status !== 'COMPLETED' || !job || mayInvent(program.faults)) return [];
				const { state, finishedAt = 0 } = job;
				// The service's clock may be ahead.
				const finished = (finishedAt ?? 0) - (program.service.clockAheadMs ?? 0);
				const isTrue = state === 'COMPLETED' && (program.setBack || finished <= endedAt);
				return [isTrue ? undefined : `request ${job.requestId} hadn't completed by then`];
			}),
		),

	'the key goes only to its origins': ({ leaks, executions }) => [
		...leaks.map(({ origin, where }) => `the key arrived at ${origin} in ${where}`),
		...executions.map(({ result }) => {
			const { stored, log, browserMessages, failed } = result;
			const texts = JSON.stringify([
				stored.resultData,
				log,
				browserMessages,
				failed,
				textsOf(result),
			]);
			return /SG_[0-9a-f]{8}/.test(texts) ? 'the key is in the execution' : undefined;
		}),
	],

	'Stop ends an execution at once': ({ executions }) =>
		executions.flatMap(({ stoppedAt, endedAt }) =>
			stoppedAt === undefined
				? []
				: [endedAt - stoppedAt > STOP_MS ? `it took ${endedAt - stoppedAt} ms` : undefined],
		),

	'no call starts after Stop': ({ executions }) =>
		executions.flatMap(({ stoppedAt, calls }) =>
			stoppedAt === undefined ? [] : [callAfter(stoppedAt, calls)],
		),

	// If the clock was set back, times prove nothing.
	'no call starts after the end of the execution': ({ executions, program: { setBack } }) =>
		executions
			.filter(({ stoppedAt }) => stoppedAt === undefined && !setBack)
			.map(({ calls, endedAt }) => callAfter(endedAt, calls)),

	'an execution ends in time': ({ executions, program }) =>
		executions.map(({ press, itemKeys, startedAt, endedAt, areFaultsOver }) => {
			const { timeoutSeconds, maxConcurrency } = program.options;
			const perItem = 3_000 * Math.max(timeoutSeconds, areFaultsOver ? 300 : 0) + 3_600_000;
			const most = press.tries * Math.ceil(itemKeys.length / maxConcurrency) * perItem;
			return endedAt - startedAt > most ? `it took ${endedAt - startedAt} ms` : undefined;
		}),

	'no rejection is left unhandled': ({ unhandled }) =>
		unhandled.length === 0
			? [undefined]
			: unhandled.map((reason) => String((reason as Error | undefined)?.stack ?? reason)),

	'each error is written by the package': ({ executions }) =>
		executions.flatMap(({ result, stoppedAt }) =>
			stoppedAt === undefined ? errorFaults(result) : [],
		),

	'each hint is readable': ({ executions }) =>
		executions.flatMap(({ result }) => hintFaults(result)),
};

function callAfter(time: number, calls: Execution['calls']): string | undefined {
	const late = calls.find(({ at }) => at > time);
	return late && `a ${late.kind} call started ${late.at - time} ms later`;
}

/** Returns the index of the input item that an output item is paired with, or -1. */
export function inputIndexOf({ pairedItem }: RunResult['items'][number]): number {
	return (pairedItem as IPairedItemData | undefined)?.item ?? -1;
}
