/** What the judge knows of a program: what its items asked for, what the service created and charged for them, and what their errors say. */
import type { Call, JobView } from '../../../dev/emulator';
import type { FailedItem, RunResult } from '../../helpers/runNode';
import { isFailure } from '../failures';
import { inputIndexOf, keyOf } from './inputs';
import type { Execution, Played } from './played';

/** The process remembers requests for an hour, as the service does. The judge expects a little less. */
export const REMEMBERED_MS = 55 * 60_000;

/** All items of a program with one key. Their requests are interchangeable: nobody can tell whose row of the history is whose. */
export interface EqualItems {
	key: string;
	executions: Execution[];
	/** Calls that may have created requests for them. */
	calls: SubmittingCall[];
	/** Requests for them that were charged. */
	charged: JobView[];
}

export interface SubmittingCall extends Call {
	/** Whether its execution was stopped, so that its response may have arrived too late. */
	isStopped: boolean;
}

export function equalItemsOf({ executions, jobs }: Played): EqualItems[] {
	const calls = executions.flatMap((execution) => submittingCalls(execution));
	const keyOfCall = ({ body }: Call) => keyOf((body ?? {}) as Record<string, unknown>);
	return [...new Set(executions.flatMap(({ itemKeys }) => itemKeys))].map((key) => ({
		key,
		executions: executions.filter(({ itemKeys }) => itemKeys.includes(key)),
		calls: calls.filter((call) => keyOfCall(call) === key),
		charged: jobs.filter(({ state, input }) => state === 'COMPLETED' && keyOf(input) === key),
	}));
}

function submittingCalls({ calls, stoppedAt }: Execution): SubmittingCall[] {
	return calls
		.filter(({ kind }) => kind === 'submit' || kind === 'v1')
		.map((call) => ({ ...call, isStopped: stoppedAt !== undefined }));
}

/** Whether the node may not know what became of the call. */
export function isDisturbed({ fault, status, isStopped }: SubmittingCall): boolean {
	return fault !== undefined || status !== 200 || isStopped;
}

/**
 * Counts how often equal items may be charged: once for each delivered one, and once for each that the last run of its line left. A line is all that
 * n8n, or the memory of the process, connects: the retries of an execution, or the runs of a step in the editor.
 */
export function dueCharges(
	{ program: { asTool } }: Played,
	{ key, executions }: EqualItems,
): number {
	let due = 0;
	const lines = new Map<string, { left: number; since: number }>();
	for (const execution of executions) {
		const { threadIndex, pressIndex, lineage, round, mode, press, itemKeys, startedAt } = execution;
		const isManual = mode === 'manual';
		// An agent's next call is a new request.
		const name = `${threadIndex}.${lineage}.${round}.${isManual && asTool ? pressIndex : ''}`;
		const line = lines.get(name) ?? { left: 0, since: startedAt };
		const isFromMemory = isManual || press.from === 'first';
		if (isFromMemory && startedAt - line.since > REMEMBERED_MS) {
			due += line.left;
			line.since = startedAt;
		}
		const delivered = hasFailed(execution) ? 0 : deliveredItems(execution, key).length;
		due += delivered;
		line.left = itemKeys.filter((other) => other === key).length - delivered;
		lines.set(name, line);
	}
	return [...lines.values()].reduce((sum, { left }) => sum + left, due);
}

function hasFailed({ result, stoppedAt }: Execution): boolean {
	return result.error !== undefined || stoppedAt !== undefined;
}

/** Returns the items that succeeded, all or those with this key. */
export function deliveredItems(
	{ itemKeys, result }: Pick<Execution, 'itemKeys' | 'result'>,
	key?: string,
): RunResult['items'] {
	return [...result.items, ...result.errorItems].filter(
		(item) => !isFailure(item.json) && (key === undefined || itemKeys[inputIndexOf(item)] === key),
	);
}

/** Returns the failed items with this key whose errors say that a request may have been accepted. */
export function openFailures({ key, executions }: EqualItems): FailedItem[] {
	return executions.flatMap(({ itemKeys, result }) =>
		result.failed.filter((failed) => itemKeys[failed.item] === key && saysMaybe(failed)),
	);
}

export function saysMaybe({ outcomeUnknown, charge }: FailedItem): boolean {
	return outcomeUnknown === true || charge === 'unknown' || charge === 'perhaps';
}
