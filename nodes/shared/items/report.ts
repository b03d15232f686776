import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { errorForN8n, type FailureFacts } from '../base/failure';
import { groupByKey } from '../base/group';
import { stableJson } from '../base/hash';
import { toOneLine, formatUsd } from '../base/text';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { PARTS, RETRY } from '../errors/parts';
import { isToolUse, type RunSession } from '../run/session';
import { isCalledWorkflow, messageOf } from './itemErrors';

/** How an item ended. */
export type ItemOutcome = { items: INodeExecutionData[] } | { failed: FailureFacts };

/** Returns the one error of a run under Stop: every failed item with its request ID, and the request IDs of the others. */
export function errorOfRun(
	context: IExecuteFunctions,
	outcomes: ItemOutcome[],
	session: RunSession | undefined,
): Error {
	const failed = outcomes.flatMap((outcome, at) =>
		'failed' in outcome ? [{ at, facts: outcome.failed }] : [],
	);
	const [first] = failed;
	const isTool = isToolUse(context);
	const text =
		outcomes.length === 1
			? { message: messageOf(first.facts, isTool), description: first.facts.description }
			: listText(outcomes, failed, { session, isTool, isSubWorkflow: isCalledWorkflow(context) });
	const { httpCode } = first.facts;
	// In the editor, only this process remembers what it sent (docs/n8n.md N144).
	const mayResume = outcomes.some((one) => 'items' in one || one.failed.retry !== undefined);
	if (session?.isManual && mayResume) text.description += `\n${RETRY.sameProcess}`;
	const error = errorForN8n(context.getNode(), { ...text, httpCode }, first.at);
	Object.assign(error.context, sharedN8nContext(outcomes));
	error.context.failedItems = failed.map(({ at, facts }) => ({ item: at, ...facts }));
	return error;
}

/** Returns what n8n's editor needs to explain an expression, if it's the only reason for which all items failed. */
function sharedN8nContext(outcomes: ItemOutcome[]): Record<string, string> {
	const contexts = outcomes.map((one) => ('failed' in one ? one.failed.n8nContext : undefined));
	const [first] = contexts;
	const isShared = contexts.every((context) => stableJson(context ?? {}) === stableJson(first));
	return first !== undefined && isShared ? first : {};
}

function listText(
	outcomes: ItemOutcome[],
	failed: Array<{ at: number; facts: FailureFacts }>,
	run: { session: RunSession | undefined; isTool: boolean; isSubWorkflow: boolean },
) {
	const { session, isTool, isSubWorkflow } = run;
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.message, at] as const));
	const lines = [...itemsOf].map(([message, items]) => `${itemList(items)}: ${message}`);
	const succeeded = outcomes.flatMap((outcome, at) =>
		'items' in outcome ? [succeededItem(at, session?.report.requestOf(at))] : [],
	);
	const reasons = reasonsOf(failed, succeeded.length > 0);
	const ids = { count: succeeded.length, ids: succeeded.join(', ') };
	const rest =
		succeeded.length > 0
			? fill(isSubWorkflow ? PARTS.succeededInCalled : PARTS.succeeded, ids)
			: '';
	const message = fill(failed.length === outcomes.length ? PARTS.allFailed : PARTS.someFailed, {
		failed: failed.length,
		count: outcomes.length,
		first: failed[0].facts.message,
	});
	// What to do comes first: the list can be long.
	const description = [...reasons, rest, ...lines]
		.filter((line) => line !== '')
		.map(toOneLine)
		.join('\n');
	return { message: isTool ? `${message}\n${description}` : message, description };
}

/** "item 3", with the ID of its request if it has one. */
function succeededItem(at: number, request: { id?: string } | undefined): string {
	return request ? `item ${at}: ${request.id ?? ''}` : `item ${at}`;
}

/** What each failure costs and what to do next. Names the items if several reasons, or only some of the items, need it. */
function reasonsOf(failed: Array<{ at: number; facts: FailureFacts }>, hasSucceeded: boolean) {
	const itemsOf = groupByKey(failed.map(({ at, facts }) => [facts.description, at] as const));
	if (itemsOf.size === 1)
		return [...itemsOf.keys()].map((reason) =>
			hasSucceeded ? fill(PARTS.ofFailedItems, { reason }) : reason,
		);
	return [...itemsOf].map(([reason, items]) => `${itemList(items)}: ${reason}`);
}

/** "Item 5" or "Items 5, 6". */
function itemList(items: Array<number | string>): string {
	return `Item${items.length > 1 ? 's' : ''} ${items.join(', ')}`;
}

/** Shows the hints of a run, including what it resumed and, in the editor, its cost. */
export function reportRun(session: RunSession, outcomes: ItemOutcome[]): void {
	const expectedCost = expectedCostOf(session, outcomes);
	const hints = [
		...session.report
			.mergedHints()
			.map(({ text, items }) => (items.length === 0 ? text : `${itemList(items)}: ${text}`)),
		...resumedHints(session),
		...(session.isManual && expectedCost > 0 ? [costHint(session, expectedCost)] : []),
	];
	if (hints.length > 0)
		session.context.addExecutionHints?.(
			...hints.map((message) => ({
				message: toOneLine(message),
				location: 'outputPane' as const,
				type: 'info' as const,
			})),
		);
}

/** Returns the expected cost of all sent requests, in USD, except those that failed without a charge. */
function expectedCostOf({ report }: RunSession, outcomes: ItemOutcome[]): number {
	return report.expectedCost((at) => {
		const outcome = outcomes[at];
		return !('failed' in outcome) || outcome.failed.charge !== 'none';
	});
}

/** Returns a hint about what the requests of a run cost and, if that differs, what they were expected to cost. */
function costHint(session: RunSession, expectedCost: number): string {
	const { cost } = session.report;
	const spent = formatUsd(cost);
	const expected = formatUsd(expectedCost);
	if (spent === expected) return fill(HINTS.costsAsExpected, { spent });
	return fill(HINTS.costs, {
		spent: cost > 0 ? `${spent} USD` : 'not reported yet',
		expected,
	});
}

/** How many IDs a hint lists. */
const MAX_LISTED_IDS = 10;

/** Returns hints that resumed requests weren't sent again, and so aren't charged again. */
function resumedHints({ report }: RunSession): string[] {
	return [
		...hintAboutIds(HINTS.resumed, report.idsFrom('earlierAttempt')),
		...hintAboutIds(HINTS.found, report.idsFrom('history')),
	];
}

/** Returns a hint that lists IDs, or none if there are no IDs. */
function hintAboutIds(text: string, ids: string[]): string[] {
	if (ids.length === 0) return [];
	const more = ids.length > MAX_LISTED_IDS ? ` and ${ids.length - MAX_LISTED_IDS} more` : '';
	const listed = ids.slice(0, MAX_LISTED_IDS).map(toOneLine).join(', ');
	return [fill(text, { ids: listed + more })];
}
