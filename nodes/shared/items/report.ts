import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorForN8n, type FailureFacts } from '../base/failure';
import { groupByKey } from '../base/group';
import { stableJson } from '../base/hash';
import { toOneLine, formatUsd } from '../base/text';
import { say, whole, type Said } from '../errors/say';
import { isToolUse, type NodeRun } from '../run/run';
import { isCalledWorkflow, messageOf } from './itemErrors';

/** How an item ended. */
export type ItemEnd = { items: INodeExecutionData[] } | { failed: FailureFacts };

/** Comes after what a retry does, in the editor. */
export const SAME_PROCESS = say`In the editor, a retry resumes requests for one hour, and only in the same n8n process. In queue mode, another worker sends new ones.`;

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
	// In the editor, only this process remembers what it sent (docs/n8n.md N144).
	const mayResume = ends.some((_end, at) => hasSent(run, at));
	if (run?.isManual && mayResume) text.description += `\n${SAME_PROCESS.said}`;
	const { httpCode, responseShape } = facts;
	const error = errorForN8n(context.getNode(), { ...text, httpCode, responseShape });
	Object.assign(error.context, sharedN8nContext(ends));
	error.context.failedItems = failed.map((one) => ({ item: one.at, ...one.facts }));
	const shown = (error.context.data ?? []) as IDataObject[];
	if (ends.length > 1 || facts.candidates)
		error.context.data = [...requestIdsOf(ends, run), ...shown];
	return error;
}

/** Returns the ID of each item's request, or those of its candidates, with items counted from 1 as in the text. n8n's editor shows the member `data` of an error's context. */
function requestIdsOf(ends: ItemEnd[], run: NodeRun | undefined): IDataObject[] {
	return ends.flatMap((end, at): IDataObject[] => {
		const succeeded = 'items' in end;
		const { requestId, candidates } = succeeded ? {} : end.failed;
		const request_id = succeeded ? run?.report.requestOf(at)?.id : requestId;
		if (candidates) return [{ item: at + 1, candidates, succeeded }];
		return request_id === undefined ? [] : [{ item: at + 1, request_id, succeeded }];
	});
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
		...adviceAboutSucceeded(context, ends, run),
		...reasonsByItem(failed, isCalledWorkflow(context) ? 1 : MAX_IDS),
	];
	const description = lines.map(toOneLine).join('\n');
	return { message: isToolUse(context) ? `${message}\n${description}` : message, description };
}

/** Items are counted from 1. */
function messageOfRun(ends: ItemEnd[], run: NodeRun | undefined): Said {
	const succeeded = succeededItemsOf(ends);
	const failed = failedItemsOf(ends);
	const { at, facts } = failed[0];
	const count = ends.length;
	const first = whole(facts.message);
	if (count === 1) return say`The item failed. ${first}`;
	if (succeeded.length === 0) return say`All ${count} items failed. ${first}`;
	const cost = costOfItems(run, succeeded);
	return say`${succeeded.length} of ${count} items succeeded${cost}, and ${failed.length} failed. Item ${at + 1} of ${count}: ${first}`;
}

/** Says what the items cost in this run; '' if Segmind reported nothing. */
function costOfItems(run: NodeRun | undefined, items: number[]): Said | '' {
	const report = run?.report;
	const costs = items.flatMap((at) => report?.reportedCost(at) ?? []);
	if (costs.length === 0) return '';
	const cost = formatUsd(sum(costs));
	const isComplete = costs.length === items.filter((at) => report?.requestOf(at)).length;
	return isComplete ? say` and cost ${cost} USD` : say` and cost at least ${cost} USD`;
}

/** What each failure costs and what to do next. Names the items if several reasons, or only some of the items, need it. */
function reasonsOf(failed: FailedItems, hasSucceeded: boolean): string[] {
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.description, at] as const));
	if (itemsOf.size === 1 && !hasSucceeded) return [...itemsOf.keys()];
	return [...itemsOf].map(([reason, items]) => `${itemList(items)}: ${reason}`);
}

/** Returns the requests of the items that succeeded, of what the node has sent. Without one, nothing was charged. */
function succeededRequests(ends: ItemEnd[], run: NodeRun | undefined): Array<{ id?: string }> {
	const sent = succeededItemsOf(ends).filter((at) => hasSent(run, at));
	return sent.flatMap((at) => run?.report.requestOf(at) ?? []);
}

/** What a retry does about the items that succeeded. */
function adviceAboutSucceeded(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): string[] {
	const requests = succeededRequests(ends, run);
	if (requests.length === 0) return [];
	if (isCalledWorkflow(context)) {
		const known = requests.flatMap(({ id }) => id ?? []);
		return [succeededInCalled(known).said];
	}
	const isStopped = failedItemsOf(ends).some(({ facts }) => facts.kind === 'stopped');
	const canContinue = run?.isManual === true && !isStopped;
	return [(canContinue ? CONTINUE_IN_EDITOR : SUCCEEDED_BEFORE).said];
}

export function succeededInCalled(ids: string[]): Said {
	return say`Items that succeeded: ${listIds(ids, MAX_IDS - 1)}. To get their results again, use Get Result.`;
}

export const CONTINUE_IN_EDITOR = say`Set On Error to Continue in Settings, then click Execute step: you aren't charged again for the items that succeeded.`;
export const SUCCEEDED_BEFORE = say`A retry with the same inputs doesn't charge again for the items that succeeded.`;

