import type { IPairedItemData } from 'n8n-workflow';

import type { RunResult } from '../../helpers/runNode';
import { errorFaults, hintFaults, textsOf } from '../failures';
import type { Rule } from '../ledger';
import { isInventing } from './faults';
import type { Execution, Played } from './played';

/** Stop must end an execution within this time. */
const STOP_MS = 500;

/** Rules for any execution. */
export const COMMON_RULES: Record<string, Rule<Played>> = {
	'outputs are paired and in order': ({ executions }) =>
		executions
			.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
			.map(({ result, asked: { length: items } }) => {
				const outputs = [result.items, result.errorItems].map((put) => put.map(placeOf));
				const all = outputs.flat().sort((one, other) => one - other);
				const isInOrder = outputs.every((put) =>
					put.every((at, index) => index === 0 || at > put[index - 1]),
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
				if (status !== 'COMPLETED' || !job || isInventing(program.faults)) return [];
				const { state, finishedAt = 0 } = job;
				// The service's clock may be ahead.
				const finished = (finishedAt ?? 0) - (program.service.clockAheadMs ?? 0);
				const isTrue = state === 'COMPLETED' && (program.setBack || finished <= endedAt);
				return [isTrue ? undefined : `request ${job.requestId} was not at that time`];
			}),
		),

	'the key goes only to its origins': ({ leaks, executions }) => [
		...leaks.map(({ origin, where }) => `it arrived at ${origin} in ${where}`),
		...executions.map(({ result }) => {
			const { stored, log, browserMessages: told, failed } = result;
			const texts = JSON.stringify([stored.resultData, log, told, failed, textsOf(result)]);
			return /SG_[0-9a-f]{8}/.test(texts) ? 'it is in the execution' : undefined;
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

	// Times prove nothing if the clock was set back.
	'no call starts after the end of the execution': ({ executions, program: { setBack } }) =>
		executions
			.filter(({ stoppedAt }) => stoppedAt === undefined && !setBack)
			.map(({ calls, endedAt }) => callAfter(endedAt, calls)),

	'an execution ends in time': ({ executions, program }) =>
		executions.map(({ press, asked, startedAt, endedAt, isCalm }) => {
			const { timeoutSeconds, maxConcurrency } = program.options;
			const perItem = 3_000 * Math.max(timeoutSeconds, isCalm ? 300 : 0) + 3_600_000;
			const most = press.tries * Math.ceil(asked.length / maxConcurrency) * perItem;
			return endedAt - startedAt > most ? `it took ${endedAt - startedAt} ms` : undefined;
		}),

	'no rejection is left unhandled': ({ unhandled }) =>
		unhandled.length === 0
			? [undefined]
			: unhandled.map((reason) => String((reason as Error | undefined)?.stack ?? reason)),

	'each error is one of the package': ({ executions }) =>
		executions.flatMap(({ result, stoppedAt }) =>
			stoppedAt === undefined ? errorFaults(result) : [],
		),

	'each hint is one of the package': ({ executions }) =>
		executions.flatMap(({ result }) => hintFaults(result)),
};

function callAfter(then: number, calls: Execution['calls']): string | undefined {
	const late = calls.find(({ at }) => at > then);
	return late && `${late.kind} was called ${late.at - then} ms after it`;
}

/** The input item that an output item came from. */
export function placeOf({ pairedItem }: RunResult['items'][number]): number {
	return (pairedItem as IPairedItemData | undefined)?.item ?? -1;
}
