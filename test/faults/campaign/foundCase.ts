import type { FaultName, FaultyCall } from './faults';
import type { Played } from './played';
import {
	PRESS,
	QUIET,
	THREAD,
	type PlacedFault,
	type Press,
	type Program,
	type Thread,
} from './program';

/** A short program that once broke a rule, or that shows one at work. */
export interface Found {
	found: string;
	program: Written;
	/** Expectations beyond the rules: how many requests are made, how the item of the first execution fails, that the last execution succeeds, and others. */
	jobs?: number;
	fails?: object;
	endsWell?: boolean;
	expects?: (played: Played) => void;
}

/** Members that are left out are as in `QUIET`. */
interface Written extends Partial<Omit<Program, 'options' | 'threads'>> {
	options?: Partial<Program['options']>;
	threads?: Array<Partial<Omit<Thread, 'presses'>> & { presses?: Array<Partial<Press>> }>;
}

export function programOf({ options, threads = [{}], ...others }: Written): Program {
	return {
		...QUIET,
		...others,
		options: { ...QUIET.options, ...options },
		threads: threads.map(({ presses = [{}], ...thread }) => ({
			...THREAD,
			...thread,
			presses: presses.map((press) => ({ ...PRESS, ...press })),
		})),
	};
}

/** A fault of `times` calls of a kind, from the `after`-th on. */
export function fails(on: FaultyCall, what: FaultName, times = 1, after = 0): PlacedFault {
	return { on, after, times, what };
}

export const errorOf = ({ executions }: Played, at: number) => executions[at].result.error;
export const failedOf = ({ executions }: Played, at: number) => executions.at(at)!.result.failed;
export const lastOf = ({ executions }: Played) => executions[executions.length - 1].result;
export const callsOf = ({ executions }: Played, at: number, kind: string) =>
	executions[at].calls.filter((call) => call.kind === kind);
