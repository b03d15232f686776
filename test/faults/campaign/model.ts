/**
 * The model that the rules use. It knows the inputs and the emulator's records: which requests were created, which responses were lost, and what
 * was charged. It doesn't know how the nodes work.
 */
import type { Call, JobView } from '../../../dev/emulator';
import type { FailedItem } from '../../helpers/runNode';
import { inputIndexOf } from './commonRules';
import { isFailure } from '../failures';
import { START } from '../../helpers/virtualTime';
import { keyOf } from './inputs';
import { isCut, isUnchanged, hasOtherForm } from './faults';
import type { Execution, Played } from './played';
import { BODIES } from './program';

/** If a request appears in the history later than this, a search may miss it. A search that the item's timeout cuts short has only SETTLED_MS. */
const SEEN_IN_TIME_MS = 20_000;
export const SETTLED_MS = 5_000;
/** How close in time somebody else's request must be to a lost call to be mistaken for it. Dates in the history are in whole seconds. */
const NEAR_MS = 4_000;
/** The process remembers requests for an hour. The rules expect a little less. */
const REMEMBERED_MS = 55 * 60_000;
/** How many pages of the history the node reads if the newest rows don't come first. */
const MAX_PAGES = 30;

/** Requests that are interchangeable: sent for equal items of one run of a node, in all its attempts. Another call of a tool is another run. */
export interface Group {
	name: string;
	key: string;
	/** How many items have this key. */
	itemCount: number;
	executions: Execution[];
	jobs: JobView[];
}

/** A failed item, with its request and its group. */
export interface ItemFailure {
	execution: Execution;
	failed: FailedItem;
	job?: JobView;
	/** The requests that it may be about. Undefined if the operation creates none. */
	group?: Group;
}

export function groupsOf({ program, executions, jobs }: Played): Group[] {
	const groups = new Map<string, Group>();
	for (const execution of executions.filter(({ operation }) => operation === 'run')) {
		const { threadIndex, pressIndex, lineage, round, mode, itemKeys, createdIds } = execution;
		const inEditor = `editor of thread ${threadIndex}${program.asTool ? `, press ${pressIndex}` : ''}`;
		const place = mode === 'manual' ? inEditor : `thread ${threadIndex}.${lineage}`;
		const createdJobs = jobs.filter(({ requestId }) => createdIds.includes(requestId));
		for (const key of new Set([
			...itemKeys,
			...createdJobs.map(({ input }) => keyOf(program, input)),
		])) {
			const name = `${place}, round ${round}, '${key}'`;
			const group = groups.get(name) ?? { name, key, itemCount: 0, executions: [], jobs: [] };
			group.itemCount = Math.max(group.itemCount, itemKeys.filter((other) => other === key).length);
			group.executions.push(execution);
			group.jobs.push(...createdJobs.filter(({ input }) => keyOf(program, input) === key));
			groups.set(name, group);
		}
	}
	return [...groups.values()];
}

/** Puts groups with lost calls and the same key together: nobody can tell whose request is whose. */
export function interchangeableGroups(groups: Group[]): Group[][] {
	const lost = groups.filter((group) => lostCalls(group).length > 0);
	const keys = [...new Set(lost.map(({ key }) => key))];
	return [
		...groups.filter((group) => !lost.includes(group)).map((group) => [group]),
		...keys.map((key) => lost.filter((group) => group.key === key)),
	];
}

export function failuresOf(played: Played): ItemFailure[] {
	const { executions, jobs } = played;
	const groups = groupsOf(played);
	return executions.flatMap((execution) =>
		execution.result.failed.map((failed) => ({
			execution,
			failed,
			job: jobs.find(({ requestId }) => requestId === failed.requestId),
			group: groups.find(
				(group) =>
					group.executions.includes(execution) && group.key === execution.itemKeys[failed.item],
			),
		})),
	);
}

/** Returns the items with this key that succeeded. */
function succeededItems(
	{ itemKeys, result }: Pick<Execution, 'itemKeys' | 'result'>,
	key?: string,
) {
	return [...result.items, ...result.errorItems].filter(
		(item) => !isFailure(item.json) && (key === undefined || itemKeys[inputIndexOf(item)] === key),
	);
}

