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

/** A short program that once broke a rule, or that shows a rule at work. */
export interface Regression {
	title: string;
	program: ProgramChanges;
	/** The expected number of requests. */
	jobCount?: number;
	/** How the item of the first execution is expected to fail. */
	failsWith?: object;
	/** Whether the last execution must succeed. */
	endsWell?: boolean;
	/** Other expectations beyond the rules. */
	expects?: (played: Played) => void;
}

/** The differences from `QUIET`. */
interface ProgramChanges extends Partial<Omit<Program, 'options' | 'threads'>> {
	options?: Partial<Program['options']>;
	threads?: Array<Partial<Omit<Thread, 'presses'>> & { presses?: Array<Partial<Press>> }>;
}

export function programOf({ options, threads = [{}], ...others }: ProgramChanges): Program {
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

/** Places a fault on `times` calls of a kind, after `after` regular ones. */
export function fails(on: FaultyCall, what: FaultName, times = 1, after = 0): PlacedFault {
	return { on, after, times, what };
}

export const errorOf = ({ executions }: Played, index: number) => executions[index].result.error;
export const failedItemsOf = ({ executions }: Played, index: number) =>
	executions.at(index)!.result.failed;
export const lastOf = ({ executions }: Played) => executions[executions.length - 1].result;
export const callsOf = ({ executions }: Played, index: number, kind: string) =>
	executions[index].calls.filter((call) => call.kind === kind);
