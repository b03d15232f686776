import type { INodeExecutionData } from 'n8n-workflow';

import { choiceField } from '../shared/descriptions/fields';
import { readPeriod } from '../shared/inputs/period';
import { say } from '../shared/errors/say';
import { hintAtUnreadable } from '../shared/output/historyItem';
import type { Item } from '../shared/run/item';
import { costOf, creationTimeOf, stateOfRows } from '../shared/service/history';
import { readRequests, type RowsByRequest } from '../shared/service/historyRequests';
import type { HistoryRow } from '../shared/service/schemas';

const GROUPS = ['dayAndModel', 'model', 'total'] as const;
type UsageGroup = (typeof GROUPS)[number];

/** The usage of one group. */
interface Usage {
	/** The day, such as `2026-12-31`, or null if the history has no time; present only if grouped by day. */
	date?: string | null;
	/** Missing in a total. */
	model?: string;
	requests: number;
	/** How many of the requests failed. */
	failed: number;
	/** Cost in USD of the requests whose cost is known; missing if none is. */
	cost?: number;
}

export const groupByField = choiceField(
	'groupBy',
	'Group By',
	'How to group the totals',
	[
		['dayAndModel', 'Day and Model'],
		['model', 'Model'],
		['total', 'Total'],
	],
	'dayAndModel',
);

/** GET {endpointAdminUrl}/inference-request/request-history, page by page. The pages are read once per run for the same dates. */
export async function getUsage(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const period = readPeriod(item);
	const groupBy = parameters.choice('groupBy', GROUPS);
	const { requests, unreadable } = await run.memoize(
		`usage ${period.from} ${period.to}`,
		async () => await readRequests(run.client, period),
	);
	hintAtUnreadable(item, unreadable);
	const withoutCost = [...requests.values()].filter((rows) => chargeOf(rows) === undefined).length;
	if (withoutCost > 0) {
		const text = say`the request history doesn't report the cost of some requests (${withoutCost}), so the sums don't contain it.`;
		run.events.addHint({ item: item.index, text });
	}
	// Canada writes dates as 2026-12-31.
	const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: run.context.getTimezone() });
	const usage = usageOf(requests, groupBy, (at) => dayFormat.format(at));
	return usage.map((sum) => ({ json: { ...sum } }));
}

/** Returns the usage of each group, sorted by group. A request with several files counts once. `dayOf` returns the day in the user's time zone. Pure. */
export function usageOf(
	requests: RowsByRequest,
	groupBy: UsageGroup,
	dayOf: (at: number) => string,
): Usage[] {
	const sums = new Map<string, Usage & { cost: number }>();
	const withUnknownCost = new Set<string>();
	// A total is always one item, even without requests.
	if (groupBy === 'total') sums.set(' ', { requests: 0, failed: 0, cost: 0 });
	for (const rows of requests.values()) {
		const model = groupBy === 'total' ? undefined : (rows[0].model_name ?? '');
		const at = groupBy === 'dayAndModel' ? creationTimeOf(rows[0]) : undefined;
		const date = at === undefined ? null : dayOf(at);
		const key = `${date ?? ''} ${model ?? ''}`;
		const group = {
			...(groupBy === 'dayAndModel' && { date }),
			...(model !== undefined && { model }),
		};
		const sum = sums.get(key) ?? { ...group, requests: 0, failed: 0, cost: 0 };
		sum.requests += 1;
		if (stateOfRows(rows) === 'failed') sum.failed += 1;
		const cost = chargeOf(rows);
		if (cost === undefined) withUnknownCost.add(key);
		// Without rounding, a sum might be shown as 0.30000000000000004.
		else sum.cost = Number((sum.cost + cost).toFixed(10));
		sums.set(key, sum);
	}
	const shown = ([key, { cost, ...counts }]: [string, Usage & { cost: number }]): Usage =>
		cost === 0 && withUnknownCost.has(key) ? counts : { ...counts, cost };
	return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(shown);
}

/** Returns what a request cost in USD; undefined if that isn't known. A failed request is free (docs/service.md S41). */
function chargeOf(rows: HistoryRow[]): number | undefined {
	return costOf(rows) ?? (stateOfRows(rows) === 'failed' ? 0 : undefined);
}
