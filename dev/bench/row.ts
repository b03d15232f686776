import type { RemoteEmulator } from '../emulator/remote';
import type { Installation } from '../n8n/n8nProcess';
import type { Engine } from './engineProcess/engine';

/** What a benchmark (a row) needs to measure. */
export interface Bench {
	installation: Installation;
	emulator: RemoteEmulator;
	/** Does some work with an engine in a new process. */
	withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T>;
}

/** Values of several runs; none if no run finished, which `note` explains. */
export interface Result {
	values: number[];
	note?: string;
}

/** A measure, and what people use today for comparison. */
export interface Line extends Result {
	measure: string;
	unit: '×' | 's' | 'MB' | 'kB';
	rivals?: Array<Result & { name: string }>;
}

/** One benchmark. */
export interface Row {
	/** The name for --rows. */
	name: string;
	about: string;
	measure(bench: Bench): Promise<Line[]>;
}

/** Calls `run` this many times, one after the other, and returns the values. */
export async function repeat<T>(times: number, run: (at: number) => Promise<T>): Promise<T[]> {
	const values: T[] = [];
	for (let at = 0; at < times; at++) values.push(await run(at));
	return values;
}
