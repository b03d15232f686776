import type { Orders } from '../../../dev/emulator';
import type { FaultName, FaultyCall } from './faults';

/** What an item can request. The second is the first with one more member, as if the service had added a default. */
export const BODIES = [
	{ prompt: 'a harbour' },
	{ prompt: 'a harbour', seed: 7 },
	{ prompt: 'a mountain' },
] as const;

/** Something that goes wrong with `times` calls of a kind, after `after` regular ones. */
export interface PlacedFault {
	on: FaultyCall;
	after: number;
	times: number;
	what: FaultName;
}

/** One press of a button. The first starts the workflow; a later one retries it from the executions list, or runs it again in the editor. */
export interface Press {
	/** The time between the execution before and this press. */
	pauseMs: number;
	/** Attempts under Retry On Fail. */
	tries: number;
	/** When Stop is pressed, in ms after the start. */
	stopAfterMs: number | null;
	/** Which stored execution a retry starts from. When a user retries an execution again, n8n starts from the first one. */
	from: 'latest' | 'first';
	/** Whether the node uses another credential of the same account. */
	otherCredential: boolean;
}

/** What one person does with one workflow. Several threads run at the same time. */
export interface Thread {
	/** In ms after the beginning of the program. */
	beginsMs: number;
	mode: 'trigger' | 'manual';
	/** The node that the thread runs. Threads with the same node run the same workflow. In the editor, each thread has a node of its own. */
	node: 0 | 1;
	/** What each item requests, as an index of BODIES. */
	items: number[];
	/** Rounds of a loop around the node, each with the same items. */
	rounds: number;
	/** In the editor: the press from which another node returns something else, while the node's parameters and items stay the same. */
	changesAtPress: number | null;
	presses: Press[];
}

/** A request that another process or person sends with the same account. */
interface OtherRequest {
	atMs: number;
	/** Index of BODIES. */
	body: number;
	/** Whether another user of the team sends it. */
	isOtherUser: boolean;
}

/** A whole program as plain JSON: what is run, how the service behaves, what goes wrong, and what the people do. */
export interface Program {
	work: 'run' | 'v1' | 'workflow';
	/** If false, the node returns the request at once. A v1 call (Answer in One Call) ignores it. */
	waitForCompletion: boolean;
	/** Whether each item has a file, which is sent with the request. */
	sendsFile: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	asTool: boolean;
	options: {
		timeoutSeconds: number;
		onTimeout: 'error' | 'returnRequest';
		pollIntervalSeconds: number;
		maxConcurrency: number;
		sendAgainIfUnsure: boolean;
		downloadOutput: boolean;
		minimumBalance?: number;
	};
	/** How long each job takes, in the order of submission. If there are more jobs, the list starts over. */
	jobMs: number[];
	/** How long each job waits in the queue. */
	queueMs: number;
	service: Partial<Orders>;
	/** Whether the rows of the history lack the request body. */
	areRowsBare: boolean;
	faults: PlacedFault[];
	/** An origin that refuses connections for a while. */
	outage: { origin: 'api' | 'upload' | 'files'; atMs: number; forMs: number } | null;
	otherRequests: OtherRequest[];
	/** The seed of Math.random. */
	random: number;
	threads: Thread[];
}

export const PRESS: Press = {
	pauseMs: 15_000,
	tries: 1,
	stopAfterMs: null,
	from: 'latest',
	otherCredential: false,
};