/** Returns the request IDs of the items with this key that succeeded. */
export function deliveredOf(
	execution: Pick<Execution, 'itemKeys' | 'result'>,
	key?: string,
): string[] {
	return succeededItems(execution, key).flatMap(({ json: { request_id: id } }) =>
		typeof id === 'string' && id !== '' ? [id] : [],
	);
}

/** Whether a successful item has no request ID: the service's response may have none. */
export function hasItemWithoutId({ executions, key }: Group): boolean {
	return executions.some((one) => succeededItems(one, key).length > deliveredOf(one, key).length);
}

export function chargedJobs(groups: Group[]): JobView[] {
	return groups.flatMap(({ jobs }) => jobs.filter(({ state }) => state === 'COMPLETED'));
}

export function overcharge(played: Played, groups: Group[]): string | undefined {
	const sum = (count: (group: Group) => number) =>
		groups.reduce((total, group) => total + count(group), 0);
	const charged = chargedJobs(groups);
	const allowed =
		sum((group) => expectedCharges(played, group)) +
		sum((group) => excusedCharges(played, group)) +
		countMistakable(played, groups[0].key);
	const names = groups.map(({ name }) => name).join(' and ');
	return charged.length > allowed
		? `${names}: charged ${charged.length} times instead of ${allowed}: ${charged.map(({ requestId }) => requestId).join(', ')}`
		: undefined;
}

/** Counts the charges that the items need. In the editor, each run of a step needs new ones, except for requests left undelivered before. */
function expectedCharges({ jobs, program }: Played, { executions, key, itemCount }: Group): number {
	if (executions[0].mode !== 'manual') return itemCount;
	const setBackAt = program.setBack ? START + program.setBack.atMs : Infinity;
	let allowed = 0;
	let undelivered = 0;
	let previousEndedAt = START;
	for (const { createdIds, itemKeys, result, stoppedAt, startedAt, endedAt } of executions) {
		// The package's clock then loses the time since the run before, which still seems to be under way.
		if (previousEndedAt <= setBackAt && setBackAt <= startedAt) undelivered = 0;
		previousEndedAt = endedAt;
		const requested = itemKeys.filter((other) => other === key).length;
		const needed = Math.max(requested - undelivered, 0);
		const charged = jobs.filter(
			({ requestId, state, input }) =>
				createdIds.includes(requestId) && state === 'COMPLETED' && input !== undefined,
		).length;
		allowed += needed;
		const delivered =
			result.error || stoppedAt !== undefined
				? 0
				: succeededItems({ itemKeys, result }, key).length;
		undelivered = Math.max(undelivered + Math.min(charged, needed) - delivered, 0);
	}
	return allowed;
}

/** Counts the additional charges that are allowed. */
export function excusedCharges(played: Played, group: Group): number {
	const { program } = played;
	const lost = lostCalls(group);
	const mayBeMissed = !isHistoryReliable(played, group);
	// v1 calls overlap in time, so another identical call may have adopted the row.
	const isMixed = program.work === 'v1' && hasIdenticalLostCall(played, group);
	const isUncertain =
		mayBeMissed || isMixed || played.otherRequests.size > 0 || program.areRowsBare;
	const reasons = {
		// Send Again If Unsure is on, and the history doesn't show which request is the item's.
		resent:
			program.options.sendAgainIfUnsure && isUncertain
				? lost.length + callsWithoutEntry(group).length
				: 0,
		// The service doesn't charge when a gateway responds, and the history might not show the request.
		gateway: mayBeMissed
			? lost.filter(({ status }) => status !== undefined && status >= 400).length
			: 0,
		forgotten: outlastsMemory(group) ? creatingCalls(group).length : 0,
	};
	return reasons.resent + reasons.gateway + reasons.forgotten;
}

/** Returns the v1 calls of stopped executions. Their responses may have arrived too late to be stored, so only the history shows their requests. */
export function callsWithoutEntry(group: Group): Call[] {
	return group.executions.flatMap((execution) =>
		creatingCalls({ ...group, executions: [execution] }).filter(
			(call) => mayEndAfterStop(call, execution) && !isLost(call),
		),
	);
}

/** Whether the response to a v1 call may arrive after Stop. Only the history then shows its request. */
function mayEndAfterStop({ kind }: Call, { stoppedAt }: Execution): boolean {
	return kind === 'v1' && stoppedAt !== undefined;
}

