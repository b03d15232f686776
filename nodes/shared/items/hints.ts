/** Shows the hints of a run. */
import type { IExecuteFunctions } from 'n8n-workflow';

import { formatUsd, toOneLine } from '../base/text';
import { say, type Said } from '../errors/say';
import { isToolUse, type NodeRun } from '../run/run';
import {
	dryRunSum,
	failedItemsOf,
	hasSucceededRequests,
	itemList,
	messageOfRun,
	succeededItemsOf,
	sum,
	type ItemEnd,
} from './runError';

/** Shows how many items failed, if no error does, and the hints of the run. Comes before the journal is closed, because it shows what was sent. */
export function showHints(
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
	if (!hasSucceededRequests(ends, run)) return [message];
	const again = say`To correct the failed items, run only those again, because Execute step in the editor sends new requests for all ${ends.length}.`;
	return [`${message.replace(/\.$/, '')}. ${again.said}`];
}

/** Returns the hints about single items, what the run resumed and, in the editor, its cost. */
function hintsOfRun(run: NodeRun, ends: ItemEnd[]): string[] {
	const expectedCost = expectedCostOf(run, ends);
	const ofItems = run.events
		.mergedHints()
		.map(({ text, items }) => (items.length === 0 ? text : `${itemList(items)}: ${text}`));
	const showsCost = run.isManual && expectedCost > 0;
	const ofRun = [
		...dryRunHints(run, ends),
		...resumedHints(run, ends),
		...(showsCost ? [costHint(run, ends, expectedCost)] : []),
	];
	return [...ofItems, ...ofRun.map(({ said }) => said)];
}

/** If items failed, the message about them has the sum. */
function dryRunHints(run: NodeRun, ends: ItemEnd[]): Said[] {
	const items = succeededItemsOf(ends);
	const dryRun = items.length === ends.length ? dryRunSum(run, items) : undefined;
	return dryRun ? [say`${dryRun}.`] : [];
}

/** Returns the expected cost of all sent requests, in USD, except those that failed without a charge. */
function expectedCostOf({ events }: NodeRun, ends: ItemEnd[]): number {
	const isFree = (end: ItemEnd) => 'failed' in end && end.failed.charge === 'none';
	return sum(ends.map((end, at) => (isFree(end) ? 0 : events.expectedCost(at))));
}

/** Returns a hint about what the requests of a run cost and, if that differs, what they were expected to cost. */
function costHint({ events }: NodeRun, ends: ItemEnd[], expectedCost: number): Said {
	const cost = sum(ends.map((_end, at) => events.reportedCost(at) ?? 0));
	const spent = formatUsd(cost);
	const expected = formatUsd(expectedCost);
	if (spent === expected) return say`Cost: ${spent} USD.`;
	const known = cost > 0 ? `${spent} USD` : 'not reported yet';
	return say`Cost: ${known}; about ${expected} USD was expected (from published averages).`;
}

/** Returns the hint about requests that this run didn't send, so that they aren't charged again; [] if there are none. */
function resumedHints({ events, isManual }: NodeRun, ends: ItemEnd[]): Said[] {
	const count = ends.filter((_end, at) => events.requestOf(at)?.isResumed).length;
	return count === 0 ? [] : [resumedHint(count, isManual && failedItemsOf(ends).length === 0)];
}

/** `isOver`: whether the step has succeeded, after which the memory resumes nothing. */
function resumedHint(count: number, isOver: boolean): Said {
	const requests = count === 1 ? '1 request' : `${count} requests`;
	const next = isOver ? ' Execute step now sends new requests for all items.' : '';
	return say`Resumed ${requests} instead of sending new ones, so nothing is charged twice.${next}`;
}
