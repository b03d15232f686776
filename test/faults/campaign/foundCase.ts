import type { FaultName, FaultyCall } from './faults';
import type { Played } from './play';
import type { PlacedFault, Program } from './program';

/** A short program that once broke a rule, or that shows one at work. */
export interface Found {
	found: string;
	program: Partial<Program>;
	/** What the rules alone do not see. */
	expects?: (played: Played) => void;
}

/** So many calls of a kind go wrong, from the `after`-th on. */
export function fails(on: FaultyCall, what: FaultName, times = 1, after = 0): PlacedFault {
	return { on, after, times, what };
}

export const errorOf = ({ executions }: Played, at: number) => executions[at].result.error;
export const failedOf = ({ executions }: Played, at: number) => executions.at(at)!.result.failed;
export const lastOf = ({ executions }: Played) => executions[executions.length - 1].result;
export const callsOf = ({ executions }: Played, at: number, kind: string) =>
	executions[at].calls.filter((call) => call.kind === kind);
