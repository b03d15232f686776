import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure } from '../shared/base/failure';
import { CAUSES } from '../shared/errors/errorTable';
import { badInput, failureOf } from '../shared/errors/failures';
import { INPUTS } from '../shared/errors/inputTable';
import { textIn } from '../shared/inputs/values';
import type { RequestRef } from '../shared/journal/entry';
import { isTransientFault } from './faults';
import {
	afterPoll,
	checkOrder,
	listState,
	readRequestList,
	type ListState,
	type RequestList,
} from './listState';
import { readOptions, readStates } from './parameters';
import { timeLeft, type PollSession } from './pollSession';
import { checkRequest, type EndedOutcome, type Outcome } from './requestCheck';
import { requestItem, type RequestPresentation } from './requestItem';
import type { Found, Watcher } from './watcher';

interface ListedOptions extends RequestPresentation {
	/** COMPLETED, FAILED. */
	states: string[];
	emitExpired: boolean;
}

/** A request and the outcome of its check. */
interface Checked {
	ref: RequestRef;
	outcome: Outcome;
	/** It needs no more checks. */
	isDone: boolean;
	item?: INodeExecutionData;
}

/** How many requests are checked, and their files fetched, at the same time. */
const AT_ONCE = 10;
/** After this many unclear checks in a row, the poll stops checking. */
const MOST_UNCLEAR_IN_A_ROW = 10;
/** Most requests in a sample. */
const SAMPLES = 5;

