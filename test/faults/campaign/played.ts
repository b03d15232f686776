import type { Call, Emulator, JobView, Leak } from '../../../dev/emulator';
import type { RunResult } from '../../helpers/runNode';
import type { Press, Program, Thread } from './program';

/** One run of a node and what was seen of it. Times in ms since the epoch, by a clock that is never set back. */
export interface Execution {
	operation: 'run' | 'upload' | 'getResult';
	thread: number;
	press: Press;
	/** Which of the thread's presses, from 0; the last ones are those without faults. */
	at: number;
	mode: Thread['mode'];
	/** Counts up when the next press starts over: a stopped execution has no retry. */
	lineage: number;
	/** Run index. */
	round: number;
	/** What each item asks for (`keyOf`). */
	asked: string[];
	/** The request each item brings to Get Result. */
	brought: string[];
	result: RunResult;
	startedAt: number;
	endedAt: number;
	/** When Stop was pressed, if it was in time. */
	stoppedAt?: number;
	/** Whether no faults are injected any more. */
	isCalm: boolean;
	isLast: boolean;
	calls: Call[];
	/** Requests that this execution had made. */
	made: string[];
}

export interface Played {
	program: Program;
	executions: Execution[];
	/** As they are hours later. */
	jobs: JobView[];
	/** Requests of others, by id. */
	elsewhere: Map<string, { body: number; isOtherUser: boolean; at: number }>;
	log: string[];
	leaks: Leak[];
	unhandled: unknown[];
	/** What uploaded files hold, by address. */
	contents: Record<string, string>;
}

/** The surroundings of a played program. */
export interface World {
	program: Program;
	emulator: Emulator;
	/** How far the clock was set back, ms. */
	clock: { setBackMs: number };
	/** Counts programs, so that rate limits of one do not reach the next. */
	number: number;
	executions: Array<Execution & { caller: string }>;
	isCalm: boolean;
}
