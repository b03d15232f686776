import type { Call, Emulator, JobView, Leak } from '../../../dev/emulator';
import type { RunResult } from '../../helpers/runNode';
import type { Press, Program, Thread } from './program';

/** One run of a node, and what was observed. Times are in ms since the epoch. */
export interface Execution {
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
	result: RunResult;
	startedAt: number;
	endedAt: number;
	/** When Stop was pressed, if the execution hadn't ended by then. */
	stoppedAt?: number;
	/** Whether it belongs to the last press of a thread that was finished without faults. */
	isFinish: boolean;
	calls: Call[];
}

export interface Played {
	program: Program;
	executions: Execution[];
	/** All requests, as the service shows them hours later. */
	jobs: JobView[];
	/** Requests that others sent, by ID. */
	otherRequests: Map<string, { body: number; at: number }>;
	leaks: Leak[];
}

/** What a program is played in. */
export interface World {
	program: Program;
	emulator: Emulator;
	/** A number of this program's own, so that one program's rate limits don't affect the next. */
	programNumber: number;
	executions: Array<Execution & { caller: string }>;
	/** Whether faults are no longer injected. */
	areFaultsOver: boolean;
}
