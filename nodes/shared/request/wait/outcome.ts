import type { HistorySays } from '../../base/failure';
import type { Finished as Output } from '../../output/finished';
import type { RequestAnswer } from '../../service/schemas';

export interface Finished {
	kind: 'finished';
	body: RequestAnswer;
	fromHistory?: true;
	/** What a v1 call answered beside. */
	inOneCall?: Pick<Output, 'output' | 'fromHeaders' | 'files' | 'fileUrls'>;
}

export interface Failed {
	kind: 'failed';
	/** '' when the service gave none. */
	reason: string;
	httpCode?: number;
}

/** What the request history says of a request that the service has no record of. */
export type InHistory = Exclude<HistorySays, 'notSearched' | 'candidates'>;

/** The service has no record of it: `isExpired` when its hour has passed. */
export interface Missing {
	kind: 'missing';
	isExpired: boolean;
	history: InHistory;
}

/** How a request ended, as far as the service says. */
export type Ended = Finished | Failed | Missing;

/** The same of one that was waited for; `status` is the last word that was seen, `why` why the last check showed none. */
export type Waited = Ended | { kind: 'timeUp'; status: string; why?: string };

/**
 * True when another request may be sent in the place of one that an earlier try had accepted, by what is seen now: it failed, which is free and final
 * (docs/service.md S94), or it has expired unfinished and the user has asked for that.
 */
export function mayBeReplaced(ended: Waited, sendAgainIfUnsure: boolean): boolean {
	if (ended.kind === 'failed') return true;
	if (ended.kind !== 'missing' || !ended.isExpired) return false;
	const isUnfinished = ended.history === 'none' || ended.history === 'unfinished';
	return isUnfinished && sendAgainIfUnsure;
}
