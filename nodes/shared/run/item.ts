import type { IBinaryData } from 'n8n-workflow';

import { ItemParameters } from '../parameters/itemParameters';
import type { Run } from './run';

/** One item of one run. What works for one item gets it. */
export interface Item {
	readonly run: Run;
	/** Its place among the input items. */
	readonly index: number;
	readonly parameters: ItemParameters;
	/** Its own binary fields. */
	readonly binaries: Readonly<Record<string, IBinaryData>>;
}

/** Returns the item at a place among the input items. */
export function itemAt(run: Run, index: number): Item {
	return {
		run,
		index,
		parameters: new ItemParameters(run, index),
		binaries: run.items[index]?.binary ?? {},
	};
}
