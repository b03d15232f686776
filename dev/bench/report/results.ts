import type { Outcome } from '../row';

/** What a run of the benchmarks found; results.json. */
export interface Results {
	/** ISO. */
	startedAt: string;
	minutes: number;
	quick: boolean;
	machine: Record<string, string>;
	/** By name of the row. */
	rows: Record<string, Outcome>;
}