/** Request Finished, listed requests: the requests of the list that have ended, each once. */
export function listedRequestsWatcher(context: IPollFunctions): Watcher<ListState> {
	const options = readListedOptions(context);
	const readList = ({ client }: PollSession) =>
		readRequestList(context.getNodeParameter('requests', ''), client.urls.baseUrl);
	return {
		name: 'requests',
		state: listState,
		async find(session, kept) {
			return await newlyEnded(session, readList(session), kept, options);
		},
		async sample(session) {
			return await endedNow(session, readList(session), options);
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

async function newlyEnded(
	session: PollSession,
	list: RequestList,
	kept: ListState | undefined,
	options: ListedOptions,
): Promise<Found<ListState>> {
	// At activation the user can correct the list. Later a wrong entry must not delay the others.
	if (kept === undefined && list.bad.length > 0) throw unreadable(list.bad);
	const state: ListState = kept ?? { done: [], missing: [] };
	const ids = list.refs.map(({ request_id }) => request_id);
	const byId = new Map(list.refs.map((ref) => [ref.request_id, ref]));
	const order = checkOrder(ids, state).map((id) => byId.get(id) as RequestRef);
	const missing = new Set(state.missing);
	const { checked, last, refused } = await checkAll(session, order, options, missing);
	return {
		items: itemsOf(checked),
		state: afterPoll(ids, state, {
			ended: checked.filter(({ isDone }) => isDone).map(({ ref }) => ref.request_id),
			missing: [...missing],
			last,
		}),
		problem: problemOf(session, list, checked, refused),
	};
}

/**
 * Checks requests in order, several at the same time, and makes the items of those that have ended, until the deadline.
 * @param missing IDs that weren't found at their last check; adds those of this one
 * @param enough stops after this many items
 * @returns `last`: the ID of the last request up to which all were checked; `refused`: the service rejects every call, for example because of a wrong key
 */
async function checkAll(
	session: PollSession,
	refs: RequestRef[],
	options: ListedOptions,
	missing: Set<string>,
	enough = Infinity,
): Promise<{ checked: Checked[]; last?: string; refused?: SegmindFailure }> {
	const checked: Array<Checked | undefined> = refs.map(() => undefined);
	let next = 0;
	let consecutiveUnclear = 0;
	let made = 0;
	let refused: SegmindFailure | undefined;
	const worker = async () => {
		while (next < refs.length && timeLeft(session) > 0 && !refused && made < enough) {
			if (consecutiveUnclear >= MOST_UNCLEAR_IN_A_ROW) return;
			const at = next++;
			const ref = refs[at];
			const outcome = await checkRequest(session, ref).catch(unclear);
			if (outcome === undefined) return;
			consecutiveUnclear = outcome.kind === 'unclear' ? consecutiveUnclear + 1 : 0;
			if (outcome.kind === 'unclear' && concernsAll(outcome.problem)) refused ??= outcome.problem;
			const isDone = isEnd(outcome) && (outcome.kind !== 'expired' || missing.has(ref.request_id));
			if (outcome.kind === 'expired') missing.add(ref.request_id);
			else missing.delete(ref.request_id);
			checked[at] = { ref, outcome, isDone };
			if (!isDone || !isChosen(outcome, options)) continue;
			let item = await requestItem(session, ref, outcome, options);
			// A file that is too large for one poll must not block the others: the output has its URL.
			if (!item && at === 0)
				item = await requestItem(session, ref, outcome, { ...options, downloadOutput: false });
			// If there is no time for its files, the next poll delivers it.
			checked[at] = item && { ref, outcome, isDone, item };
			if (item) made++;
		}
	};
	await Promise.all(Array.from({ length: Math.min(AT_ONCE, refs.length) }, worker));
	for (const hint of session.hints) session.context.logger.warn(`Segmind Trigger: ${hint}`);
	const gap = checked.indexOf(undefined);
	const last = gap === -1 ? refs[refs.length - 1] : refs[gap - 1];
	return { checked: checked.flatMap((one) => one ?? []), last: last?.request_id, refused };
}

/** Undefined if the poll's deadline passed during the call. */
function unclear(error: unknown): Outcome | undefined {
	if (!(error instanceof SegmindFailure)) throw error;
	return error.facts.kind === 'stopped' ? undefined : { kind: 'unclear', problem: error };
}

/** A rejected key or the like: every other check would fail in the same way. */
function concernsAll(problem: SegmindFailure | undefined): boolean {
	return problem?.facts.fatal === true || problem?.facts.httpCode === 401;
}

function isEnd(outcome: Outcome): outcome is EndedOutcome {
	return outcome.kind !== 'running' && outcome.kind !== 'unclear';
}

function isChosen({ kind }: EndedOutcome, { states, emitExpired }: ListedOptions): boolean {
	if (kind === 'expired') return emitExpired;
	return states.includes(kind === 'finished' ? 'COMPLETED' : 'FAILED');
}

function itemsOf(checked: Checked[]): INodeExecutionData[] {
	return checked.flatMap(({ item }) => item ?? []);
}

/** The error to report if no request has ended; each single one is logged. */
function problemOf(
	session: PollSession,
	list: RequestList,
	checked: Checked[],
	refused: SegmindFailure | undefined,
): SegmindFailure | undefined {
	const problems = checked.flatMap(({ outcome }) =>
		outcome.kind === 'unclear' && outcome.problem ? [outcome.problem] : [],
	);
	for (const { facts } of problems)
		session.context.logger.warn(`Segmind Trigger: ${facts.message}`);
	if (refused) return refused;
	if (list.bad.length > 0) return unreadable(list.bad);
	const lasting = problems.find((problem) => !isTransientFault(problem));
	if (lasting) return lasting;
	// A single unclear request is checked again in its turn. If all are unclear, the poll has failed.
	const isAllUnclear =
		checked.length > 0 && checked.every(({ outcome }) => outcome.kind === 'unclear');
	return isAllUnclear ? (problems[0] ?? noneReported()) : undefined;
}

/** @throws SegmindFailure that says why there is no sample */
async function endedNow(
	session: PollSession,
	list: RequestList,
	options: ListedOptions,
): Promise<INodeExecutionData[]> {
	if (list.bad.length > 0) throw unreadable(list.bad);
	if (list.refs.length === 0) throw badInput(INPUTS.noRequests);
	const missing = new Set(list.refs.map(({ request_id }) => request_id));
	const all = { ...options, emitExpired: true };
	const { checked, refused } = await checkAll(session, list.refs, all, missing, SAMPLES);
	const items = itemsOf(checked).slice(0, SAMPLES);
	if (items.length > 0) return items;
	throw refused ?? noneEnded(list, checked[0]);
}

function noneEnded({ refs }: RequestList, first: Checked | undefined): SegmindFailure {
	const why = first ? findingOf(first) : 'none could be checked';
	return failureOf('missing', CAUSES.noneEnded, { count: refs.length, why });
}

function findingOf({ ref, outcome }: Checked): string {
	if (outcome.kind === 'unclear' && outcome.problem) return outcome.problem.facts.message;
	const status = outcome.kind === 'running' ? outcome.status : outcome.kind.toUpperCase();
	return `request ${ref.request_id} is ${status}`;
}

function unreadable(bad: string[]): SegmindFailure {
	const count = bad.length === 1 ? 'an entry' : `${bad.length} entries`;
	const found = bad.slice(0, 10).join('\n');
	return failureOf('badInput', CAUSES.unreadableList, { count, found });
}

function noneReported(): SegmindFailure {
	return failureOf('unreadable', CAUSES.noStatuses, {}, { transient: true });
}
