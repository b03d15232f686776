import type { Installation } from '../n8n/n8nProcess';
import type { RemoteEmulator } from '../emulator/remote';
import type { Engine } from './engineProcess/client';

/** What a row works with. */
export interface Bench {
	installation: Installation;
	emulator: RemoteEmulator;
	/** A short run that only shows that everything works. */
	quick: boolean;
	/** How often to repeat; once when quick. */
	times(full: number): number;
	/** Does something with an engine in a fresh process. */
	withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

export type Unit = '×' | 's' | 'ms' | 'calls' | 'submits' | 'MB' | 'kB';

/** The result of an alternative on the same measure. */
export interface Rival {
	name: string;
	/** One per run; none if it didn't finish, which `note` explains. */
	values: number[];
	note?: string;
}

/** A measure, with an optional target. Lower is better. */
export interface Line {
	measure: string;
	unit: Unit;
	/** Our values, one per run. */
	values: number[];
	/** At most. */
	target?: number;
	rivals: Rival[];
	note?: string;
	/** Shown in docs/benchmarks.md too. */
	headline?: true;
	/** Shown as bars in the chart. */
	drawn?: true;
}

/** Numbers that belong together and have no target. */
export interface Table {
	title: string;
	columns: string[];
	rows: Array<Array<string | number>>;
	note?: string;
}

export interface Outcome {
	lines: Line[];
	tables?: Table[];
}

export interface Row {
	/** For --rows. */
	name: string;
	about: string;
	measure(bench: Bench): Promise<Outcome>;
}

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

/** The values of this many consecutive runs. */
export async function repeated<T>(times: number, run: (at: number) => Promise<T>): Promise<T[]> {
	const values: T[] = [];
	for (let at = 0; at < times; at++) values.push(await run(at));
	return values;
}
