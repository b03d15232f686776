/**
 * The model that the rules use. It knows the inputs and the emulator's records: which requests were made, which responses were lost, and what
 * was charged. It doesn't know how the nodes work.
 */
import type { Call, JobView } from '../../../dev/emulator';
import type { FailedItem } from '../../helpers/runNode';
import { placeOf } from './commonRules';
import { isFailure } from '../failures';
import { START } from '../../helpers/virtualTime';
import { keyOf } from './inputs';
import { isCut, isUnchanged, hasOtherForm } from './faults';
import type { Execution, Played } from './played';
import { BODIES } from './program';

/** A history that shows a request later than this may miss it in a look-up, ms; in one that is cut short by the item's own time-out, the second. */
const SEEN_IN_TIME_MS = 20_000;
export const SETTLED_MS = 5_000;
/** A row of somebody else can be taken for ours when it was made so near to a call whose answer was lost, ms: dates have whole seconds. */
const NEAR_MS = 4_000;
/** The process remembers for an hour; the rules expect a little less. */
const REMEMBERED_MS = 55 * 60_000;
/** Pages of the history that are read, unless they come newest first. */
const MAX_PAGES = 30;

/** Requests that are interchangeable: asked for by equal items of one run of one node, in all its tries and retries. Calling a tool again is another run. */
export interface Group {
	name: string;
	key: string;
	/** How many items ask for it. */
	items: number;
	executions: Execution[];
	made: JobView[];
}

/** A failed item with what it asked for and what is known of its request. */
export interface Failed {
	execution: Execution;
	failed: FailedItem;
	job?: JobView;
	/** The requests it may be about; undefined where nothing is created. */
	group?: Group;
}

export function groupsOf({ program, executions, jobs }: Played): Group[] {
	const groups = new Map<string, Group>();
	for (const execution of executions.filter(({ operation }) => operation === 'run')) {
		const { thread, at, lineage, round, mode, asked, made } = execution;
		const inEditor = `editor of thread ${thread}${program.asTool ? `, press ${at}` : ''}`;
		const place = mode === 'manual' ? inEditor : `thread ${thread}.${lineage}`;
		const mine = jobs.filter(({ requestId }) => made.includes(requestId));
		for (const key of new Set([...asked, ...mine.map(({ input }) => keyOf(program, input))])) {
			const name = `${place}, round ${round}, '${key}'`;
			const group = groups.get(name) ?? { name, key, items: 0, executions: [], made: [] };
			group.items = Math.max(group.items, asked.filter((other) => other === key).length);
			group.executions.push(execution);
			group.made.push(...mine.filter(({ input }) => keyOf(program, input) === key));
			groups.set(name, group);
		}
	}
	return [...groups.values()];
}

/** Lost ones that ask for the same are interchangeable, whoever sent them: which was whose, nobody can tell. */
export function interchangeable(groups: Group[]): Group[][] {
	const lost = groups.filter((group) => lostOf(group).length > 0);
	const keys = [...new Set(lost.map(({ key }) => key))];
	return [
		...groups.filter((group) => !lost.includes(group)).map((group) => [group]),
		...keys.map((key) => lost.filter((group) => group.key === key)),
	];
}

export function failedOf(played: Played): Failed[] {
	const { executions, jobs } = played;
	const groups = groupsOf(played);
	return executions.flatMap((execution) =>
		execution.result.failed.map((failed) => ({
			execution,
			failed,
			job: jobs.find(({ requestId }) => requestId === failed.requestId),
			group: groups.find(
				(group) =>
					group.executions.includes(execution) && group.key === execution.asked[failed.item],
			),
		})),
	);
}

/** The good items that ask for `key`. */
function goodOf({ asked, result }: Pick<Execution, 'asked' | 'result'>, key?: string) {
	return [...result.items, ...result.errorItems].filter(
		(put) => !isFailure(put.json) && (key === undefined || asked[placeOf(put)] === key),
	);
}

/** Requests of the good items that ask for `key`. */
export function deliveredOf(
	execution: Pick<Execution, 'asked' | 'result'>,
	key?: string,
): string[] {
	return goodOf(execution, key).flatMap(({ json: { request_id: id } }) =>
		typeof id === 'string' && id !== '' ? [id] : [],
	);
}

