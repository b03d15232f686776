import type { IPairedItemData } from 'n8n-workflow';

import type { Call, JobView, Leak } from '../../dev/emulator';
import type { RunResult } from '../helpers/runNode';
import { errorFaults, hintFaults, textsOf } from './failures';
import type { Rule } from './ledger';

/** What the rules of every campaign look at. Times in ms since the epoch. */
interface Seen {
	executions: Array<{
		result: RunResult;
		/** How many items came in. */
		items: number;
		endedAt: number;
		/** When Stop was pressed, if it was in time. */
		stoppedAt?: number;
		calls: Call[];
	}>;
	/** As they are hours later; none where what was answered about them is not true. */
	jobs: JobView[];
	leaks: Leak[];
	unhandled: unknown[];
	/** Times do not tell: the clock was set back. */
	isClockMoved?: boolean;
}

/** Stop must end an execution within this long, ms. */
const STOP_MS = 500;

/** What must hold whatever a campaign is about. */
export function commonRules<Played>(see: (played: Played) => Seen): Record<string, Rule<Played>> {
	const rules: Record<string, Rule<Seen>> = {
		'outputs are paired and in order': ({ executions }) =>
			executions
				.filter(({ result, stoppedAt }) => !result.error && stoppedAt === undefined)
				.map(({ result, items }) => {
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

		'what comes out as completed has completed': ({ executions, isClockMoved, jobs }) =>
			executions.flatMap(({ result, endedAt }) =>
				[...result.items, ...result.errorItems].flatMap(({ json: { status, request_id } }) => {
					const job = jobs.find(({ requestId }) => requestId === request_id);
					if (status !== 'COMPLETED' || !job) return [];
					const isTrue =
						job.state === 'COMPLETED' && (isClockMoved || (job.finishedAt as number) <= endedAt);
					return [isTrue ? undefined : `request ${job.requestId} was not at that time`];
				}),
			),

		'the key goes only to its origins': ({ leaks, executions }) => [
			...leaks.map(({ origin, where }) => `it arrived at ${origin} in ${where}`),
			...executions.map(({ result }) => {
				const { stored, log, told, failed } = result;
				const texts = JSON.stringify([stored.resultData, log, told, failed, textsOf(result)]);
				return /SG_[0-9a-f]{8}/.test(texts) ? 'it stands in the execution' : undefined;
			}),
		],

		'Stop ends an execution at once': ({ executions, isClockMoved }) =>
			executions.flatMap(({ stoppedAt, endedAt }) =>
				stoppedAt === undefined || isClockMoved
					? []
					: [endedAt - stoppedAt > STOP_MS ? `it took ${endedAt - stoppedAt} ms` : undefined],
			),

		'no call is begun after Stop': ({ executions, isClockMoved }) =>
			executions.flatMap(({ stoppedAt = Infinity, calls }) => {
				const late = calls.find(({ at }) => at > stoppedAt);
				if (stoppedAt === Infinity || isClockMoved) return [];
				return [late && `${late.kind} was called ${late.at - stoppedAt} ms after it`];
			}),

		'nothing goes on after the end': ({ executions, isClockMoved }) =>
			executions.flatMap(({ stoppedAt, calls, endedAt }) => {
				const late = calls.find(({ at }) => at > endedAt);
				if (stoppedAt !== undefined || isClockMoved) return [];
				return [late && `${late.kind} was called ${late.at - endedAt} ms after it`];
			}),

		'no rejection is left unhandled': ({ unhandled }) =>
			unhandled.length === 0
				? [undefined]
				: unhandled.map((reason) => String((reason as Error | undefined)?.stack ?? reason)),

		'errors are ours': ({ executions }) =>
			executions.flatMap(({ result, stoppedAt }) =>
				stoppedAt === undefined ? errorFaults(result) : [],
			),

		'hints are ours': ({ executions }) => executions.flatMap(({ result }) => hintFaults(result)),
	};
	return Object.fromEntries(
		Object.entries(rules).map(([name, rule]) => [name, (played: Played) => rule(see(played))]),
	);
}

/** The input item that an output item came from. */
export function placeOf({ pairedItem }: RunResult['items'][number]): number {
	return (pairedItem as IPairedItemData | undefined)?.item ?? -1;
}
