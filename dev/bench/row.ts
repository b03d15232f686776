import type { Installation } from '../n8n/n8nProcess';
import type { RemoteEmulator } from '../emulator/remote';
import type { Engine } from './engineProcess/engine';

/** What a benchmark (a row) needs to measure. */
export interface Bench {
	installation: Installation;
	emulator: RemoteEmulator;
	/** Whether this is a short run that only shows that everything works. */
	quick: boolean;
	/** Returns how often to make a measurement: `full` times, but once in a quick run. */
	times(full: number): number;
	/** Does some work with an engine in a new process. */
	withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

export type Unit = '×' | 's' | 'ms' | 'calls' | 'submits' | 'MB' | 'kB';

/** The result of an alternative on the same measure. */
export interface Rival {
	name: string;
	/** A value for each run; none for a run that didn't finish, which `note` explains. */
	values: number[];
	note?: string;
}

/** A measure, with an optional target. Lower is better. */
export interface Line {
	measure: string;
	unit: Unit;
	/** Our values, one for each run. */
	values: number[];
	/** The highest value that we accept. */
	target?: number;
	rivals: Rival[];
	note?: string;
	/** Set if docs/benchmarks.md shows the line too. */
	headline?: true;
	/** Set if the chart shows the line. */
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

/** One benchmark. */
export interface Row {
	/** The name for --rows. */
	name: string;
	about: string;
	measure(bench: Bench): Promise<Outcome>;
}

/** What a run of the benchmarks found, as results.json stores it. */
export interface Results {
	/** ISO time. */
	startedAt: string;
	minutes: number;
	quick: boolean;
	machine: Record<string, string>;
	/** Outcomes by the row's name. */
	rows: Record<string, Outcome>;
}

/** Calls `run` this many times, one after the other, and returns the values. */
export async function repeat<T>(times: number, run: (at: number) => Promise<T>): Promise<T[]> {
	const values: T[] = [];
	for (let at = 0; at < times; at++) values.push(await run(at));
	return values;
}
