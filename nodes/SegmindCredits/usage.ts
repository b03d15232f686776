import type { RowsByRequest } from '../shared/output/historyRequests';
import { costOf, madeAt } from '../shared/service/history';

/** What one model was used on one day. */
export interface Usage {
	/** `2026-12-31`; null when the history does not say. */
	date: string | null;
	model: string;
	requests: number;
	/** USD. */
	cost: number;
}

/** Sums by day and model, in this order: a request with several files counts once. `dayOf` writes a day in the user's time zone. Pure. */
export function usageOf(requests: RowsByRequest, dayOf: (at: number) => string): Usage[] {
	const sums = new Map<string, Usage>();
	for (const rows of requests.values()) {
		const at = madeAt(rows[0]);
		const date = at === undefined ? null : dayOf(at);
		const model = rows.map(({ model_name }) => model_name).find(Boolean) ?? '';
		const key = `${date ?? ''} ${model}`;
		const sum = sums.get(key) ?? { date, model, requests: 0, cost: 0 };
		// Sums of binary fractions show as 0.30000000000000004 otherwise.
		const total = Number((sum.cost + costOf(rows)).toFixed(10));
		sums.set(key, { ...sum, requests: sum.requests + 1, cost: total });
	}
	return [...sums.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
}
