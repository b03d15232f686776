import type { IBinaryData } from 'n8n-workflow';

import { ItemParameters } from '../parameters/itemParameters';
import type { RunSession, Session } from './session';

/** One item of one run. What works for one item gets it. */
export interface Item<S extends RunSession = Session> {
	readonly session: S;
	/** Its place among the input items. */
	readonly index: number;
	readonly parameters: ItemParameters;
	/** Its own binary fields. */
	readonly binaries: Readonly<Record<string, IBinaryData>>;
}

/** Returns the item at a place among the input items. */
export function itemAt<S extends RunSession>(session: S, index: number): Item<S> {
	return {
		session,
		index,
		parameters: new ItemParameters(session, index),
		binaries: session.items[index]?.binary ?? {},
	};
}
