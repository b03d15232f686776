import type { Installation } from '../n8n/n8nProcess';
import type { RemoteEmulator } from '../emulator/remote';
import type { Engine } from './engineProcess/client';

/** What a row works with. */
export interface Bench {
	installation: Installation;
	emulator: RemoteEmulator;
	/** A cheaper run that shows that everything works; its numbers say little. */
	quick: boolean;
	/** How often to repeat; once when quick. */
	times(full: number): number;
	/** Does something with an engine in a fresh process. */
	withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

export type Unit = '×' | 's' | 'ms' | 'calls' | 'submits' | 'MB' | 'kB';

/** What somebody else reached on the same measure. */
export interface Rival {
	name: string;
	/** One a run; none when it did not get there, which `note` explains. */
	values: number[];
	note?: string;
}

/** A measure, with a target when there is one. Less is better. */
export interface Line {
	measure: string;
	unit: Unit;
	/** Ours, one a run. */
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

/** The values of this many runs, one after the other. */
export async function repeated<T>(times: number, run: (at: number) => Promise<T>): Promise<T[]> {
	const values: T[] = [];
	for (let at = 0; at < times; at++) values.push(await run(at));
	return values;
}
