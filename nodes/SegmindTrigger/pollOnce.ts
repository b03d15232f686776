import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { digest, stableJson } from '../shared/base/hash';
import { textIn } from '../shared/parameters/values';
import { isObject } from '../shared/service/schemas';
import { balanceWatcher } from './lowBalance';
import { isTransientFault, nodeError } from './faults';
import { fineTuneJobsWatcher } from './fineTuneJobs';
import { listedRequestsWatcher } from './listedRequests';
import { withPollRun, type PollRun } from './pollRun';
import { requestHistoryWatcher } from './requestHistory';
import type { Watcher } from './watcher';

/** Of transient faults in a row, every fifth becomes a failed execution. */
const SHOWN_FAULTS = 5;
/** The static data of the polls under way. n8n passes the same object to every poll of an active workflow. */
const pollsUnderWay = new WeakSet<IDataObject>();
/** Number of polls in a row with a transient fault, by workflow and node. In memory, because n8n doesn't save static data after a failed poll (docs/n8n.md N220). */
const consecutiveFaults = new Map<string, number>();
/**
 * States of polls that started nothing, by workflow and node. On n8n's durable scheduler, the next poll gets only what was saved (docs/n8n.md N226).
 * `grewFrom`: the digest of the saved state and the node's parameters, from which it follows.
 */
const unsavedStates = new Map<string, { grewFrom: string; state: IDataObject }>();
const MAX_UNSAVED_STATES = 1_000;

/**
 * Makes one poll, or gets the items for "Fetch Test Event".
 * @returns null if nothing starts the workflow
 * @throws NodeApiError or NodeOperationError, which n8n shows as a failed execution
 */
export async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const getItems = context.getMode() === 'manual' ? sampleItems : pollAlone;
	try {
		const items = await getItems(context);
		return items.length > 0 ? [items] : null;
	} catch (error) {
		throw nodeError(context.getNode(), error);
	}
}

async function sampleItems(context: IPollFunctions): Promise<INodeExecutionData[]> {
	return await withPollRun(context, async (run) => await chosenWatcher(context).sample(run));
}

/** Polls, unless a poll is under way: polls may overlap, and overlapping polls would find the same events. */
async function pollAlone(context: IPollFunctions): Promise<INodeExecutionData[]> {
	const data = context.getWorkflowStaticData('node');
	if (pollsUnderWay.has(data)) return [];
	pollsUnderWay.add(data);
	const key = keyOf(context);
	const consecutive = (consecutiveFaults.get(key) ?? 0) + 1;
	consecutiveFaults.delete(key);
	return await withPollRun(context, async (run) => await findNew(run, data))
		.catch((error: unknown) => {
			// Without a record of what exists, a later poll can't know what is new, so a first poll has to succeed.
			if (data.segmind === undefined || !isTransientFault(error)) throw error;
			consecutiveFaults.set(key, consecutive);
			if (consecutive % SHOWN_FAULTS === 0) throw error;
			context.logger.debug(`Segmind Trigger: left to the next poll (${error.message})`);
			return [];
		})
		.finally(() => pollsUnderWay.delete(data));
}

function keyOf(context: IPollFunctions): string {
	return `${context.getWorkflow().id}:${context.getNode().id}`;
}

/**
 * Restores the watcher's state, lets the watcher find what is new, and stores the new state. The state is written once, when the watcher is done, even
 * if its problem fails the poll. n8n saves it if the poll emits, and after the first poll; otherwise it stays in memory (docs/n8n.md N220, N226).
 */
async function findNew(run: PollRun, data: IDataObject): Promise<INodeExecutionData[]> {
	const watcher = chosenWatcher(run.context);
	const { stateOwner: account } = run;
	const key = keyOf(run.context);
	const grewFrom = digest(stableJson([data.segmind, run.context.getNode().parameters]));
	const unsaved = unsavedStates.get(key);
	if (unsaved?.grewFrom === grewFrom) data.segmind = unsaved.state;
	const stored = readState(data, watcher, account);
	// Then this is a first poll, which has to succeed.
	if (stored === undefined) delete data.segmind;
	const { items, state, problem } = await watcher.find(run, stored);
	const latest = { event: watcher.name, account, state: state as IDataObject };
	data.segmind = latest;
	unsavedStates.delete(key);
	if (items.length === 0) keepUnsaved(key, grewFrom, latest);
	if (items.length === 0 && problem !== undefined) throw problem;
	return items;
}

function keepUnsaved(key: string, grewFrom: string, state: IDataObject): void {
	unsavedStates.set(key, { grewFrom, state });
	const [oldest] = unsavedStates.keys();
	if (unsavedStates.size > MAX_UNSAVED_STATES) unsavedStates.delete(oldest);
}

/** Reads the stored state of this watcher and account; undefined at the first poll, and if it doesn't match the schema. */
function readState<State>(data: IDataObject, watcher: Watcher<State>, account: string) {
	const stored = data.segmind;
	const isUsable = isObject(stored) && stored.event === watcher.name && stored.account === account;
	return isUsable ? watcher.state.safeParse(stored.state).data : undefined;
}

/** Returns the watcher of the chosen event. @throws SegmindFailure for a wrong parameter */
function chosenWatcher(context: IPollFunctions): Watcher {
	const event = textIn(context.getNodeParameter('event'));
	if (event === 'creditsBelow') return balanceWatcher(context);
	if (event === 'fineTuneStatusChanged') return fineTuneJobsWatcher(context);
	return context.getNodeParameter('watch', 'account') === 'requests'
		? listedRequestsWatcher(context)
		: requestHistoryWatcher(context);
}
