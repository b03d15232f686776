import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { textIn } from '../shared/inputs/values';
import { isObject } from '../shared/service/schemas';
import { balanceWatcher } from './balance';
import { assessFault, nodeError } from './faults';
import { fineTuneJobsWatcher } from './fineTuneJobs';
import { listedRequestsWatcher } from './listedRequests';
import { openPoll, type PollSession } from './pollSession';
import { requestHistoryWatcher } from './requestHistory';
import type { Watcher } from './watcher';

/** The static data of the polls under way. n8n passes the same object to every poll of an active workflow. */
const pollsUnderWay = new WeakSet<IDataObject>();
/** Number of polls in a row with a transient fault, by workflow and node. In memory, because n8n drops what a failed poll writes. */
const consecutiveFaults = new Map<string, number>();

/**
 * Makes one poll: restores the watcher's state, lets the watcher find what is new, stores the new state, and emits. The state is written once, at the end
 * of a successful poll. n8n saves it if the poll emits, and after the first poll (docs/n8n.md N220).
 * @returns null if nothing starts the workflow
 * @throws NodeApiError or NodeOperationError, which n8n shows as a failed execution
 */
export async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [await sampleItems(context)];
	const data = context.getWorkflowStaticData('node');
	// Polls may overlap (docs/n8n.md N225), and overlapping polls would find the same events.
	if (pollsUnderWay.has(data)) return null;
	pollsUnderWay.add(data);
	const nodeKey = `${context.getWorkflow().id}:${context.getNode().id}`;
	let isFirst = true;
	let session: PollSession | undefined;
	try {
		session = await openPoll(context);
		const watcher = chosenWatcher(context);
		const stored = readState(data, watcher, session.account);
		isFirst = stored === undefined;
		const { items, state, problem } = await watcher.find(session, stored?.state);
		storeState(data, watcher, session.account, state);
		isFirst = false;
		if (items.length === 0 && problem !== undefined) throw problem;
		consecutiveFaults.delete(nodeKey);
		return items.length > 0 ? [items] : null;
	} catch (error) {
		const { shown, consecutive } = assessFault(error, consecutiveFaults.get(nodeKey) ?? 0, isFirst);
		if (consecutive > 0) consecutiveFaults.set(nodeKey, consecutive);
		if (shown) throw nodeError(context.getNode(), error);
		context.logger.debug(
			`Segmind Trigger: left to the next poll (${String((error as Error).message)})`,
		);
		return null;
	} finally {
		session?.close();
		pollsUnderWay.delete(data);
	}
}

/** Returns the watcher of the chosen event. @throws SegmindFailure for a wrong parameter */
function chosenWatcher(context: IPollFunctions): Watcher {
	switch (textIn(context.getNodeParameter('event'))) {
		case 'creditsBelow':
			return balanceWatcher(context);
		case 'fineTuneStatusChanged':
			return fineTuneJobsWatcher(context);
		default:
			return context.getNodeParameter('watch', 'account') === 'requests'
				? listedRequestsWatcher(context)
				: requestHistoryWatcher(context);
	}
}

/** Returns the items for "Fetch Test Event". */
async function sampleItems(context: IPollFunctions): Promise<INodeExecutionData[]> {
	let session: PollSession | undefined;
	try {
		session = await openPoll(context);
		return await chosenWatcher(context).sample(session);
	} catch (error) {
		throw nodeError(context.getNode(), error);
	} finally {
		session?.close();
	}
}

/**
 * Reads the stored state of this watcher and account; undefined at the first poll, and if it doesn't match the schema. Returns a copy, so that the stored
 * state doesn't change before the poll has succeeded.
 */
function readState(
	data: IDataObject,
	watcher: Watcher,
	account: string,
): { state: unknown } | undefined {
	const stored = data.segmind;
	if (!isObject(stored) || stored.event !== watcher.name || stored.account !== account)
		return undefined;
	const state = watcher.state.safeParse(JSON.parse(JSON.stringify(stored.state ?? null)));
	return state.success ? { state: state.data } : undefined;
}

function storeState(data: IDataObject, watcher: Watcher, account: string, state: unknown): void {
	data.segmind = { event: watcher.name, account, state: state as IDataObject };
}
