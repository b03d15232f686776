import type { INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import type { ZodType, ZodTypeDef } from 'zod';

import type { PollRun } from './pollRun';

/**
 * Finds one kind of event. Each poll makes a watcher from the node's parameters; only its state lasts from poll to poll. A watcher must also be right with
 * any older state, because n8n doesn't save the state of a poll that started nothing (docs/n8n.md N220).
 */
export interface Watcher<State = unknown> {
	/** Identifies the watcher's state, and is stored with it. A new name makes every active workflow start over. */
	name: string;
	/** The schema of the stored state. Stored data that doesn't match it isn't used. */
	state: ZodType<State, ZodTypeDef, unknown>;
	/**
	 * Finds what is new since `storedState`, which is undefined at the first poll.
	 * @throws SegmindFailure if nothing could be read; the state stays unchanged then
	 */
	find(run: PollRun, storedState: State | undefined): Promise<Findings<State>>;
	/**
	 * Returns sample items for building a workflow, whatever was emitted before. Doesn't change the state.
	 * @throws SegmindFailure that says why there are none
	 */
	sample(run: PollRun): Promise<INodeExecutionData[]>;
}

interface Findings<State> {
	/** The items that start the workflow, oldest first; empty if nothing happened. */
	items: INodeExecutionData[];
	/** The state for the next poll. */
	state: State;
	/** A failure that isn't one of `items`. It's reported only if there are no items. */
	problem?: unknown;
}

/** Reads the chosen statuses, in capitals; [] stands for all. An expression may return them as one string with commas. */
export function readStatuses(context: IPollFunctions, name: string): string[] {
	const value: unknown = context.getNodeParameter(name, []);
	return String(value)
		.toUpperCase()
		.split(/[\s,]+/)
		.filter(Boolean);
}

/** Whether a status is chosen. An empty choice stands for all. */
export const isChosen = (chosen: readonly string[], status: string) =>
	chosen.length === 0 || chosen.includes(status);
