import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { SegmindFailure, badInput } from '../../shared/base/failure';
import type { RequestRef } from '../../shared/journal/lifecycle';
import { readOptions, readStates } from '../parameters';
import { isTransientFault } from '../pollFaults';
import { timeLeft, type PollSession } from '../pollSession';
import type { Found, Watcher } from '../watcher';
import { checkRequests } from './checkRequests';
import { afterPoll, checkOrder, listState, type ListState } from './listState';
import { hasEnded, type Checked, type Outcome } from './requestCheck';
import { requestItems, type Presentation } from './requestItems';
import { readRequestList, type RequestList } from './requestList';

interface ListedOptions extends Presentation {
	/** COMPLETED, FAILED. */
	states: string[];
	emitExpired: boolean;
}

/** Share of a poll's time for status checks, where files are to be downloaded after them. */
const CHECKING_SHARE = 0.5;
/** Most requests in a sample. */
const SAMPLES = 5;

/** Request Finished, listed requests: those on the list that have ended, each once. */
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
		outputField: String(outputField ?? '').trim() || 'data',
		emitExpired: emitExpired === true,
	};
}

async function newlyEnded(
	session: PollSession,
	list: RequestList,
	kept: ListState | undefined,
	options: ListedOptions,
): Promise<Found<ListState>> {
	// At activation the user is there to correct the list; later a bad entry must not hold up the good ones.
	if (kept === undefined && list.bad.length > 0) throw unreadable(list.bad);
	const state = kept ?? { done: [] };
	const ids = list.refs.map(({ request_id }) => request_id);
	const byId = new Map(list.refs.map((ref) => [ref.request_id, ref]));
	const turn = checkOrder(ids, state).map((id) => byId.get(id) as RequestRef);
	const share = options.downloadOutput ? CHECKING_SHARE : 1;
	const { checked, refused } = await checkRequests(session, turn, timeLeft(session) * share);
	const { items, postponed } = await requestItems(
		session,
		checked.filter(({ outcome }) => isChosen(outcome, options)),
		options,
	);

	const settled = checked.filter(({ ref }) => !postponed.has(ref.request_id));
	const ended = settled.filter(({ outcome }) => hasEnded(outcome));
	// What was postponed comes first at the next poll: the cursor stops before it.
	const firstPostponed = checked.findIndex(({ ref }) => postponed.has(ref.request_id));
	const last = firstPostponed >= 0 ? checked[firstPostponed - 1] : checked[checked.length - 1];
	return {
		items,
		state: afterPoll(
			ids,
			state,
			ended.map(({ ref }) => ref.request_id),
			last?.ref.request_id,
		),
		problem: problemOf(session, list, checked, refused),
	};
}

/** The failure to report when no request has ended; every single one is logged. */
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
	// One unclear request among others is checked again in its turn; when all are, the poll has failed.
	const isAllUnclear =
		checked.length > 0 && checked.every(({ outcome }) => outcome.kind === 'unclear');
	return isAllUnclear ? (problems[0] ?? noneReported()) : undefined;
}

/** @throws SegmindFailure that says why there is none */
async function endedNow(
	session: PollSession,
	list: RequestList,
	options: ListedOptions,
): Promise<INodeExecutionData[]> {
	if (list.bad.length > 0) throw unreadable(list.bad);
	if (list.refs.length === 0) throw emptyList();
	const time = timeLeft(session) * CHECKING_SHARE;
	const { checked, refused } = await checkRequests(session, list.refs, time, SAMPLES);
	const chosen = checked.filter(({ outcome }) =>
		isChosen(outcome, { ...options, emitExpired: true }),
	);
	const { items } = await requestItems(session, chosen.slice(0, SAMPLES), options);
	if (items.length > 0) return items;
	throw refused ?? noneEnded(list, checked[0]);
}

function isChosen({ kind }: Outcome, { states, emitExpired }: ListedOptions): boolean {
	return kind === 'expired' ? emitExpired : states.includes(kind.toUpperCase());
}

function noneEnded({ refs }: RequestList, first: Checked | undefined): SegmindFailure {
	const what = first === undefined ? 'none could be checked' : findingOf(first);
	return new SegmindFailure({
		message: `None of the ${refs.length} listed requests has finished with a chosen state yet: ${what}`,
		description:
			'Fetch the test event again when one has finished, or list a request that already has.',
	});
}

function findingOf({ ref, outcome }: Checked): string {
	const { request_id: id } = ref;
	if (outcome.kind === 'running') return `request ${id} is ${outcome.status}`;
	if (outcome.kind === 'unclear')
		return outcome.problem?.facts.message ?? `the service gave no status for request ${id}`;
	return `request ${id} ended as ${outcome.kind.toUpperCase()}`;
}

function emptyList(): SegmindFailure {
	return badInput(
		'The list of requests is empty',
		'Fill in Requests: request IDs, returned URLs, or outputs of Submit.',
	);
}

function unreadable(bad: string[]): SegmindFailure {
	return new SegmindFailure({
		message: `The list of requests has ${bad.length === 1 ? 'an entry' : `${bad.length} entries`} that cannot be read`,
		description: bad.slice(0, 10).join('\n'),
	});
}

function noneReported(): SegmindFailure {
	return new SegmindFailure({
		message: 'Segmind returned no status for any of the listed requests',
		description:
			'It may be out of reach: the next poll asks again. If that goes on, see https://status.segmind.com.',
		transient: true,
	});
}
