import type { Call, Emulator, JobView, Leak } from '../../../dev/emulator';
import type { RunResult } from '../../helpers/runNode';
import type { Press, Program, Thread } from './program';

/** One run of a node, and what was observed. Times are in ms since the epoch, by a clock that is never set back. */
export interface Execution {
	operation: 'run' | 'upload' | 'getResult';
	threadIndex: number;
	press: Press;
	/** The index of the press in the thread. Presses without faults come last. */
	pressIndex: number;
	mode: Thread['mode'];
	/** Increases when the next press starts over, because a stopped execution can't be retried. */
	lineage: number;
	/** Run index. */
	round: number;
	/** What each item requests, as a key (`keyOf`). */
	itemKeys: string[];
	/** The request ID that each item passes to Get Result. */
	inputRequestIds: string[];
	result: RunResult;
	startedAt: number;
	endedAt: number;
	/** When Stop was pressed, if the execution hadn't ended by then. */
	stoppedAt?: number;
	/** Whether faults are no longer injected. */
	areFaultsOver: boolean;
	/** Whether it belongs to the last press of a thread that was finished without faults. */
	isLast: boolean;
	calls: Call[];
	/** IDs of the requests that this execution created. */
	createdIds: string[];
}

export interface Played {
	program: Program;
	executions: Execution[];
	/** All requests, as the service shows them hours later. */
	jobs: JobView[];
	/** Requests that others sent, by ID. */
	otherRequests: Map<string, { body: number; isOtherUser: boolean; at: number }>;
	log: string[];
	leaks: Leak[];
	unhandled: unknown[];
	/** Contents of uploaded files, by URL. */
	contents: Record<string, string>;
}

/** What a program is played in. */
export interface World {
	program: Program;
	emulator: Emulator;
	/** How far the clock was set back, ms. */
	clock: { setBackMs: number };
	/** A number of this program's own, so that one program's rate limits don't affect the next. */
	programNumber: number;
	executions: Array<Execution & { caller: string }>;
	areFaultsOver: boolean;
}
