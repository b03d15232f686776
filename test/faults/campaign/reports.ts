/** What the rules read in outputs, errors, hints and the log. */
import type { FailureKind } from '../../../nodes/shared/base/failure';
import type { Call, JobView } from '../../../dev/emulator';
import type { FailedItem } from '../../helpers/runNode';
import { textsOf } from '../failures';
import { keyOf } from './inputs';
import { isInvented, isInventing } from './faults';
import {
	creatingCalls,
	deliveredOf,
	excusedPayments,
	groupsOf,
	hasEqualLoss,
	hasPrompt,
	hasUnnamed,
	interchangeable,
	isCreating,
	isLost,
	isTooLong,
	lostOf,
	mistakableFor,
	type Failed,
	type Group,
} from './model';
import type { Execution, Played } from './played';

/** Failures that may remain in a retry without faults. */
const LASTING: readonly FailureKind[] = ['missing', 'foreignOrigin', 'outputLost'];
/** All outputs, errors, hints and log lines. */
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

/** An id that nobody could learn; then the item says that it may have been accepted. */
export function mayBeUnreported(played: Played, group: Group, requestId: string): boolean {
	const { program } = played;
	const call = creatingCalls(group).find((other) => other.requestId === requestId);
	// One that failed costs nothing; a v1 call then tells no id, and a lost one cannot be told from a refused one.
	const hasFailed = group.made.some(
		(job) =>
			job.requestId === requestId &&
			job.state === 'FAILED' &&
			(job.via === 'v1' || (call !== undefined && isLost(call))),
	);
	if (hasFailed) return true;
	if (call && !isLost(call)) return false;
	return (
		group.executions.some(({ result, asked }) =>
			result.failed.some(({ item, outcomeUnknown }) => outcomeUnknown && asked[item] === group.key),
		) ||
		group.executions.some(({ stoppedAt }) => stoppedAt !== undefined) ||
		excusedPayments(played, group) > 0 ||
		mistakableFor(played, group.key) > 0 ||
		// What answered in its place was taken for the output.
		(program.work === 'v1' && isInventing(program.faults))
	);
}

/** Nothing of an item that is said to have cost nothing was paid, by this try or one before, and not delivered. */
export function chargedThoughFree(
	played: Played,
	{ execution, failed, group }: Failed,
): Array<string | undefined> {
	const { program, jobs, executions } = played;
	if (failed.charge !== 'none' || !group || group.items > 1) return [];
	// Sent again as is allowed, it is about the last try; equal ones are interchangeable.
	const isShared = interchangeable(groupsOf(played)).some(
		(groups) => groups.length > 1 && groups.some(({ name }) => name === group.name),
	);
	if (isShared || hasUnnamed(group)) return [];
	if (excusedPayments(played, group) > 0 || mistakableFor(played, group.key) > 0) return [];
	const before = group.executions.filter(({ startedAt }) => startedAt <= execution.endedAt);
	const made = before.flatMap((other) => other.made);
	const delivered = new Set(executions.flatMap((other) => deliveredOf(other)));
	const isOfAnother = (requestId: string) =>
		executions.some(
			({ thread, result }) =>
				thread !== execution.thread && result.failed.some((one) => one.requestId === requestId),
		);
	const paid = jobs.find(
		({ requestId, state, input }) =>
			state === 'COMPLETED' &&
			keyOf(program, input) === group.key &&
			made.includes(requestId) &&
			!delivered.has(requestId) &&
			!isOfAnother(requestId),
	);
	return [paid && `${paid.requestId} was paid: ${failed.message} | ${failed.description}`];
}

/** The last execution of the group in good weather has found each request of the group whose answer was lost: it gave it, named it or asked for it. */
export function missedRequests(played: Played): Array<string | undefined> {
	const { executions, program } = played;
	const told = reportedText(played);
	const asks = new Set(
		executions.flatMap(({ calls }) =>
			calls.filter((call) => !isCreating(call)).map(({ requestId }) => requestId),
		),
	);
	// The history of another credential proves nothing: such a retry is refused without a search.
	const changesCredential = program.threads.some(({ presses }) =>
		presses.some(({ otherCredential }) => otherCredential),
	);
	if (changesCredential || program.setBack || isTooLong(played)) return [];
	const mustFind = (group: Group) =>
		group.executions.some(({ isCalm, isLast }) => isCalm && isLast) &&
		excusedPayments(played, group) === 0 &&
		mistakableFor(played, group.key) === 0;
	const isFound = (group: Group, { requestId, state }: JobView) =>
		told.includes(requestId) ||
		asks.has(requestId) ||
		// One that failed cost nothing. Its row may be that of an equal call which was refused, and stands back behind that of one which was lost.
		(state === 'FAILED' && (hasRefused(group) || hasEqualLoss(played, group)));
	return interchangeable(groupsOf(played)).flatMap((groups) => {
		const found = groups.filter(mustFind).flatMap((group) =>
			lostOf(group)
				.filter((call) => !isTakenForOutput(call))
				.flatMap((call) => group.made.filter(({ requestId }) => requestId === call.requestId))
				.map((job) =>
					isFound(group, job)
						? undefined
						: `${group.name}: ${job.requestId} (${job.state}) is in the history, and was not`,
				),
		);
		// Of equal ones it may be that of somebody who does not ask for it any more.
		const others = groups.filter((group) => !mustFind(group)).flatMap(lostOf).length;
		const missed = found.filter((fault) => fault !== undefined);
		return missed.length > others ? found : found.map(() => undefined);
	});
}

/** Whether an invented response to a v1 call became its output. */
function isTakenForOutput({ kind, fault }: Call): boolean {
	return kind === 'v1' && isInvented(fault);
}

/** The service said in its own words that it did not take a request for the same. */
function hasRefused({ executions, key }: Group): boolean {
	return executions.some(({ calls }) =>
		calls.some((call) => isCreating(call) && (call.status ?? 0) >= 400 && hasPrompt(call, key)),
	);
}

/** A failure that remains without faults, unless it must remain and says so. */
export function unexplainedFailure(
	played: Played,
	{ operation, endedAt }: Execution,
	failed: FailedItem,
): string | undefined {
	const { kind, search, outcomeUnknown, message, description, requestId } = failed;
	const mayLast =
		outcomeUnknown ||
		LASTING.includes(kind) ||
		// Only a generation can be submitted again, and only while nothing has said that it completed.
		(kind === 'requestFailed' &&
			(operation === 'getResult' || isInventing(played.program.faults, ['status', 'result'])));
	if (!mayLast) return `still failing: ${message} | ${description}`;
	const job = played.jobs.find((other) => other.requestId === requestId);
	const { clockAheadMs = 0 } = played.program.service;
	const isFinished =
		job?.state === 'COMPLETED' && (job.finishedAt as number) - clockAheadMs <= endedAt;
	if (kind === 'missing' && isFinished) return `it is in the history: ${message}`;
	return search === 'outOfReach' && !isTooLong(played)
		? `the history is there: ${message} | ${description}`
		: undefined;
}
