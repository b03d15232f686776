import type { RunSession, Session } from './session';

/** One item of one run. What works for one item gets it. */
export interface Item<S extends RunSession = Session> {
	readonly session: S;
	/** Its place among the input items. */
	readonly index: number;
}
