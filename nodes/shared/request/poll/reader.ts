import type { StatusCheck } from './statusCheck';

/** The status of an accepted request before its first check. */
export const FIRST_STATUS = 'QUEUED';

/** Polling ends after this many unreadable responses in a row, over at least this time, ms: a single one may come from a proxy. */
const MOST_UNREADABLE = 4;
const UNREADABLE_MS = 60_000;
/** Pauses after a 404, ms, for a request that is known to have been accepted: the service's storage may lag behind. */
const MISSING_MS = [2_000, 5_000, 10_000, 20_000, 40_000];
/** The same for an ID that the user entered. */
const MISSING_GIVEN_MS = [2_000, 4_000];

/** What the checks of a request have shown so far. */
export interface Progress {
	/** The last status. */
	readonly status: string;
	readonly hasCompleted: boolean;
	/** Number of 404 responses in a row. */
	readonly missing: number;
	/** Times of the unreadable responses in a row, ms since the epoch. */
	readonly unreadableAt: readonly number[];
}

export interface CheckReading {
	readonly progress: Progress;
	/** The status, if it's new. */
	readonly word?: string;
	readonly then: 'checkAgain' | 'fetchResult' | 'readReason' | 'readHistory' | 'giveUp';
	/** When to check again, ms since the epoch; if it's missing, the schedule decides. */
	readonly againAt?: number;
}

export function progressOf(hasCompleted = false): Progress {
	return { status: FIRST_STATUS, hasCompleted, missing: 0, unreadableAt: [] };
}

/**
 * Interprets a status check together with the earlier ones. Pure. A single odd response ends nothing, and transient faults don't interrupt a row of
 * odd responses. `at`: when the check was made, ms since the epoch; `isLast`: no other check follows.
 */
export function read(
	before: Progress,
	check: StatusCheck,
	{ at, isOwn, isLast }: { at: number; isOwn: boolean; isLast: boolean },
): CheckReading {
	const { status, hasCompleted } = before;
	const clear = { status, hasCompleted, missing: 0, unreadableAt: [] };
	switch (check.kind) {
		case 'late':
		case 'transient':
			return { progress: before, then: 'checkAgain' };
		case 'running': {
			const { word } = check;
			const progress = { ...clear, status: word };
			return { progress, then: 'checkAgain', ...(word !== status && { word }) };
		}
		case 'missing': {
			const pause = missingPause(isOwn, before.missing);
			const progress = { ...clear, missing: before.missing + 1 };
			return pause === undefined || isLast
				? { progress, then: 'readHistory' }
				: { progress, then: 'checkAgain', againAt: at + pause };
		}
		case 'unreadable': {
			const unreadableAt = [...before.unreadableAt, at];
			const isForGood =
				unreadableAt.length >= MOST_UNREADABLE && at - unreadableAt[0] >= UNREADABLE_MS;
			return { progress: { ...clear, unreadableAt }, then: isForGood ? 'giveUp' : 'checkAgain' };
		}
		case 'failed':
			return { progress: clear, then: 'readReason', word: 'FAILED' };
		case 'completed': {
			// Without a status word, only the result shows whether the request has completed.
			const isSaid = typeof check.body.status === 'string' && check.body.status.trim() !== '';
			const progress = { ...clear, hasCompleted: hasCompleted || isSaid };
			return { progress, then: 'fetchResult', ...(isSaid && { word: 'COMPLETED' }) };
		}
	}
}

/** The pause before the next check after a 404, ms; undefined if there were enough. */
export function missingPause(isOwn: boolean, checks: number): number | undefined {
	return (isOwn ? MISSING_MS : MISSING_GIVEN_MS).at(checks);
}
