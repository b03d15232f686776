/**
 * Judges a program by the emulator's records, and by what the person sees: items, errors and hints. It doesn't know how the nodes work, only what is
 * promised.
 */
import type { JobView } from '../../../dev/emulator';
import type { FailureKind } from '../../../nodes/shared/base/failure';
import { errorFaults, textsOf } from '../failures';
import type { Rule } from '../ledger';
import {
	deliveredItems,
	dueCharges,
	equalItemsOf,
	isDisturbed,
	openFailures,
	REMEMBERED_MS,
	saysMaybe,
	type EqualItems,
	type SubmittingCall,
} from './equalItems';
import { chargeFaults, forgottenCharges, statusFaults } from './factsOfErrors';
import { inputIndexOf, keyOf } from './inputs';
import type { Execution, Played } from './played';
import { BODIES } from './program';

/** How close in time another person's equal request must be to a lost call to be mistaken for it. Times in the history are in whole seconds. */
const NEAR_MS = 4_000;
const SUBMIT_TIMEOUT_MS = 70_000;
/** Failures that may remain when a retry runs without faults, because nothing can be found out any more. */
const LASTING: FailureKind[] = ['missing', 'outputLost', 'contradicted'];

export const RULES: Record<string, Rule<Played>> = {
	'each item is charged once, or is told': (played) =>
		equalItemsOf(played)
			.filter(({ charged }) => charged.length > 0)
			.map((equal) => overcharge(played, equal)),

	'no item has the result of another': (played) => [
		...played.executions.flatMap((execution) => foreignResults(played, execution)),
		...sharedRequests(played),
	],

	'whatever was charged is in an item or an error': (played) =>
		equalItemsOf(played)
			.filter(({ charged }) => charged.length > 0)
			.map((equal) => droppedRequests(played, equal)),

	'the key goes only to its origins': ({ leaks, executions }) => [
		...leaks.map(({ origin, where }) => `the key arrived at ${origin} in ${where}`),
		...executions.map(({ result }) => {
			const { stored, log, browserMessages, failed } = result;
			const texts = JSON.stringify([stored.resultData, log, browserMessages, failed]);
			return /SG_[0-9a-f]{8}/.test(texts + JSON.stringify(textsOf(result)))
				? 'the key is in the execution'
				: undefined;
		}),
	],

	'a run ends in time': ({ executions, program: { options } }) =>
		executions.map(({ press, itemKeys, startedAt, endedAt }) => {
			const most = press.tries * itemKeys.length * (options.timeoutSeconds * 3_000 + 4_500_000);
			return endedAt - startedAt > most ? `it took ${endedAt - startedAt} ms` : undefined;
		}),

	'an error is right about the charge of its request': chargeFaults,

	'an error has the true status of its request': statusFaults,

	'what completed stays completed in later errors': forgottenCharges,

	'each error is written by the package': ({ executions }) =>
		executions.flatMap(({ result, stoppedAt }) =>
			stoppedAt === undefined ? errorFaults(result) : [],
		),

	'succeeds on retry when no fault is injected, or may have been accepted': ({ executions }) =>
		executions
			.filter(({ isFinish }) => isFinish)
			.flatMap(({ result: { failed } }) => [
				undefined,
				...failed
					.filter((one) => !saysMaybe(one) && one.kind && !LASTING.includes(one.kind))
					.map(({ message, description }) => `still failing: ${message} | ${description}`),
			]),
};

function overcharge(played: Played, equal: EqualItems): string | undefined {
	const { key, executions, charged } = equal;
	const due = dueCharges(played, equal);
	const excess = charged.length - due;
	if (excess <= 0) return undefined;
	const ids = charged.map(({ requestId }) => requestId).join(', ');
	const what = `'${key}' was charged ${charged.length} times instead of ${due} (${ids})`;
	if (excess > equal.calls.filter((call) => mayBeResent(played, equal, call)).length) return what;
	// n8n shows only the last attempt of Retry On Fail.
	const hasHiddenAttempts = executions.some(({ press }) => press.tries > 1);
	const failed = executions.flatMap(({ result }) => result.failed);
	const isNamed = charged.some((job) => failed.some((one) => one.requestId === job.requestId));
	const isTold = hasHiddenAttempts || isNamed || toldCount(equal) > 0;
	return isTold ? undefined : `${what}, and nothing says so`;
}

/**
 * Whether the promises let a later attempt send the request of this call again: with Send Again If Unsure, or after an error of a gateway, which is free
 * by the published rule (docs/service.md S40), if the history was asked before. With that option, also a request that has expired.
 */
function mayBeResent({ program }: Played, equal: EqualItems, call: SubmittingCall): boolean {
	const { sendAgainIfUnsure } = program.options;
	const hasExpired = equal.executions.some(({ startedAt }) => startedAt - call.at > REMEMBERED_MS);
	if (!isDisturbed(call) && !(sendAgainIfUnsure && hasExpired)) return false;
	const isSearched = equal.executions.some(({ calls }) =>
		calls.some(({ kind, at }) => kind === 'history' && at >= call.at),
	);
	return sendAgainIfUnsure || ((call.status ?? 0) >= 400 && isSearched);
}