/** Whether a successful item has no request ID: the service's response may have none. */
export function hasUnnamed({ executions, key }: Group): boolean {
	return executions.some((one) => goodOf(one, key).length > deliveredOf(one, key).length);
}

export function paidOf(groups: Group[]): JobView[] {
	return groups.flatMap(({ made }) => made.filter(({ state }) => state === 'COMPLETED'));
}

export function paidTooOften(played: Played, groups: Group[]): string | undefined {
	const sum = (count: (group: Group) => number) =>
		groups.reduce((total, group) => total + count(group), 0);
	const paid = paidOf(groups);
	const most =
		sum((group) => wantedPayments(played, group)) +
		sum((group) => excusedPayments(played, group)) +
		mistakableFor(played, groups[0].key);
	const names = groups.map(({ name }) => name).join(' and ');
	return paid.length > most
		? `${names}: paid ${paid.length} times for ${most}: ${paid.map(({ requestId }) => requestId).join(', ')}`
		: undefined;
}

/** How many may be paid for. In the editor each run of the step may, but for what an earlier one has paid and not delivered. */
function wantedPayments({ jobs, program }: Played, { executions, key, items }: Group): number {
	if (executions[0].mode !== 'manual') return items;
	const setBackAt = program.setBack ? START + program.setBack.atMs : Infinity;
	let allowed = 0;
	let undelivered = 0;
	let before = START;
	for (const { made, asked, result, stoppedAt, startedAt, endedAt } of executions) {
		// Our clock then stands still from the run before on, which seems to be at work.
		if (before <= setBackAt && setBackAt <= startedAt) undelivered = 0;
		before = endedAt;
		const asking = asked.filter((other) => other === key).length;
		const needed = Math.max(asking - undelivered, 0);
		const paid = jobs.filter(
			({ requestId, state, input }) =>
				made.includes(requestId) && state === 'COMPLETED' && input !== undefined,
		).length;
		allowed += needed;
		const good =
			result.error || stoppedAt !== undefined ? 0 : goodOf({ asked, result }, key).length;
		undelivered = Math.max(undelivered + Math.min(paid, needed) - good, 0);
	}
	return allowed;
}

/** How many charges beyond the wanted ones are allowed, by reason. */
export function excusedPayments(played: Played, group: Group): number {
	const { program } = played;
	const lost = lostOf(group);
	const mayBeMissed = !isHistoryTrue(played, group);
	// The times of v1 calls overlap: a row may have gone to an equal one.
	const isMixed = program.work === 'v1' && hasEqualLoss(played, group);
	const isUncertain = mayBeMissed || isMixed || played.elsewhere.size > 0 || program.areRowsBare;
	const reasons = {
		// The user has asked for it to be sent again when its outcome is unknown, and the history did not show it, or others that may be it.
		resubmitted:
			program.options.sendAgainIfUnsure && isUncertain
				? lost.length + unkeptCalls(group).length
				: 0,
		// The service does not charge for such an answer, and the history did not show the request.
		gateway: mayBeMissed
			? lost.filter(({ status }) => status !== undefined && status >= 400).length
			: 0,
		old: lastsLong(group) ? creatingCalls(group).length : 0,
	};
	return reasons.resubmitted + reasons.gateway + reasons.old;
}

/** v1 calls that were answered, perhaps after Stop, when nothing could be kept of the answer any more: only the history has what they made. */
export function unkeptCalls(group: Group): Call[] {
	return group.executions.flatMap((execution) =>
		creatingCalls({ ...group, executions: [execution] }).filter(
			(call) => isLeft(call, execution) && !isLost(call),
		),
	);
}

/** A v1 call that ends after Stop: only the history has its request. */
function isLeft({ kind }: Call, { stoppedAt }: Execution): boolean {
	return kind === 'v1' && stoppedAt !== undefined;
}

