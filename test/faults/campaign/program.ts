import type { Orders } from '../../../dev/emulator';
import type { Task } from '../../../nodes/Segmind/tasks';
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

/** A task of the Segmind node, as `resource.operation`. */
export type TaskName = `${Task['resource']}.${Task['operation']}`;

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
	/** Whether the same model was chosen again in the picker and now has a different cached name. */
	pickedAgain: boolean;
	/** The resource and operation that run the model. The model doesn't change, so every task sends the same request. */
	task: TaskName;
	/** Whether the node uses another credential of the same account. */
	otherCredential: boolean;
	/** Whether n8n renames the stored files when the execution ends, as it does for webhooks. */
	filesRenamed: boolean;
}

/** What one person does with one workflow. Several threads run at the same time. */
export interface Thread {
	/** In ms after the beginning of the program. */
	beginsMs: number;
	mode: 'trigger' | 'manual';
	/** The node that the thread runs. Threads with the same node run the same workflow. */
	node: 0 | 1;
	/** The node in the editor, if threads share one. Otherwise, each thread has its own node there. */
	editorNode?: number;
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
	/** How long after its submission it appears in the history. */
	lateMs: number;
}

/** A whole program as plain JSON: what is run, how the service behaves, what goes wrong, and what the people do. */
export interface Program {
	work: 'run' | 'v1' | 'workflow' | 'asset';
	/** If false, the node returns the request at once. A v1 call (Answer in One Call) ignores it. */
	waitForCompletion: boolean;
	/** Whether Get Result fetches the results of requests that weren't waited for. */
	fetches: boolean;
	/** The file of each item: none, one that is sent with the request, or one in n8n's storage that isn't sent. */
	file: 'none' | 'sent' | 'stored';
	/** Whether the seed is an expression that returns a new value each time. */
	randomSeed: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	asTool: boolean;
	simplify: boolean;
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
	/** When and how far the clock of n8n's machine is set back. */
	setBack: { atMs: number; byMs: number } | null;
	/** The seed of Math.random. */
	random: number;
	threads: Thread[];
}

export const PRESS: Press = {
	pauseMs: 15_000,
	tries: 1,
	stopAfterMs: null,
	from: 'latest',
	pickedAgain: false,
	task: 'model.run',
	otherCredential: false,
	filesRenamed: false,
};

export const THREAD: Thread = {
	beginsMs: 0,
	mode: 'trigger',
	node: 0,
	items: [0],
	rounds: 1,
	changesAtPress: null,
	presses: [PRESS],
};

/** A program without faults. The written programs are variations of it. */
export const QUIET: Program = {
	work: 'run',
	waitForCompletion: true,
	fetches: false,
	file: 'none',
	randomSeed: false,
	onError: 'stopWorkflow',
	asTool: false,
	simplify: true,
	options: {
		timeoutSeconds: 900,
		onTimeout: 'error',
		pollIntervalSeconds: 0,
		maxConcurrency: 20,
		sendAgainIfUnsure: false,
		downloadOutput: false,
	},
	jobMs: [5_000],
	queueMs: 50,
	service: {},
	areRowsBare: false,
	faults: [],
	outage: null,
	otherRequests: [],
	setBack: null,
	random: 1,
	threads: [THREAD],
};
