import type { RowsByRequest } from '../shared/output/historyRequests';
import { costOf, creationTimeOf } from '../shared/service/history';
import type { HistoryRow } from '../shared/service/schemas';

export type UsageGroup = 'dayAndModel' | 'model' | 'total';

/** The usage of one group. */
export interface Usage {
	/** The day, such as `2026-12-31`, or null if the history has no time; present only if grouped by day. */
	date?: string | null;
	/** Missing in a total. */
	model?: string;
	requests: number;
	/** Cost in USD. */
	cost: number;
}

/** Returns the usage of each group, sorted by group. A request with several files counts once. `dayOf` returns the day in the user's time zone. Pure. */
export function usageOf(
	requests: RowsByRequest,
	groupBy: UsageGroup,
	dayOf: (at: number) => string,
): Usage[] {
	const sums = new Map<string, Usage>();
	// A total is always one item, even without requests.
	if (groupBy === 'total') sums.set(keyOf({}), { requests: 0, cost: 0 });
	for (const rows of requests.values()) {
		const group = groupOf(rows, groupBy, dayOf);
		const key = keyOf(group);
		const sum = sums.get(key) ?? { ...group, requests: 0, cost: 0 };
		// Without rounding, a sum might be shown as 0.30000000000000004.
		const total = Number((sum.cost + costOf(rows)).toFixed(10));
		sums.set(key, { ...sum, requests: sum.requests + 1, cost: total });
	}
	return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}

function keyOf({ date, model }: Pick<Usage, 'date' | 'model'>): string {
	return `${date ?? ''} ${model ?? ''}`;
}

function groupOf(
	rows: HistoryRow[],
	groupBy: UsageGroup,
	dayOf: (at: number) => string,
): Pick<Usage, 'date' | 'model'> {
	if (groupBy === 'total') return {};
	const model = rows.map(({ model_name }) => model_name).find(Boolean) ?? '';
	if (groupBy === 'model') return { model };
	const at = creationTimeOf(rows[0]);
	return { date: at === undefined ? null : dayOf(at), model };
}
