/** Makes the one error of a run under Stop. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorForN8n, type FailureFacts } from '../base/failure';
import { groupByKey } from '../base/group';
import { stableJson } from '../base/hash';
import { toOneLine, formatUsd } from '../base/text';
import { say, whole, type Said } from '../errors/say';
import { dropUndefined } from '../output/outputFields';
import { isToolUse, type NodeRun } from '../run/run';
import { againOf, messageOf } from './itemErrors';

/** How an item ended. */
export type ItemEnd = { items: INodeExecutionData[] } | { failed: FailureFacts };

/** The items of a run that failed, by their index. */
type FailedItems = Array<{ at: number; facts: FailureFacts }>;

/**
 * Returns the one error of a run under Stop. Its context has the facts of each failed item, and the IDs of all requests. It has no `itemIndex`, to which
 * n8n would add its own count, from 0.
 */
export function errorOfRun(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): Error {
	const failed = failedItemsOf(ends);
	const { facts } = failed[0];
	const text =
		ends.length === 1
			? { message: messageOf(facts, isToolUse(context)), description: facts.description }
			: listText(context, ends, run);
	const error = errorForN8n(context.getNode(), { ...text, httpCode: facts.httpCode });
	Object.assign(error.context, sharedN8nContext(ends));
	error.context.failedItems = failed.map((one) => ({ item: one.at, ...one.facts }));
	error.context.data = detailsOf(ends, run);
	return error;
}

/**
 * Returns what is known of each item that failed or has a request, with items counted from 1 as in the text. n8n's editor shows the member `data` of an
 * error's context under "Error details".
 */
function detailsOf(ends: ItemEnd[], run: NodeRun | undefined): IDataObject[] {
	return ends.flatMap((end, at): IDataObject[] => {
		const item = at + 1;
		if ('failed' in end) return [{ item, succeeded: false, ...knownOf(end.failed) }];
		const { id, idName = 'request_id' } = run?.events.requestOf(at) ?? {};
		return id === undefined ? [] : [{ item, succeeded: true, [idName]: id }];
	});
}

function knownOf(facts: FailureFacts) {
	const { requestId: request_id, status, charge, responder, search, candidates } = facts;
	const known = { request_id, status, charge, responder, search, candidates };
	return dropUndefined({ ...known, response: facts.responseShape });
}

export function failedItemsOf(ends: ItemEnd[]): FailedItems {
	return ends.flatMap((end, at) => ('failed' in end ? [{ at, facts: end.failed }] : []));
}

export function succeededItemsOf(ends: ItemEnd[]): number[] {
	return ends.flatMap((end, at) => ('items' in end ? [at] : []));
}

/** Whether the node has sent something for an item, which a retry finds. Get Result, for example, only reads. */
function hasSent(run: NodeRun | undefined, at: number): boolean {
	return run !== undefined && run.journal.ofItem(at).leftEntries.length > 0;
}

/** Returns what n8n's editor needs to explain an expression, if it's the only reason for which all items failed. */
function sharedN8nContext(ends: ItemEnd[]): Record<string, string> {
	const contexts = ends.map((one) => ('failed' in one ? one.failed.n8nContext : undefined));
	const [first] = contexts;
	const isShared = contexts.every((context) => stableJson(context ?? {}) === stableJson(first));
	return first !== undefined && isShared ? first : {};
}

/** At most this many request IDs are in the text of an error; all of them are in its context. */
const MAX_IDS = 3;

/** Says how many items succeeded, what failed and why, what that costs, and what to do. A tool's message has all of it, because an agent sees nothing else. */
function listText(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): { message: string; description: string } {
	const failed = failedItemsOf(ends);
	const message = messageOfRun(ends, run).said;
	// What to do comes first: the list can be long.
	const lines = [
		...reasonsOf(failed, failed.length < ends.length),
		...adviceAboutSucceeded(ends, run),
		...reasonsByItem(failed),
	];
	const description = lines.map(toOneLine).join('\n');
	return { message: isToolUse(context) ? `${message}\n${description}` : message, description };
}

/** Items are counted from 1. */
export function messageOfRun(ends: ItemEnd[], run: NodeRun | undefined): Said {
	const succeeded = succeededItemsOf(ends);
	const failed = failedItemsOf(ends);
	const { at, facts } = failed[0];
	const count = ends.length;
	const first = whole(facts.message);
	if (count === 1) return say`The item failed: ${first}`;
	if (succeeded.length === 0) return say`All ${count} items failed: ${first}`;
	const dryRun = run && dryRunSum(run, succeeded);
	if (dryRun) {
		const items = failed.length === 1 ? 'item' : 'items';
		return say`${dryRun}, and ${failed.length} ${items} would fail; item ${at + 1} of ${count}: ${first}`;
	}
	const cost = costOfItems(run, succeeded);
	return say`${succeeded.length} of ${count} items succeeded${cost}, and ${failed.length} failed; item ${at + 1} of ${count}: ${first}`;
}

