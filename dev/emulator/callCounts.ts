import type { Call, CallKind } from './types';

/** Returns the number of calls of each kind. */
export function countsOf(calls: readonly Call[]): Partial<Record<CallKind, number>> {
	const counts: Partial<Record<CallKind, number>> = {};
	for (const { kind } of calls) counts[kind] = (counts[kind] ?? 0) + 1;
	return counts;
}
