import type { INodeExecutionData } from 'n8n-workflow';
import type { ZodType, ZodTypeDef } from 'zod';

import type { PollSession } from './pollSession';

/**
 * One kind of event, as the poll sees it. A watcher is made from the node's parameters at each poll; what lasts from poll to poll is its state
 * alone. It must be right with any older state too: n8n forgets what a poll that started nothing has written (docs/n8n.md N220).
 */
export interface Watcher<State = unknown> {
	/** Whose state it is. Stored with the state: a new name makes every active workflow start over. */
	name: string;
	/** The shape of the stored state. What does not match counts as no state. */
	state: ZodType<State, ZodTypeDef, unknown>;
	/**
	 * What is new since `kept`; undefined at the first poll.
	 * @throws SegmindFailure when nothing could be read; the state then stays as it was
	 */
	find(session: PollSession, kept: State | undefined): Promise<Found<State>>;
	/**
	 * Items to build a workflow with, whatever was emitted before. Changes no state.
	 * @throws SegmindFailure that says why there are none
	 */
	sample(session: PollSession): Promise<INodeExecutionData[]>;
}

/** What a poll found. */
export interface Found<State> {
	/** They start the workflow, oldest first; none when nothing happened. */
	items: INodeExecutionData[];
	/** What to keep for the next poll. */
	state: State;
	/** A failure that none of `items` shows. It is reported only when there are none. */
	problem?: unknown;
}
