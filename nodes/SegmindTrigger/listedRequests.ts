import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';
import { CAUSES } from '../shared/errors/errorTable';
import { badInput, failureOf } from '../shared/errors/failures';
import { INPUTS } from '../shared/errors/inputTable';
import { textIn } from '../shared/inputs/values';
import type { RequestRef } from '../shared/journal/entry';
import { isTransientFault } from './faults';
import {
	stateAfterPoll,
	idsToCheck,
	listState,
	readRequestList,
	type ListState,
	type RequestList,
} from './listState';
import { readOptions, readStates } from './parameters';
import { timeLeft, type PollSession } from './pollSession';
import { checkRequest, type EndedOutcome, type Outcome } from './requestCheck';
import { requestItem, type RequestPresentation } from './requestItem';
import type { WatchOutcome, Watcher } from './watcher';

interface ListedOptions extends RequestPresentation {
	/** The statuses that start the workflow: COMPLETED, FAILED. */
	states: string[];
	emitExpired: boolean;
}

/** A request and the outcome of its check. */
interface CheckedRequest {
	ref: RequestRef;
	outcome: Outcome;
	/** Whether the request needs no more checks. */
	isDone: boolean;
	item?: INodeExecutionData;
}

/** At most this many requests are checked, and have their files fetched, at the same time. */
const MAX_PARALLEL = 10;
/** After this many unclear checks in a row, the poll stops checking. */
const MAX_CONSECUTIVE_UNCLEAR = 10;
/** The maximum number of items in a sample. */
const MAX_SAMPLES = 5;

/** Returns the watcher for Request Finished with Listed Requests: emits each request of the list once, when it has ended. */
export function listedRequestsWatcher(context: IPollFunctions): Watcher<ListState> {
	const options = readListedOptions(context);
	const readList = ({ client }: PollSession) =>
		readRequestList(context.getNodeParameter('requests', ''), client.urls.baseUrl);
	return {
		name: 'requests',
		state: listState,
		async find(session, storedState) {
			return await findNewlyEnded(session, readList(session), storedState, options);
		},
		async sample(session) {
			return await findEnded(session, readList(session), options);
		},
	};
}

function readListedOptions(context: IPollFunctions): ListedOptions {
	const states = readStates(context);
	const { downloadOutput, outputField, emitExpired } = readOptions(context);
	return {
		states,
		simplify: context.getNodeParameter('simplify', true) !== false,
		downloadOutput: downloadOutput === true,
		outputField: textIn(outputField) || 'data',
		emitExpired: emitExpired === true,
	};
}

async function findNewlyEnded(
	session: PollSession,
	list: RequestList,
	storedState: ListState | undefined,
	options: ListedOptions,
): Promise<WatchOutcome<ListState>> {
	// At activation, a wrong entry is an error, because the user can correct it. Later it must not delay the other entries.
	if (storedState === undefined && list.entryErrors.length > 0)
		throw unreadableListFailure(list.entryErrors);
	const state: ListState = storedState ?? { done: [], missing: [] };
	const ids = list.refs.map(({ request_id }) => request_id);
	const byId = new Map(list.refs.map((ref) => [ref.request_id, ref]));
	const order = idsToCheck(ids, state).map((id) => byId.get(id) as RequestRef);
	const missing = new Set(state.missing);
	const { checked, last, rejection } = await checkAll(session, order, options, missing);
	return {
		items: itemsOf(checked),
		state: stateAfterPoll(ids, state, {
			ended: checked.filter(({ isDone }) => isDone).map(({ ref }) => ref.request_id),
			missing: [...missing],
			last,
		}),
		problem: problemOf(session, list, checked, rejection),
	};
}

/**
 * Checks requests in order, several at the same time, and makes the items of those that have ended, until the deadline.
 * @param missing IDs that weren't found at their last check; this function updates the set
 * @param maxItems stops after this many items
 * @returns `last`: the ID of the last request up to which all were checked; `rejection`: the service rejects every call, for example because of a wrong key
 */
async function checkAll(
	session: PollSession,
	refs: RequestRef[],
	options: ListedOptions,
	missing: Set<string>,
	maxItems = Infinity,
): Promise<{ checked: CheckedRequest[]; last?: string; rejection?: SegmindFailure }> {
	const checked: Array<CheckedRequest | undefined> = refs.map(() => undefined);
	let next = 0;
	let consecutiveUnclear = 0;
	let itemCount = 0;
	let rejection: SegmindFailure | undefined;
	const worker = async () => {
		while (next < refs.length && timeLeft(session) > 0 && !rejection && itemCount < maxItems) {
			if (consecutiveUnclear >= MAX_CONSECUTIVE_UNCLEAR) return;
			const at = next++;
			const ref = refs[at];
			const outcome = await checkRequest(session, ref).catch(unclearOutcome);
			if (outcome === undefined) return;
			consecutiveUnclear = outcome.kind === 'unclear' ? consecutiveUnclear + 1 : 0;
			if (outcome.kind === 'unclear' && affectsAllChecks(outcome.problem))
				rejection ??= outcome.problem;
			const isDone =
				hasEnded(outcome) && (outcome.kind !== 'expired' || missing.has(ref.request_id));
			if (outcome.kind === 'expired') missing.add(ref.request_id);
			else missing.delete(ref.request_id);
			checked[at] = { ref, outcome, isDone };
			if (!isDone || !isChosen(outcome, options)) continue;
			let item = await requestItem(session, ref, outcome, options);
			// A file that is too large for one poll must not block the others: the output has its URL.
			if (!item && at === 0)
				item = await requestItem(session, ref, outcome, { ...options, downloadOutput: false });
			// If there was no time for the request's files, the next poll emits it.
			checked[at] = item && { ref, outcome, isDone, item };
			if (item) itemCount++;
		}
	};
	await Promise.all(Array.from({ length: Math.min(MAX_PARALLEL, refs.length) }, worker));
	for (const hint of session.hints) session.context.logger.warn(`Segmind Trigger: ${hint}`);
	const firstUnchecked = checked.indexOf(undefined);
	const last = firstUnchecked === -1 ? refs[refs.length - 1] : refs[firstUnchecked - 1];
	return { checked: checked.flatMap((one) => one ?? []), last: last?.request_id, rejection };
}

