import type { INodeExecutionData } from 'n8n-workflow';

/** What a poll brings: items that start the workflow, oldest first, and what to keep once they have. */
export interface Found<State> {
	items: INodeExecutionData[];
	state: State;
	/** Something went wrong that nothing in `items` tells of; shown only when there are none. */
	problem?: unknown;
}
