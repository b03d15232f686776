/** The parts of the rules that read outputs, errors, hints and the log. */
import type { FailureKind } from '../../../nodes/shared/base/failure';
import type { Call, JobView } from '../../../dev/emulator';
import type { FailedItem } from '../../helpers/runNode';
import { textsOf } from '../failures';
import { keyOf } from './inputs';
import { isInvented, mayInvent } from './faults';
import {
	creatingCalls,
	deliveredOf,
	excusedCharges,
	groupsOf,
	hasIdenticalLostCall,
	hasPrompt,
	hasItemWithoutId,
	interchangeableGroups,
	isCreating,
	isLost,
	isHistoryTooLong,
	lostCalls,
	countMistakable,
	type ItemFailure,
	type Group,
} from './model';
import type { Execution, Played } from './played';

/** Failures that may remain when a retry runs without faults. */
const LASTING_FAILURES: readonly FailureKind[] = ['missing', 'foreignOrigin', 'outputLost'];

/** Returns all outputs, errors, hints and log lines. */
export function reportedText({ log, executions }: Played): string {
	return JSON.stringify([
		log,
		executions.map(({ result }) => [
			result.items,
			result.errorItems,
			result.failed,
			textsOf(result),
			result.hints,
		]),
	]);
}

/** Whether the node couldn't learn the ID. The item then reports that its request may have been accepted. */
export function mayBeUnreported(played: Played, group: Group, requestId: string): boolean {
	const { program } = played;
	const call = creatingCalls(group).find((other) => other.requestId === requestId);
	// A failed request is free. The response to a v1 call that failed has no ID, and a lost response might have been a rejection.
	const hasFailed = group.jobs.some(
		(job) =>
			job.requestId === requestId &&
			job.state === 'FAILED' &&
			(job.via === 'v1' || (call !== undefined && isLost(call))),
	);
	if (hasFailed) return true;
	if (call && !isLost(call)) return false;
	return (
		group.executions.some(({ result, itemKeys }) =>
			result.failed.some(
				({ item, outcomeUnknown }) => outcomeUnknown && itemKeys[item] === group.key,
			),
		) ||
		group.executions.some(({ stoppedAt }) => stoppedAt !== undefined) ||
		excusedCharges(played, group) > 0 ||
		countMistakable(played, group.key) > 0 ||
		// An invented response was taken for the output.
		(program.work === 'v1' && mayInvent(program.faults))
	);
}

/** If an item is reported as free, checks that none of its undelivered requests was charged, in this attempt or an earlier one. */
export function chargedThoughFree(
	played: Played,
	{ execution, failed, group }: ItemFailure,
): Array<string | undefined> {
	const { program, jobs, executions } = played;
	if (failed.charge !== 'none' || !group || group.itemCount > 1) return [];
	// If resending was allowed, the report is about the last attempt. Identical requests are interchangeable.
	const isShared = interchangeableGroups(groupsOf(played)).some(
		(groups) => groups.length > 1 && groups.some(({ name }) => name === group.name),
	);
	if (isShared || hasItemWithoutId(group)) return [];
	if (excusedCharges(played, group) > 0 || countMistakable(played, group.key) > 0) return [];
	const before = group.executions.filter(({ startedAt }) => startedAt <= execution.endedAt);
	const createdIds = before.flatMap((other) => other.createdIds);
	const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
	const isReportedByAnotherThread = (requestId: string) =>
		executions.some(
			({ threadIndex, result }) =>
				threadIndex !== execution.threadIndex &&
				result.failed.some((one) => one.requestId === requestId),
		);
	const charged = jobs.find(
		({ requestId, state, input }) =>
			state === 'COMPLETED' &&
			keyOf(program, input) === group.key &&
			createdIds.includes(requestId) &&
			!delivered.has(requestId) &&
			!isReportedByAnotherThread(requestId),
	);
	return [charged && `${charged.requestId} was charged: ${failed.message} | ${failed.description}`];
}

/** After the last execution without faults, each request whose response was lost must have been found: reported, or at least looked up by its ID. */
export function missedRequests(played: Played): Array<string | undefined> {
	const { executions, program } = played;
	const reported = reportedText(played);
	const lookedUp = new Set(
		executions.flatMap(({ calls }) =>
			calls.filter((call) => !isCreating(call)).map(({ requestId }) => requestId),
		),
	);
	// The history of another credential proves nothing, so such a retry fails without a search.
	const changesCredential = program.threads.some(({ presses }) =>
		presses.some(({ otherCredential }) => otherCredential),
	);
	if (changesCredential || program.setBack || isHistoryTooLong(played)) return [];
	const mustFind = (group: Group) =>
		group.executions.some(({ areFaultsOver, isLast }) => areFaultsOver && isLast) &&
		excusedCharges(played, group) === 0 &&
		countMistakable(played, group.key) === 0;
	const isFound = (group: Group, { requestId, state }: JobView) =>
		reported.includes(requestId) ||
		lookedUp.has(requestId) ||
		// A failed request is free. Its row may belong to an identical call that was rejected, and rows of lost calls take precedence over it.
		(state === 'FAILED' && (hasRejection(group) || hasIdenticalLostCall(played, group)));
	return interchangeableGroups(groupsOf(played)).flatMap((groups) => {
		const found = groups.filter(mustFind).flatMap((group) =>
			lostCalls(group)
				.filter((call) => !isTakenForOutput(call))
				.flatMap((call) => group.jobs.filter(({ requestId }) => requestId === call.requestId))
				.map((job) =>
					isFound(group, job)
						? undefined
						: `${group.name}: ${job.requestId} (${job.state}) is in the history, but wasn't found`,
				),
		);
		// A missed request may belong to an identical call of a group that doesn't search for it any more.
		const maxMissed = groups.filter((group) => !mustFind(group)).flatMap(lostCalls).length;
		const missed = found.filter((fault) => fault !== undefined);
		return missed.length > maxMissed ? found : found.map(() => undefined);
	});
}

/** Whether an invented response to a v1 call became its output. */
function isTakenForOutput({ kind, fault }: Call): boolean {
	return kind === 'v1' && isInvented(fault);
}

/** Whether the service itself rejected an identical request. */
function hasRejection({ executions, key }: Group): boolean {
	return executions.some(({ calls }) =>
		calls.some((call) => isCreating(call) && (call.status ?? 0) >= 400 && hasPrompt(call, key)),
	);
}

/** Describes a failure that remains without faults and has no good reason. */
export function unexplainedFailure(
	played: Played,
	{ operation, endedAt }: Execution,
	failed: FailedItem,
): string | undefined {
	const { kind, search, outcomeUnknown, message, description, requestId } = failed;
	const mayLast =
		outcomeUnknown ||
		LASTING_FAILURES.includes(kind) ||
		// Only a generation can be resent, and only if no response has said that it completed.
		(kind === 'requestFailed' &&
			(operation === 'getResult' || mayInvent(played.program.faults, ['status', 'result'])));
	if (!mayLast) return `still failing: ${message} | ${description}`;
	const job = played.jobs.find((other) => other.requestId === requestId);
	const { clockAheadMs = 0 } = played.program.service;
	const isFinished =
		job?.state === 'COMPLETED' && (job.finishedAt as number) - clockAheadMs <= endedAt;
	if (kind === 'missing' && isFinished) return `the request is in the history: ${message}`;
	return search === 'outOfReach' && !isHistoryTooLong(played)
		? `the history can be read: ${message} | ${description}`
		: undefined;
}