/** Returns the outcome of a check that failed; undefined if the poll's deadline passed during the call. */
function unclearOutcome(error: unknown): Outcome | undefined {
	if (!(error instanceof SegmindFailure)) throw error;
	return error.facts.kind === 'stopped' ? undefined : { kind: 'unclear', problem: error };
}

/** Whether every other check would fail in the same way, for example because of a wrong key. */
function affectsAllChecks(problem: SegmindFailure | undefined): boolean {
	return problem?.facts.fatal === true || problem?.facts.httpCode === 401;
}

function hasEnded(outcome: Outcome): outcome is EndedOutcome {
	return outcome.kind !== 'running' && outcome.kind !== 'unclear';
}

function isChosen({ kind }: EndedOutcome, { states, emitExpired }: ListedOptions): boolean {
	if (kind === 'expired') return emitExpired;
	return states.includes(kind === 'finished' ? 'COMPLETED' : 'FAILED');
}

function itemsOf(checked: CheckedRequest[]): INodeExecutionData[] {
	return checked.flatMap(({ item }) => item ?? []);
}

/** Returns the error to report if no request has ended. Logs the error of each single request. */
function problemOf(
	session: PollSession,
	list: RequestList,
	checked: CheckedRequest[],
	rejection: SegmindFailure | undefined,
): SegmindFailure | undefined {
	const problems = checked.flatMap(({ outcome }) =>
		outcome.kind === 'unclear' && outcome.problem ? [outcome.problem] : [],
	);
	for (const { facts } of problems)
		session.context.logger.warn(`Segmind Trigger: ${facts.message}`);
	if (rejection) return rejection;
	if (list.entryErrors.length > 0) return unreadableListFailure(list.entryErrors);
	const lastingProblem = problems.find((problem) => !isTransientFault(problem));
	if (lastingProblem) return lastingProblem;
	// A single unclear request is checked again by a later poll. If all requests are unclear, the poll has failed.
	const isAllUnclear =
		checked.length > 0 && checked.every(({ outcome }) => outcome.kind === 'unclear');
	return isAllUnclear ? (problems[0] ?? noneReportedFailure()) : undefined;
}

/** Returns sample items of requests that have ended. @throws SegmindFailure that says why there is no sample */
async function findEnded(
	session: PollSession,
	list: RequestList,
	options: ListedOptions,
): Promise<INodeExecutionData[]> {
	if (list.entryErrors.length > 0) throw unreadableListFailure(list.entryErrors);
	if (list.refs.length === 0)
		throw badInput(INPUTS.empty, {
			label: 'Requests',
			todo: 'Enter request IDs, URLs that Segmind returned, or the output items of requests that were sent with Wait for Completion off.',
		});
	const missing = new Set(list.refs.map(({ request_id }) => request_id));
	const all = { ...options, emitExpired: true };
	const { checked, rejection } = await checkAll(session, list.refs, all, missing, MAX_SAMPLES);
	const items = itemsOf(checked).slice(0, MAX_SAMPLES);
	if (items.length > 0) return items;
	throw rejection ?? noneEndedFailure(list, checked[0]);
}

function noneEndedFailure(
	{ refs }: RequestList,
	first: CheckedRequest | undefined,
): SegmindFailure {
	const why = first ? findingOf(first) : 'none could be checked';
	return failureOf('missing', CAUSES.noneEnded, { count: refs.length, why });
}

function findingOf({ ref, outcome }: CheckedRequest): string {
	if (outcome.kind === 'unclear' && outcome.problem) return outcome.problem.facts.message;
	const status = outcome.kind === 'running' ? outcome.status : outcome.kind.toUpperCase();
	return `request ${ref.request_id} is ${status}`;
}

function unreadableListFailure(entryErrors: string[]): SegmindFailure {
	const count = entryErrors.length === 1 ? 'an entry' : `${entryErrors.length} entries`;
	const found = entryErrors.slice(0, 10).join('\n');
	return failureOf('badInput', CAUSES.unreadableList, { count, found });
}

function noneReportedFailure(): SegmindFailure {
	return failureOf('unreadable', CAUSES.noStatuses, {}, { transient: true });
}
