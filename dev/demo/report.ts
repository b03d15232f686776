import { findModel } from '../../nodes/shared/catalogue';
import type { PlannedExample } from './examples';
import type { Outcome } from './outcome';
import { usd } from './table';

/** Returns a warning before a run on Segmind itself, with the expected cost from published averages. */
export function priceWarning(planned: PlannedExample[], graceSeconds: number): string {
	const prices = planned.map(({ model, items }) => (findModel(model)?.cost ?? NaN) * items);
	const total = prices.reduce((sum, price) => sum + price, 0);
	const items = planned.reduce((sum, { items }) => sum + items, 0);
	const models = [...new Set(planned.map(({ model }) => model))].join(' and ');
	const price = Number.isNaN(total)
		? 'at an unknown price'
		: `about ${usd(total)} based on published averages`;
	return `SEGMIND_API_KEY is set: the demo runs against Segmind itself, and your account is charged for ${count(items, 'item')} with ${models}, ${price}.\nStarting in ${graceSeconds} s; press Ctrl-C before then to cancel at no cost.`;
}

/** Returns sentences with the total time and cost. `balance` is in USD, or undefined if it couldn't be read. */
export function totals(outcomes: Outcome[], durationSeconds: number, balance?: number): string {
	const failed = outcomes.filter(({ problem }) => problem).length;
	const cost = outcomes.reduce((sum, outcome) => sum + (outcome.cost ?? 0), 0);
	const waitedSeconds = outcomes.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
	return [
		`${count(outcomes.length, 'item')}${failed > 0 ? `, ${failed} failed` : ''}: ${usd(cost)} in ${durationSeconds.toFixed(1)} s.`,
		...(waitedSeconds > durationSeconds
			? [`Run one after the other, they would have taken ${waitedSeconds.toFixed(1)} s.`]
			: []),
		...(balance === undefined ? [] : [`Balance: ${usd(balance)}.`]),
	].join(' ');
}

/** Returns why items failed, each reason once. */
export function problemsOf(failed: Outcome[]): string {
	const items = new Map<string, number[]>();
	for (const { item, problem = '' } of failed)
		items.set(problem, [...(items.get(problem) ?? []), item]);
	return [...items]
		.map(
			([problem, numbers]) =>
				`Item${numbers.length === 1 ? '' : 's'} ${numbers.join(', ')}: ${problem}`,
		)
		.join('\n\n');
}

/** Explains the table to a user who pressed Ctrl-C. */
export function stopSummary(outcomes: Outcome[], isReal: boolean): string {
	const running = outcomes.filter(
		({ requestId, state }) => requestId && state !== 'COMPLETED' && state !== 'FAILED',
	);
	if (running.length === 0) return 'Stopped. No request is running.';
	const requests = `${running.length} unfinished request${running.length === 1 ? '' : 's'} above`;
	return isReal
		? `Stopped. The ${requests} will keep running on Segmind and be charged on completion. To get a result, use Get Result with the request ID within an hour.`
		: `Stopped. On Segmind itself, the ${requests} would keep running and be charged on completion. To get a result, you would use Get Result with the request ID within an hour.`;
}

/** Returns the last sentences of a successful run. */
export function nextSteps(folder: string): string {
	return `The files are in ${folder}. To do the same in your own n8n, install the package and import the recipes from examples/, as described in README.md.`;
}

function count(number: number, thing: string): string {
	return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