/** Returns why the items failed; [] if all have the one message that the error shows. Lists at most `max` messages, because each may have an ID. */
function reasonsByItem(failed: FailedItems, max: number): string[] {
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.message, at] as const));
	if (itemsOf.size === 1) return [];
	const all = [...itemsOf];
	const shown = all.slice(0, max).map(([message, items]) => `${itemList(items)}: ${message}`);
	const count = all.slice(max).flatMap(([, items]) => items).length;
	if (count === 0) return shown;
	const more = say`${count} more failed. The details below list all request IDs.`;
	return [...shown, more.said];
}

/** At most this many items are named in a list. */
const MAX_LISTED_ITEMS = 20;

/** "Item 5" or "Items 5, 6", counted from 1. */
function itemList(items: number[]): string {
	const numbers = items.map((at) => String(at + 1));
	return `Item${items.length > 1 ? 's' : ''} ${shortList(numbers, MAX_LISTED_ITEMS)}`;
}

function listIds(ids: string[], max: number): Said {
	return whole(shortList(ids.map(toOneLine), max));
}

/** Returns a list that names at most `max` members. */
function shortList(members: string[], max: number): string {
	const more = members.length > max ? ` and ${members.length - max} more` : '';
	return members.slice(0, max).join(', ') + more;
}

/** Shows how many items failed, if no error does, and the hints of the run. Comes before the journal is closed, because it shows what was sent. */
export function reportRun(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): void {
	const failures = failuresUnderContinue(context, ends, run);
	const others = run ? hintsOfRun(run, ends) : [];
	const hints = [
		...failures.map((message) => ({ message, type: 'warning' as const })),
		...others.map((message) => ({ message, type: 'info' as const })),
	];
	if (hints.length === 0) return;
	context.addExecutionHints?.(
		...hints.map(({ message, type }) => ({
			message: toOneLine(message),
			location: 'outputPane' as const,
			type,
		})),
	);
}

/** Under a Continue mode, n8n shows the node as successful, whatever failed. */
function failuresUnderContinue(
	context: IExecuteFunctions,
	ends: ItemEnd[],
	run: NodeRun | undefined,
): string[] {
	const hasFailed = failedItemsOf(ends).length > 0;
	if (!hasFailed || isToolUse(context) || !context.continueOnFail()) return [];
	const message = messageOfRun(ends, run).said;
	const hasRequests = succeededRequests(ends, run).length > 0;
	return [
		hasRequests ? `${message.replace(/\.$/, '')}. ${runsAllAgain(ends.length).said}` : message,
	];
}

export function runsAllAgain(count: number): Said {
	return say`In the editor, Execute step runs all ${count} items again, with new requests for those that succeeded.`;
}

/** Returns the hints about single items, what the run resumed and, in the editor, its cost. */
function hintsOfRun(run: NodeRun, ends: ItemEnd[]): string[] {
	const expectedCost = expectedCostOf(run, ends);
	const ofItems = run.report
		.mergedHints()
		.map(({ text, items }) => (items.length === 0 ? text : `${itemList(items)}: ${text}`));
	const showsCost = run.isManual && expectedCost > 0;
	const ofRun = [...resumedHints(run), ...(showsCost ? [costHint(run, ends, expectedCost)] : [])];
	return [...ofItems, ...ofRun.map(({ said }) => said)];
}

/** Returns the expected cost of all sent requests, in USD, except those that failed without a charge. */
function expectedCostOf({ report }: NodeRun, ends: ItemEnd[]): number {
	const isFree = (end: ItemEnd) => 'failed' in end && end.failed.charge === 'none';
	return sum(ends.map((end, at) => (isFree(end) ? 0 : report.expectedCost(at))));
}

/** Returns a hint about what the requests of a run cost and, if that differs, what they were expected to cost. */
function costHint({ report }: NodeRun, ends: ItemEnd[], expectedCost: number): Said {
	const cost = sum(ends.map((_end, at) => report.reportedCost(at) ?? 0));
	const spent = formatUsd(cost);
	const expected = formatUsd(expectedCost);
	if (spent === expected) return say`Cost: ${spent} USD.`;
	const known = cost > 0 ? `${spent} USD` : 'not reported yet';
	return say`Cost: ${known}; about ${expected} USD was expected (from published averages).`;
}

function sum(costs: number[]): number {
	return costs.reduce((total, cost) => total + cost, 0);
}

/** How many IDs a hint lists. */
const MAX_LISTED_IDS = 10;

/** Returns hints that resumed requests weren't sent again, and so aren't charged again. */
function resumedHints({ report }: NodeRun): Said[] {
	const resumed = report.idsFrom('earlierAttempt');
	const found = report.idsFrom('history');
	return [
		...(resumed.length > 0 ? [resumedHint(resumed)] : []),
		...(found.length > 0 ? [foundHint(found)] : []),
	];
}

export function resumedHint(ids: string[]): Said {
	return say`Resumed ${listIds(ids, MAX_LISTED_IDS)}: an earlier attempt sent the request, and it isn't charged again.`;
}

export function foundHint(ids: string[]): Said {
	return say`Found ${listIds(ids, MAX_LISTED_IDS)} in the request history after the response was lost: the request isn't charged again.`;
}