/** Counts the errors and hints that say that another request may have been accepted. */
function toldCount(equal: EqualItems): number {
	const hints = equal.executions.flatMap(({ result }) => result.hints);
	const resent = hints
		.filter((hint) => hint.includes('was resent'))
		.map((hint) => /^Items? ([\d, ]+):/.exec(hint)?.[1].split(',').length ?? 0);
	return resent.reduce((sum, count) => sum + count, openFailures(equal).length);
}

/** Returns the charged requests that nobody can find out about. */
function droppedRequests(played: Played, equal: EqualItems): string | undefined {
	const { otherRequests } = played;
	const { key, executions, calls, charged } = equal;
	const reported = reportedText(played);
	const unreported = charged.filter(({ requestId }) => !reported.includes(requestId));
	const callOf = (job: JobView) => calls.find(({ requestId }) => requestId === job.requestId);
	const known = unreported.filter((job) => {
		const call = callOf(job);
		return call === undefined || !isDisturbed(call);
	});
	const describe = (jobs: JobView[]) =>
		`requests for '${key}' are in no item or error: ${jobs.map(({ requestId }) => requestId).join(', ')}`;
	if (known.length > 0) return describe(known);
	const itemsWithoutId = executions
		.flatMap((execution) => deliveredItems(execution, key))
		.filter(({ json }) => typeof json.request_id !== 'string' || json.request_id === '');
	// An item that took an equal request of somebody else left its own.
	const adopted = [...otherRequests.keys()].filter((id) => reported.includes(id));
	const hidden = calls.filter(
		(call) =>
			call.isStopped ||
			(mayBeResent(played, equal, call) && executions.some(({ press }) => press.tries > 1)),
	);
	const most = toldCount(equal) + itemsWithoutId.length + adopted.length + hidden.length;
	return unreported.length > most ? describe(unreported) : undefined;
}

/** Returns all items and errors. Stop discards both, so then the log counts. */
function reportedText({ executions }: Played): string {
	return JSON.stringify(
		executions.map(({ result, stoppedAt }) => [
			result.items,
			result.errorItems,
			result.failed,
			textsOf(result),
			stoppedAt === undefined ? [] : result.log,
		]),
	);
}

/** Checks that each request that an item names, in its output or its error, is for the item's input. */
function foreignResults(played: Played, execution: Execution): Array<string | undefined> {
	const { itemKeys, result } = execution;
	const delivered = deliveredItems(execution).map((output) => ({
		item: inputIndexOf(output),
		id: output.json.request_id,
	}));
	const failed = result.failed.map(({ item, requestId }) => ({ item, id: requestId }));
	return [...delivered, ...failed].flatMap(({ item, id }) =>
		typeof id === 'string' && id !== '' ? [foreignRequest(played, id, itemKeys[item])] : [],
	);
}

function foreignRequest(played: Played, id: string, key: string): string | undefined {
	const { jobs, otherRequests } = played;
	const other = otherRequests.get(id);
	const input: Record<string, unknown> | undefined = other
		? BODIES[other.body]
		: jobs.find(({ requestId }) => requestId === id)?.input;
	if (!input) return `'${key}' has an unknown request ${id}`;
	const found = keyOf(input);
	if (found !== key) return `'${key}' has request ${id} for '${found}'`;
	return !other || isMistakable(played, other.at) ? undefined : `'${key}' has ${id} of others`;
}

/** Whether another person's equal request was made around the time of a lost call: then nobody can tell whose it is. */
function isMistakable(played: Played, at: number): boolean {
	return equalItemsOf(played).some(({ calls }) =>
		calls.some(
			(call) =>
				isDisturbed(call) && call.at - NEAR_MS <= at && at <= call.at + SUBMIT_TIMEOUT_MS + NEAR_MS,
		),
	);
}

/** Checks that no two items return the same request: in one run, in two executions, or in two runs of a step in the editor. */
function sharedRequests({ executions }: Played): Array<string | undefined> {
	const deliveredIn = new Map<string, string>();
	return executions.flatMap((execution) => {
		const { threadIndex, lineage, round, pressIndex, mode } = execution;
		const press = mode === 'manual' ? `, press ${pressIndex}` : '';
		const place = `thread ${threadIndex}.${lineage}, round ${round}${press}`;
		const ids = deliveredItems(execution)
			.map(({ json }) => json.request_id)
			.filter((id): id is string => typeof id === 'string' && id !== '');
		return ids.map((id, index) => {
			const before = ids.indexOf(id) === index ? (deliveredIn.get(id) ?? place) : 'the same run';
			deliveredIn.set(id, place);
			return before === place ? undefined : `${id} was delivered in ${place} and in ${before}`;
		});
	});
}
