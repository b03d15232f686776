import type { Orders } from '../../../dev/emulator';
import type { Task } from '../../../nodes/Segmind/tasks';
import type { FaultName, FaultyCall } from './faults';

/** What an item can ask for: the second is the first with a member more, as if the service had added a default. */
export const BODIES = [
	{ prompt: 'a harbour' },
	{ prompt: 'a harbour', seed: 7 },
	{ prompt: 'a mountain' },
] as const;

/** One thing that goes wrong: the calls of a kind from the `after`-th on, `times` of them. */
export interface PlacedFault {
	on: FaultyCall;
	after: number;
	times: number;
	what: FaultName;
}

/** A task of the node Segmind, as `resource.operation`. */
export type TaskName = `${Task['resource']}.${Task['operation']}`;

/** One press of a button. The first starts the workflow; a later one retries it from the executions list, or runs it again in the editor. */
export interface Press {
	/** Time that passes before it, ms. */
	pauseMs: number;
	/** Attempts under Retry On Fail. */
	tries: number;
	/** When Stop is pressed, ms after the start. */
	stopAfterMs: number | null;
	/** Which stored execution a retry starts from: the latest one, or, as n8n does for one that was retried before, the first one. */
	from: 'latest' | 'first';
	/** The same model is chosen again in the picker, so that its cached name is another. */
	pickedAgain: boolean;
	/** Under which resource and operation the model stands; the model is given, so that another task asks for the same. */
	task: TaskName;
	/** The node is given another credential of the same account. */
	otherCredential: boolean;
	/** n8n renames the stored files of a webhook's execution when it has ended. */
	renamed: boolean;
}

/** What one person does with one workflow; several do at the same time. */
export interface Thread {
	/** After the beginning of the program, ms. */
	beginsMs: number;
	mode: 'trigger' | 'manual';
	/** The node it runs: threads of one node run one workflow. */
	node: 0 | 1;
	/** In the editor each thread has a node of its own, or this one. */
	step?: number;
	/** What each item asks for, as an index of BODIES. */
	items: number[];
	/** Rounds of a loop around the node, each with the same items. */
	rounds: number;
	/** In the editor: what another node gives changes at this press, while the node's own parameters and items stay the same. */
	changesAtPress: number | null;
	presses: Press[];
}

/** A request of another process or person on the same account. */
interface Elsewhere {
	atMs: number;
	/** Index of BODIES. */
	body: number;
	/** Of another user of the team. */
	isOtherUser: boolean;
	lateMs: number;
}

/** A whole program as plain JSON: what is run, how the service behaves, what goes wrong, and what the people do. */
export interface Program {
	work: 'run' | 'v1' | 'workflow' | 'asset';
	/** Off, the node gives the request at once; a v1 call (Answer in One Call) has no such choice. */
	waitForCompletion: boolean;
	/** Get Result fetches the results of requests that weren't waited for. */
	fetches: boolean;
	/** Each item has a file that is sent along; `stored`: one that lies in n8n's store and is not sent. */
	file: 'none' | 'sent' | 'stored';
	/** A seed that is another at each evaluation. */
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
	/** How long each job takes, in the order of submission, again from the start when there are more. */
	jobMs: number[];
	/** Time in the queue. */
	queueMs: number;
	service: Partial<Orders>;
	/** The rows of the history do not say what was asked for. */
	areRowsBare: boolean;
	faults: PlacedFault[];
	/** An origin that refuses connections for a while. */
	outage: { origin: 'api' | 'upload' | 'files'; atMs: number; forMs: number } | null;
	elsewhere: Elsewhere[];
	/** The clock of n8n's machine is set back. */
	setBack: { atMs: number; byMs: number } | null;
	/** Seed of Math.random. */
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
	renamed: false,
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

/** A program without faults, which written programs change. */
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
	elsewhere: [],
	setBack: null,
	random: 1,
	threads: [THREAD],
};
