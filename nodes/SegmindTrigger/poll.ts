import type { IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { ZodTypeAny } from 'zod';

import { badInput } from '../shared/base/failure';
import { shown } from '../shared/base/redact';
import { isObject } from '../shared/service/schemas';
import { accountState, type AccountFilter, type AccountState } from './account/accountState';
import { findFinished, latestFinished } from './account/requestsOfAccount';
import { balanceState, type BalanceState } from './credits/balanceState';
import { currentBalance, findFallen } from './credits/creditsBelow';
import { faultOf } from './faults';
import { currentJobs, findChanges } from './fineTunes/fineTuneStatus';
import { jobStatuses, type JobStatuses } from './fineTunes/jobState';
import type { Found } from './found';
import { nodeError, openPoll, type PollSession } from './pollSession';
import { findEnded, finishedNow, type ListedOptions } from './requests/listedRequests';
import { listState, type ListState } from './requests/listState';
import { readRequestList } from './requests/requestList';

/**
 * One poll. Static data is written once, at its end, and only when it succeeded: n8n saves it when the poll emits, and after the poll at
 * activation (docs/n8n.md N220). Every event is right with any older state it may find instead; how, is said with each state's type.
 */
export async function pollOnce(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	if (context.getMode() === 'manual') return [await sampleFor(context)];
	const data = context.getWorkflowStaticData('node');
	// n8n starts a poll although the one before is still under way: both would find the same.
	if (underWay.has(data)) return null;
	underWay.add(data);
	const place = `${context.getWorkflow().id}:${context.getNode().id}`;
	let isFirst = true;
	let session: PollSession | undefined;
	try {
		session = await openPoll(context);
		const event = eventOf(context);
		const kept = keptIn(data, event, session.account);
		isFirst = kept === undefined;
		const found = await event.find(session, kept?.state);
		data.segmind = {
			event: event.name,
			account: session.account,
			state: found.state as IDataObject,
		};
		isFirst = false;
		if (found.items.length > 0) {
			faults.delete(place);
			return [found.items];
		}
		if (found.problem !== undefined) throw found.problem;
		faults.delete(place);
		return null;
	} catch (error) {
		const fault = faultOf(error, faults.get(place) ?? 0, isFirst);
		if (fault.inARow > 0) faults.set(place, fault.inARow);
		if (fault.shown) throw nodeError(context.getNode(), error);
		context.logger.debug(
			`Segmind Trigger: left to the next poll (${String((error as Error).message)})`,
		);
		return null;
	} finally {
		session?.close();
		underWay.delete(data);
	}
}

/** Static data of the polls under way: the object is the same for every poll of an activation. */
const underWay = new WeakSet<IDataObject>();
/** Polls in a row that met a passing fault, by workflow and node. In memory, since n8n drops what a failed poll writes. */
const faults = new Map<string, number>();

interface Kept {
	state: unknown;
}

/**
 * What was kept for this event and account; undefined at a first poll, and when it is not what this version writes. A copy: nothing changes
 * before the poll has succeeded.
 */
function keptIn(data: IDataObject, event: WatchedEvent, account: string): Kept | undefined {
	const kept = data.segmind;
	if (!isObject(kept) || kept.event !== event.name || kept.account !== account) return undefined;
	const state = event.state.safeParse(JSON.parse(JSON.stringify(kept.state ?? null)));
	return state.success ? { state: state.data } : undefined;
}

interface WatchedEvent {
	/** What the kept state belongs to. */
	name: string;
	/** Its shape. */
	state: ZodTypeAny;
	find(session: PollSession, kept: unknown): Promise<Found<unknown>>;
	/** Something to build a workflow with, whatever was emitted before. */
	sample(session: PollSession): Promise<INodeExecutionData[]>;
}

async function sampleFor(context: IPollFunctions): Promise<INodeExecutionData[]> {
	let session: PollSession | undefined;
	try {
		session = await openPoll(context);
		return await eventOf(context).sample(session);
	} catch (error) {
		throw nodeError(context.getNode(), error);
	} finally {
		session?.close();
	}
}

function eventOf(context: IPollFunctions): WatchedEvent {
	const options = context.getNodeParameter('options', {}) as IDataObject;
	const emitExisting = options.emitExisting === true;
	const event = String(context.getNodeParameter('event'));
	if (event === 'creditsBelow') {
		const threshold = readThreshold(context);
		return {
			name: event,
			state: balanceState,
			find: async (session, kept) =>
				await findFallen(session, threshold, kept as BalanceState | undefined, emitExisting),
			sample: async (session) => await currentBalance(session, threshold),
		};
	}
	if (event === 'fineTuneStatusChanged') {
		const chosen = words(context.getNodeParameter('statuses', []));
		return {
			name: event,
			state: jobStatuses,
			find: async (session, kept) =>
				await findChanges(session, chosen, kept as JobStatuses | undefined, emitExisting),
			sample: async (session) => await currentJobs(session, chosen),
		};
	}
	const states = words(context.getNodeParameter('states', []));
	if (states.length === 0)
		throw badInput('No state is chosen', 'Choose Completed, Failed or both under States.');
	if (context.getNodeParameter('watch', 'account') === 'requests') {
		const listed: ListedOptions = {
			states,
			simplify: context.getNodeParameter('simplify', true) !== false,
			downloadOutput: options.downloadOutput === true,
			outputField: String(options.outputField ?? '').trim() || 'data',
			emitExpired: options.emitExpired === true,
		};
		const list = (session: PollSession) =>
			readRequestList(context.getNodeParameter('requests', ''), session.client.urls.baseUrl);
		return {
			name: 'requests',
			state: listState,
			find: async (session, kept) =>
				await findEnded(session, list(session), kept as ListState | undefined, listed),
			sample: async (session) => await finishedNow(session, list(session), listed),
		};
	}
	const filter: AccountFilter = { states, model: readModel(context) };
	return {
		name: 'account',
		state: accountState,
		find: async (session, kept) =>
			await findFinished(session, filter, kept as AccountState | undefined, emitExisting),
		sample: async (session) => await latestFinished(session, filter),
	};
}

function readModel(context: IPollFunctions): string {
	const model: unknown = context.getNodeParameter('model', '', { extractValue: true });
	return typeof model === 'string' ? model.trim() : '';
}

/** n8n turns no text of an expression into a number (docs/n8n.md N180). */
function readThreshold(context: IPollFunctions): number {
	const given: unknown = context.getNodeParameter('threshold');
	const threshold = typeof given === 'string' && given.trim() !== '' ? Number(given) : given;
	if (typeof threshold === 'number' && Number.isFinite(threshold)) return threshold;
	throw badInput(
		`Threshold is '${shown(given, 60)}', but must be a number`,
		'Give an amount in USD.',
	);
}

function words(value: unknown): string[] {
	const list = Array.isArray(value) ? value : String(value ?? '').split(',');
	return list.map((word) => String(word).trim().toUpperCase()).filter((word) => word !== '');
}