/** Whether the history could be read, and showed every request of the group in time. */
function isHistoryReliable({ program }: Played, { executions }: Group): boolean {
	const { history = true, historyLateMs = 0 } = program.service;
	const searches = executions.flatMap(({ calls }) =>
		calls.filter(({ kind }) => kind === 'history'),
	);
	const mayBeRateLimited =
		program.service.rateLimit != null || program.faults.some(({ what }) => what.startsWith('429'));
	const isSearchCutShort = program.options.timeoutSeconds * 1_000 < SEEN_IN_TIME_MS;
	return (
		history &&
		(historyLateMs as number) <= (isSearchCutShort ? SETTLED_MS : SEEN_IN_TIME_MS) &&
		program.outage?.origin !== 'api' &&
		searches.every(isRegular) &&
		(searches.length > 0 || !mayBeRateLimited)
	);
}

/** Whether the history has more pages than the node reads. */
export function isHistoryTooLong({ program, jobs, otherRequests }: Played): boolean {
	return jobs.length + otherRequests.size > MAX_PAGES * (program.service.historyPageRows ?? 100);
}

/** Whether the response is a regular one, though maybe late. */
export function isRegular({ status, fault }: Call): boolean {
	return status === 200 && isUnchanged(fault);
}

/** Whether the call read a complete page of the history. A page has no ID that a fault could remove. */
export function isPage(call: Call): boolean {
	const { kind, path, fault, status } = call;
	const isComplete = isRegular(call) || (fault === 'no ID, accepted' && status === 200);
	return kind === 'history' && path.includes('?') && isComplete;
}

export function isCreating({ kind }: Call): boolean {
	return kind === 'submit' || kind === 'v1';
}

export function creatingCalls({ key, executions, jobs }: Group): Call[] {
	const ids = new Set(jobs.map(({ requestId }) => requestId));
	return executions.flatMap(({ calls }) =>
		calls.filter(
			(call) => isCreating(call) && (ids.has(call.requestId ?? '') || hasPrompt(call, key)),
		),
	);
}

/** Whether the body of the call has the prompt of `key`. */
export function hasPrompt({ body }: Call, key: string): boolean {
	return (body as { prompt?: string } | undefined)?.prompt === key.split('|')[0];
}

/** Whether the response, or its information about the request, didn't arrive. */
export function isLost({ kind, fault, status, requestId }: Call): boolean {
	if (status === undefined) return true;
	// A gateway returns a 408 or 499. Any other 4xx is the service's own rejection, unless it is cut.
	const isRejection = status >= 400 && status < 500 && status !== 408 && status !== 499;
	if (isRejection) return isCut(fault);
	// Under a rewritten status, a rejection doesn't count as a response, and neither does a failed v1 request.
	const isAcceptance = hasOtherForm(fault) && kind === 'submit' && requestId !== undefined;
	return fault !== undefined && status !== 503 && !isAcceptance;
}

export function lostCalls(group: Group): Call[] {
	return creatingCalls(group).filter(isLost);
}

/** Whether another group with the same key has a lost call too. */
export function hasIdenticalLostCall(played: Played, { name, key }: Group): boolean {
	return groupsOf(played).some(
		(other) => other.name !== name && other.key === key && lostCalls(other).length > 0,
	);
}

/** Whether the group lasts longer than the process remembers requests. */
function outlastsMemory({ executions }: Group): boolean {
	return executions[executions.length - 1].endedAt - executions[0].startedAt > REMEMBERED_MS;
}

/** Counts the requests of others that an item with this key can take for its own, so that its real request is left over. */
export function countMistakable(played: Played, key: string): number {
	return [...played.otherRequests.values()].filter(
		({ body, at }) => keyOf(played.program, BODIES[body]) === key && isMistakable(played, at),
	).length;
}

/** Whether somebody else's request was created around the time of a lost call. Rows without a request body are never adopted. */
export function isMistakable({ program, executions }: Played, at: number): boolean {
	const toleranceMs = program.setBack ? Infinity : NEAR_MS;
	const isNear = (call: Call) =>
		call.at - toleranceMs <= at && at <= call.at + 70_000 + toleranceMs;
	const isNearLoss = (execution: Execution) =>
		execution.calls
			.filter(isCreating)
			.some((call) => (isLost(call) || mayEndAfterStop(call, execution)) && isNear(call));
	return !program.areRowsBare && executions.some(isNearLoss);
}
