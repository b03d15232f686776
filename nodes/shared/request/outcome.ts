import type { RequestAnswer } from '../service/schemas';

export interface Completed {
	kind: 'completed';
	body: RequestAnswer;
	fromHistory?: true;
}

export interface Failed {
	kind: 'failed';
	/** '' when the service gave none. */
	reason: string;
	httpCode?: number;
}

/** What the request history says of a request that the service has no record of. */
export type InHistory =
	| 'none'
	/** It could not be read. */
	| 'outOfReach'
	| 'unfinished'
	/** It completed, and there is no file of it, as with a text. */
	| 'withoutFile';

/** The service has no record of it: `isExpired` when its hour has passed. */
export interface Missing {
	kind: 'missing';
	isExpired: boolean;
	history: InHistory;
}

/** True when it ended unfinished as far as anybody can know: it may be sent again if the user has asked for that. */
export function hasExpiredUnfinished({ isExpired, history }: Missing): boolean {
	return isExpired && (history === 'none' || history === 'unfinished');
}

/**
 * True when what is seen now lets a request be sent again, whatever an earlier try saw: it failed, or it has expired unfinished. One that is
 * known to have failed (`hadFailed`) may be gone, but not running or completed: the service may have tried it again by itself.
 */
export function letsResubmit(ended: WaitOutcome, hadFailed: boolean): boolean {
	if (ended.kind === 'failed') return true;
	if (ended.kind !== 'missing') return false;
	return hadFailed
		? ended.history === 'none' || ended.history === 'outOfReach'
		: hasExpiredUnfinished(ended);
}

/** How a request ended, as far as the service says. */
export type Ended = Completed | Failed | Missing;

/** The same of one that was waited for; `status` is the last word that was seen. */
export type WaitOutcome = Ended | { kind: 'timeout'; status: string };