/** Asked in time, the history shows every request of ours, and it could be asked. */
function isHistoryTrue({ program }: Played, { executions }: Group): boolean {
	const { history = true, historyLateMs = 0, historyOfWorkflows = true } = program.service;
	const asked = executions.flatMap(({ calls }) => calls.filter(({ kind }) => kind === 'history'));
	const mayBeKeptWaiting =
		program.service.rateLimit != null || program.faults.some(({ what }) => what.startsWith('429'));
	const isCutShort = program.options.timeoutSeconds * 1_000 < SEEN_IN_TIME_MS;
	return (
		history &&
		(historyLateMs as number) <= (isCutShort ? SETTLED_MS : SEEN_IN_TIME_MS) &&
		(historyOfWorkflows || program.work !== 'workflow') &&
		program.outage?.origin !== 'api' &&
		asked.every(isClean) &&
		(asked.length > 0 || !mayBeKeptWaiting)
	);
}

/** Whether the history has more pages than the node reads. */
export function isTooLong({ program, jobs, elsewhere }: Played): boolean {
	return jobs.length + elsewhere.size > MAX_PAGES * (program.service.historyPageRows ?? 100);
}

/** A regular response, maybe late. */
export function isClean({ status, fault }: Call): boolean {
	return status === 200 && isUnchanged(fault);
}

/** A page of the history that came whole: it has no id of its own to be left out. */
export function isPage(call: Call): boolean {
	const { kind, path, fault, status } = call;
	const isWhole = isClean(call) || (fault === 'no id, accepted' && status === 200);
	return kind === 'history' && path.includes('?') && isWhole;
}

export function isCreating({ kind }: Call): boolean {
	return kind === 'submit' || kind === 'v1';
}

export function creatingCalls({ key, executions, made }: Group): Call[] {
	const ids = new Set(made.map(({ requestId }) => requestId));
	return executions.flatMap(({ calls }) =>
		calls.filter(
			(call) => isCreating(call) && (ids.has(call.requestId ?? '') || hasPrompt(call, key)),
		),
	);
}

/** True for a call whose body asks for what `key` does, as far as the prompt tells. */
export function hasPrompt({ body }: Call, key: string): boolean {
	return (body as { prompt?: string } | undefined)?.prompt === key.split('|')[0];
}

/** The response, or its information about the request, didn't arrive. */
export function isLost({ kind, fault, status, requestId }: Call): boolean {
	if (status === undefined) return true;
	// The service's own refusal, when it arrives whole: a gateway says no other 4xx.
	const isRefusal = status >= 400 && status < 500 && status !== 408 && status !== 499;
	if (isRefusal) return isCut(fault);
	// A refusal told as a success is no answer, nor is the failure of a v1 request.
	const isTold = hasOtherForm(fault) && kind === 'submit' && requestId !== undefined;
	return fault !== undefined && status !== 503 && !isTold;
}

export function lostOf(group: Group): Call[] {
	return creatingCalls(group).filter(isLost);
}

/** Another item sent an equal request, and its response was lost too. */
export function hasEqualLoss(played: Played, { name, key }: Group): boolean {
	return groupsOf(played).some(
		(other) => other.name !== name && other.key === key && lostOf(other).length > 0,
	);
}

/** Whether the group lasts longer than the process remembers. */
function lastsLong({ executions }: Group): boolean {
	return executions[executions.length - 1].endedAt - executions[0].startedAt > REMEMBERED_MS;
}

/** Requests of others that can be taken for ours: then one of ours is nobody's. */
export function mistakableFor(played: Played, key: string): number {
	return [...played.elsewhere.values()].filter(
		({ body, at }) => keyOf(played.program, BODIES[body]) === key && isMistakable(played, at),
	).length;
}

/** Somebody else's request, made while the answer to one of ours was being lost; rows that do not say what was asked for are never taken. */
export function isMistakable({ program, executions }: Played, at: number): boolean {
	const skewMs = program.setBack ? Infinity : NEAR_MS;
	const isNear = (call: Call) => call.at - skewMs <= at && at <= call.at + 70_000 + skewMs;
	const isNearLoss = (execution: Execution) =>
		execution.calls
			.filter(isCreating)
			.some((call) => (isLost(call) || isLeft(call, execution)) && isNear(call));
	return !program.areRowsBare && executions.some(isNearLoss);
}
