import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';

import { textIn } from '../shared/inputs/values';
import { isObject } from '../shared/service/schemas';
import { balanceWatcher } from './balance';
import { faultOf, nodeError } from './faults';
import { fineTuneJobsWatcher } from './fineTuneJobs';
import { listedRequestsWatcher } from './listedRequests';
import { openPoll, type PollSession } from './pollSession';
import { requestHistoryWatcher } from './requestHistory';
import { assertNoSelfStart } from './selfStart';
import type { Watcher } from './watcher';

/** The static data of polls under way. n8n hands every poll of an active workflow the same object. */
const underWay = new WeakSet<IDataObject>();
/** Polls in a row that met a transient fault, by workflow and node. In memory, since n8n drops what a failed poll writes. */
const consecutiveFaults = new Map<string, number>();

/**
 * One poll: restore the watcher's state, let it find what is new, keep the new state, emit. The state is written once, at the end of a poll
 * that succeeded; n8n saves it when the poll emits, and after the first poll (docs/n8n.md N220).
 * @returns null when there is nothing to start the workflow with
 * @throws NodeApiError or NodeOperationError, which n8n shows as a failed execution
 */
export async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [await sampleItems(context)];
	const data = context.getWorkflowStaticData('node');
	// Polls may overlap (docs/n8n.md N225), and both would find the same.
	if (underWay.has(data)) return null;
	underWay.add(data);
	const place = `${context.getWorkflow().id}:${context.getNode().id}`;
	let isFirst = true;
	let session: PollSession | undefined;
	try {
		assertNoSelfStart(context);
		session = await openPoll(context);
		const watcher = chosenWatcher(context);
		const kept = keptState(data, watcher, session.account);
		isFirst = kept === undefined;
		const { items, state, problem } = await watcher.find(session, kept?.state);
		keepState(data, watcher, session.account, state);
		isFirst = false;
		if (items.length === 0 && problem !== undefined) throw problem;
		consecutiveFaults.delete(place);
		return items.length > 0 ? [items] : null;
	} catch (error) {
		const { shown, consecutive } = faultOf(error, consecutiveFaults.get(place) ?? 0, isFirst);
		if (consecutive > 0) consecutiveFaults.set(place, consecutive);
		if (shown) throw nodeError(context.getNode(), error);
		context.logger.debug(
			`Segmind Trigger: left to the next poll (${String((error as Error).message)})`,
		);
		return null;
	} finally {
		session?.close();
		underWay.delete(data);
	}
}

/** The watcher of the event that is chosen in the node. @throws SegmindFailure for a parameter that cannot be used */
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

/** What "Fetch Test Event" shows. */
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
 * What was kept for this watcher and account; undefined at the first poll, and when it is not what this version writes. A copy, so that
 * nothing changes before the poll has succeeded.
 */
function keptState(
	data: IDataObject,
	watcher: Watcher,
	account: string,
): { state: unknown } | undefined {
	const kept = data.segmind;
	if (!isObject(kept) || kept.event !== watcher.name || kept.account !== account) return undefined;
	const state = watcher.state.safeParse(JSON.parse(JSON.stringify(kept.state ?? null)));
	return state.success ? { state: state.data } : undefined;
}

function keepState(data: IDataObject, watcher: Watcher, account: string, state: unknown): void {
	data.segmind = { event: watcher.name, account, state: state as IDataObject };
}