/** Says what a run would send for the items of a dry run, and its expected cost; undefined if it wasn't one. Without the full stop. */
export function dryRunSum({ events }: NodeRun, items: number[]): Said | undefined {
	const costs = events.costsOfDryRun(items);
	if (!costs) return undefined;
	const known = costs.filter((cost) => cost !== undefined);
	const cost = known.length === 0 ? '' : say` for about ${formatUsd(sum(known))} USD`;
	const unknownCount = costs.length - known.length;
	const unknown = unknownCount === 0 ? '' : say` (the price of ${unknownCount} is unknown)`;
	const requests = costs.length === 1 ? 'request' : 'requests';
	return say`Dry run: ${costs.length} ${requests} would be sent${cost}${unknown}`;
}

/** Says what the items cost in this run; '' if Segmind reported nothing. */
function costOfItems(run: NodeRun | undefined, items: number[]): Said | '' {
	const events = run?.events;
	const costs = items.flatMap((at) => events?.reportedCost(at) ?? []);
	if (costs.length === 0) return '';
	const cost = formatUsd(sum(costs));
	const isComplete = costs.length === items.filter((at) => events?.requestOf(at)).length;
	return isComplete ? say` and cost ${cost} USD` : say` and cost at least ${cost} USD`;
}

/** What each failure costs and what to do next. Names the items if several reasons, or only some of the items, need it. */
function reasonsOf(failed: FailedItems, hasSucceeded: boolean): string[] {
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.description, at] as const));
	if (itemsOf.size === 1 && !hasSucceeded) return [...itemsOf.keys()];
	return [...itemsOf].map(([reason, items]) => `${itemList(items)}: ${reason}`);
}

/** Whether an item with a request that the node has sent succeeded. Otherwise, nothing was charged. */
export function hasSucceededRequests(ends: ItemEnd[], run: NodeRun | undefined): boolean {
	return succeededItemsOf(ends).some((at) => hasSent(run, at) && run?.events.requestOf(at));
}

/** What happens to the items that succeeded if the node runs again. */
function adviceAboutSucceeded(ends: ItemEnd[], run: NodeRun | undefined): string[] {
	if (!run || !hasSucceededRequests(ends, run)) return [];
	const isStopped = failedItemsOf(ends).some(({ facts }) => facts.kind === 'stopped');
	const succeeded = succeededItemsOf(ends);
	const again = againOf(run, succeeded[0], isStopped);
	if (again === 'newRun' || again === 'newCall') {
		const isCreation = succeeded.some((at) => run.events.requestOf(at)?.idName !== undefined);
		return [(isCreation ? LEAVE_OUT_SUCCEEDED : GET_SUCCEEDED).said];
	}
	return [(again === 'step' && !isStopped ? CONTINUE_IN_EDITOR : SUCCEEDED_BEFORE).said];
}

const GET_SUCCEEDED = say`Get the results of the items that succeeded with Get Result, because running this node again charges for them again.`;
const LEAVE_OUT_SUCCEEDED = say`Run this node again only with the items that failed, because it charges again for those that succeeded.`;
const CONTINUE_IN_EDITOR = say`Set On Error to Continue in Settings, then click Execute step: you aren't charged again for the items that succeeded.`;
const SUCCEEDED_BEFORE = say`A retry with the same inputs doesn't charge again for the items that succeeded.`;

/** Returns why the items failed; [] if all have the one message that the error shows. */
function reasonsByItem(failed: FailedItems): string[] {
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.message, at] as const));
	if (itemsOf.size === 1) return [];
	const all = [...itemsOf];
	const shown = all.slice(0, MAX_IDS).map(([message, items]) => `${itemList(items)}: ${message}`);
	const count = all.slice(MAX_IDS).flatMap(([, items]) => items).length;
	if (count === 0) return shown;
	const more = say`${count} more failed: the details below list all request IDs.`;
	return [...shown, more.said];
}

/** At most this many items are named in a list. */
const MAX_LISTED_ITEMS = 20;

/** "Item 5" or "Items 5, 6", counted from 1. */
export function itemList(items: number[]): string {
	const numbers = items.slice(0, MAX_LISTED_ITEMS).map((at) => at + 1);
	const more =
		items.length > MAX_LISTED_ITEMS ? ` and ${items.length - MAX_LISTED_ITEMS} more` : '';
	return `Item${items.length > 1 ? 's' : ''} ${numbers.join(', ')}${more}`;
}

export function sum(costs: number[]): number {
	return costs.reduce((total, cost) => total + cost, 0);
}
