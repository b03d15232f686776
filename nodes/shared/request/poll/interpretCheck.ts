import type { StatusCheck } from './statusCheck';

/** The status of an accepted request before its first check. */
export const FIRST_STATUS = 'QUEUED';

/** Polling gives up only after this many unreadable responses in a row: a single one may come from a proxy. */
const MIN_UNREADABLE_CHECKS = 4;
/** Polling gives up only if the unreadable responses arrived over at least this time. */
const MIN_UNREADABLE_MS = 60_000;
/** The pauses after each 404 in a row, for a request that is known to have been accepted: the service's storage may lag behind. */
const MISSING_PAUSES_MS = [2_000, 5_000, 10_000, 20_000, 40_000];
/** The pauses after each 404 in a row, for any other request, such as an ID that the user entered. */
const UNCONFIRMED_MISSING_PAUSES_MS = [2_000, 4_000];

/** What the checks of a request have shown so far. */
export interface Progress {
	/** The last status. */
	readonly status: string;
	readonly hasCompleted: boolean;
	/** Number of 404 responses in a row. */
	readonly missingCount: number;
	/** When the latest unreadable responses in a row arrived, in ms since the epoch. */
	readonly unreadableAt: readonly number[];
}

export interface CheckReading {
	readonly progress: Progress;
	/** The status, if it's new. */
	readonly newStatus?: string;
	readonly nextStep: 'checkAgain' | 'fetchResult' | 'readReason' | 'readHistory' | 'giveUp';
	/** When to check again, in ms since the epoch; undefined if the schedule decides. */
	readonly againAt?: number;
}

export function progressOf(hasCompleted = false): Progress {
	return { status: FIRST_STATUS, hasCompleted, missingCount: 0, unreadableAt: [] };
}

/**
 * Interprets a status check together with the earlier ones. Pure. A single odd response doesn't end the polling, and a transient fault doesn't
 * end a series of odd responses. `at`: when the check was made, in ms since the epoch; `isLast`: no other check follows.
 */
export function interpretCheck(
	previous: Progress,
	check: StatusCheck,
	{ at, isKnownAccepted, isLast }: { at: number; isKnownAccepted: boolean; isLast: boolean },
): CheckReading {
	const { status, hasCompleted } = previous;
	const resetProgress = { status, hasCompleted, missingCount: 0, unreadableAt: [] };
	switch (check.kind) {
		case 'rateLimited':
		case 'transient':
			return { progress: previous, nextStep: 'checkAgain' };
		case 'running': {
			const { word } = check;
			const progress = { ...resetProgress, status: word };
			return { progress, nextStep: 'checkAgain', ...(word !== status && { newStatus: word }) };
		}
		case 'missing': {
			const pause = missingPause(isKnownAccepted, previous.missingCount);
			const progress = { ...resetProgress, missingCount: previous.missingCount + 1 };
			return pause === undefined || isLast
				? { progress, nextStep: 'readHistory' }
				: { progress, nextStep: 'checkAgain', againAt: at + pause };
		}
		case 'unreadable': {
			const unreadableAt = [...previous.unreadableAt, at];
			const isLasting =
				unreadableAt.length >= MIN_UNREADABLE_CHECKS && at - unreadableAt[0] >= MIN_UNREADABLE_MS;
			return {
				progress: { ...resetProgress, unreadableAt },
				nextStep: isLasting ? 'giveUp' : 'checkAgain',
			};
		}
		case 'failed':
			return { progress: resetProgress, nextStep: 'readReason', newStatus: 'FAILED' };
		case 'completed': {
			// Without a status word, only the result shows whether the request has completed.
			const hasStatus = typeof check.body.status === 'string' && check.body.status.trim() !== '';
			const progress = { ...resetProgress, hasCompleted: hasCompleted || hasStatus };
			return { progress, nextStep: 'fetchResult', ...(hasStatus && { newStatus: 'COMPLETED' }) };
		}
	}
}

/** Returns the pause before the next check after a 404; undefined if no check follows. `missingCount`: how many 404 responses in a row came before. */
export function missingPause(isKnownAccepted: boolean, missingCount: number): number | undefined {
	return (isKnownAccepted ? MISSING_PAUSES_MS : UNCONFIRMED_MISSING_PAUSES_MS).at(missingCount);
}
