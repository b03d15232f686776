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

/** The service has no record of it: `isExpired` when its hour has passed, so that it has expired. */
export interface Missing {
	kind: 'missing';
	isExpired: boolean;
	/** The request history could not be read either. */
	historyOutOfReach: boolean;
	/** The history has it as unfinished. */
	isUnderWay?: true;
}

/** How a request ended, as far as the service says. */
export type Ended = Completed | Failed | Missing;

/** The same of one that was waited for; `status` is the last word that was seen. */
export type WaitOutcome = Ended | { kind: 'timeout'; status: string };
