/** Makes the one error of a run under Stop. */
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorForN8n, type FailureFacts } from '../base/failure';
import { groupByKey } from '../base/group';
import { toOneLine, formatUsd } from '../base/text';
import { say, whole, type Said } from '../errors/say';
import { dropUndefined } from '../output/outputFields';
import { isToolUse, type NodeRun } from '../run/run';
import { againOf, messageOf } from './itemErrors';

/** How an item ended. */
export type ItemEnd = { items: INodeExecutionData[] } | { failed: FailureFacts };

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
	const [{ items, facts: shared }] = failuresOf(ends);
	// What n8n's editor needs to explain an expression, if that's why all items failed.
	if (items.length === ends.length) Object.assign(error.context, shared.n8nContext);
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
	const { reason, requestId: request_id, status, charge, responder, search, candidates } = facts;
	const known = { reason, request_id, status, charge, responder, search, candidates };
	return dropUndefined({ ...known, response: facts.responseShape });
}

/** The items of a run that failed, by their index. */
export function failedItemsOf(ends: ItemEnd[]): Array<{ at: number; facts: FailureFacts }> {
	return ends.flatMap((end, at) => ('failed' in end ? [{ at, facts: end.failed }] : []));
}

export function succeededItemsOf(ends: ItemEnd[]): number[] {
	return ends.flatMap((end, at) => ('items' in end ? [at] : []));
}

/** Whether the node has sent something for an item, which a retry finds. Get Result, for example, only reads. */
function hasSent(run: NodeRun | undefined, at: number): boolean {
	return run !== undefined && run.journal.ofItem(at).leftEntries.length > 0;
}

/** Returns the failed items with the same cause, cost and next step, the most items first. A message has the ID of a request only if it's about one item. */
function failuresOf(ends: ItemEnd[]): Array<{ items: number[]; facts: FailureFacts }> {
	const pairs = failedItemsOf(ends).map((one) => {
		const message = one.facts.message.replace(` (request ${one.facts.requestId})`, '');
		return [`${message}\n${one.facts.description}`, { ...one, message }] as const;
	});
	const failures = [...groupByKey(pairs).values()].map((group) => {
		const [{ facts, message }] = group;
		const items = group.map(({ at }) => at);
		return { items, facts: items.length === 1 ? facts : { ...facts, message } };
	});
	return failures.sort((one, other) => other.items.length - one.items.length);
}

/** Says how many items succeeded, what failed and why, what that costs, and what to do. A tool's message has all of it, because an agent sees nothing else. */
function listText(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): { message: string; description: string } {
	const message = messageOfRun(ends, run).said;
	const lines = [...linesOfFailures(ends), ...adviceAboutSucceeded(ends, run)];
	const description = lines.map(toOneLine).join('\n');
	return { message: isToolUse(context) ? `${message}\n${description}` : message, description };
}

/** Items are counted from 1. */
export function messageOfRun(ends: ItemEnd[], run: NodeRun | undefined): Said {
	const succeeded = succeededItemsOf(ends);
	const [{ items, facts }] = failuresOf(ends);
	const count = ends.length;
	const cause = whole(facts.message);
	if (count === 1) return say`The item failed: ${cause}`;
	const failedCount = count - succeeded.length;
	const which = whichOf(items, failedCount);
	if (succeeded.length === 0) return say`All ${count} items failed${which}: ${cause}`;
	const cost = costOfItems(run, succeeded);
	const dryRun = run && dryRunSum(run, succeeded);
	const done = dryRun ?? say`${succeeded.length} of ${count} items succeeded${cost}`;
	const noun = failedCount === 1 ? 'item' : 'items';
	return say`${done}, and ${failedCount} ${noun} failed${which}: ${cause}`;
}

/** Says which of the failed items have a cause. */
function whichOf(items: number[], failedCount: number): string {
	if (items.length === 1) return `; item ${items[0] + 1}`;
	return items.length === failedCount ? '' : `; ${items.length} of them`;
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

/** The text of an error explains at most this many failures, first those that may be charged; all of them are in its context. */
const MAX_EXPLAINED = 3;

/** Says what each failure costs, or all of them together, and what to do next and, if there are several, why. */
function linesOfFailures(ends: ItemEnd[]): string[] {
	const failures = failuresOf(ends);
	const failed = failedItemsOf(ends).map(({ at }) => at);
	const lineOf = (items: number[], text: string) =>
		items.length === ends.length ? text : `${itemList(items)}: ${text}`;
	if (failures.length === 1) return [lineOf(failed, failures[0].facts.description)];
	const costs = new Set(failures.map(({ facts }) => costIn(facts)));
	const [cost] = costs.size === 1 ? costs : [''];
	const isFree = ({ facts }: (typeof failures)[number]) => Number(facts.charge === 'none');
	failures.sort((one, other) => isFree(one) - isFree(other));
	const lines = failures.slice(0, MAX_EXPLAINED).map(({ items, facts }) => {
		const description = cost === '' ? facts.description : facts.next;
		return lineOf(items, messageOf({ ...facts, description }, true));
	});
	if (cost !== '') lines.unshift(lineOf(failed, cost));
	const moreCount = failures.slice(MAX_EXPLAINED).flatMap(({ items }) => items).length;
	if (moreCount > 0) lines.push(`${moreCount} more failed: see Error details.`);
	return lines;
}

/** Returns the sentence about what a failed item costs; '' if there is none. */
function costIn({ description, next }: FailureFacts): string {
	return description.slice(0, description.length - next.length).trim();
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
	return [(again === 'step' && !isStopped ? CORRECT_IN_EDITOR : SUCCEEDED_BEFORE).said];
}

const GET_SUCCEEDED = say`Get the results of the items that succeeded with Get Result, because running this node again charges for them again.`;
const LEAVE_OUT_SUCCEEDED = say`Run this node again only with the items that failed, because it charges again for those that succeeded.`;
const CORRECT_IN_EDITOR = say`Correct the failed items, then click Execute step: it resumes the others without a new charge. To leave the failed items out, set On Error to Continue first.`;
const SUCCEEDED_BEFORE = say`A retry with the same inputs doesn't charge again for the items that succeeded.`;

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
