import * as fc from 'fast-check';

import type { Orders } from '../../dev/emulator';
import { TASKS, type Task } from '../../nodes/Segmind/tasks';
import { often, onceIn, placed, rarely, type Placed } from './arbitraries';
import { MONEY_FAULTS_ON, type MoneyFaultName } from './moneyFaults';

/** What an item can ask for: the second is the first with a member more, as if the service had added a default. */
export const BODIES = [
	{ prompt: 'a harbour' },
	{ prompt: 'a harbour', seed: 7 },
	{ prompt: 'a mountain' },
] as const;

type PlacedFault = Placed<keyof typeof MONEY_FAULTS_ON, MoneyFaultName>;

/** A task of the node Segmind, as `resource.operation`. */
type TaskName = `${Task['resource']}.${Task['operation']}`;

const taskNames = TASKS.map(({ resource, operation }): TaskName => `${resource}.${operation}`);

/** One press of a button. The first starts the workflow; a later one retries it from the executions list, or runs it again in the editor. */
export interface Press {
	/** Time that passes before it, ms. */
	pauseMs: number;
	/** Tries under Retry On Fail. */
	tries: number;
	/** When Stop is pressed, ms after the start. */
	stopAfterMs: number | null;
	/** Which stored execution a retry starts from: the latest one, or, as n8n does for one that was retried before, the first one. */
	from: 'latest' | 'first';
	/** The same model is chosen again in the picker, so that its cached name is another. */
	repicked: boolean;
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
	/** The node it runs: threads of one node run one workflow. In the editor each has a node of its own. */
	node: 0 | 1;
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

/** A whole program as plain JSON. */
export interface Program {
	work: 'run' | 'v1' | 'workflow';
	/** Off, the node gives the request at once; a v1 call (Answer in One Call) has no such choice. */
	waitForCompletion: boolean;
	/** Each item has a file that is sent along; `stored`: one that lies in n8n's store and is not sent. */
	file: 'none' | 'sent' | 'stored';
	/** A seed that is another at each evaluation. */
	randomSeed: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	options: {
		timeoutSeconds: number;
		onTimeout: 'error' | 'returnRequest';
		pollIntervalSeconds: number;
		maxConcurrency: number;
		resubmitWhenUnknown: boolean;
		downloadOutput: boolean;
	};
	jobMs: number[];
	/** The same for the time in the queue. */
	queueMs: number;
	service: Partial<Orders>;
	faults: PlacedFault[];
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
	repicked: false,
	task: 'model.run',
	otherCredential: false,
	renamed: false,
};

/** Nothing goes wrong: what a regression case starts from. */
export const QUIET: Program = {
	work: 'run',
	waitForCompletion: true,
	file: 'none',
	randomSeed: false,
	onError: 'stopWorkflow',
	options: {
		timeoutSeconds: 900,
		onTimeout: 'error',
		pollIntervalSeconds: 0,
		maxConcurrency: 20,
		resubmitWhenUnknown: false,
		downloadOutput: false,
	},
	jobMs: [5_000],
	queueMs: 50,
	service: {},
	faults: [],
	elsewhere: [],
	setBack: null,
	random: 1,
	threads: [],
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

const options: fc.Arbitrary<Program['options']> = fc.record({
	timeoutSeconds: often(100, 20, 900),
	onTimeout: rarely<'error' | 'returnRequest'>('error', 'returnRequest'),
	pollIntervalSeconds: often(0, 3, 25),
	maxConcurrency: often(20, 1, 2),
	resubmitWhenUnknown: rarely(false, true),
	downloadOutput: rarely(false, true),
});

const service: fc.Arbitrary<Partial<Orders>> = fc.record({
	history: rarely(true, false),
	historyRecord: often<Orders['historyRecord']>('record', 'data', 'rows'),
	historyBody: often<Orders['historyBody']>('object', 'text'),
	historyOrder: often<Orders['historyOrder']>('asked', 'newestFirst', 'oldestFirst', 'mixed'),
	historyLateMs: often<number>(0, 3_000, 20_000, 120_000),
	historyModelFilter: rarely<Orders['historyModelFilter']>('equal', 'contains', 'ignored'),
	historyPageRows: rarely<number | null>(null, 20, 2),
	historyDates: often<Orders['historyDates']>(
		'iso',
		'isoWithoutZone',
		'gmt',
		'epochSeconds',
		'epochMs',
	),
	historyOfWorkflows: often(true, false),
	clockAheadMs: often(0, 5_000, -90_000, 3_600_000),
	rateLimit: rarely<Orders['rateLimit']>(
		null,
		{ perMinute: 12, reset: 'retryAfter' },
		{ perMinute: 30, sendRemaining: true },
	),
	recordMs: often(3_600_000, 20_000),
	resultShape: often<Orders['resultShape']>(
		null,
		'images',
		'outputUrl',
		'outputEmptyText',
		'outputEmptyList',
		'outputEmptyObject',
		'outputNull',
		'allNull',
		'unnamed',
	),
	metrics: often<Orders['metrics']>('full', 'missing', 'null', 'ms'),
	progressWord: rarely<string | null>(null, 'WARMING_UP'),
	foreignUrls: rarely<Orders['foreignUrls']>(false, true, ['status_url'], ['response_url']),
	failJobs: often<Orders['failJobs']>([], [0], [1], [0, 2]),
	failedStatus: often<Orders['failedStatus']>(422, 200, 400, 500),
	failedReason: often<Orders['failedReason']>('result', 'both'),
	failedId: rarely(true, false),
	failedError: often<Orders['failedError']>('default', 'text', 'object'),
	requestUrls: often<Orders['requestUrls']>('all', 'pollOnly', 'none'),
	pollAnswer: rarely<Orders['pollAnswer']>('result', 'status'),
	v1Shape: rarely<Orders['v1Shape']>(null, 'base64', 'videoUrl'),
	workflowUrls: often<Orders['workflowUrls']>('all', 'pollOnly', 'none', 'generic', 'older'),
});

const fault: fc.Arbitrary<PlacedFault> = placed<PlacedFault['on'], PlacedFault['what']>(
	MONEY_FAULTS_ON,
	{
		weightOf: (on) => (on === 'submit' ? 5 : on === 'upload' ? 1 : 2),
		latest: 5,
		most: 4,
		lastingOneIn: 7,
	},
);

const press: fc.Arbitrary<Press> = fc.record({
	pauseMs: often(15_000, 0, 2_000, 60_000, 600_000, 3_700_000),
	tries: often(1, 2, 3),
	stopAfterMs: onceIn(6, fc.constantFrom(0, 10, 100, 1_000, 6_000, 20_000, 65_000)),
	from: often<Press['from']>('latest', 'first'),
	repicked: rarely(false, true),
	task: often<TaskName>('model.run', ...taskNames),
	otherCredential: rarely(false, true),
	renamed: rarely(false, true),
});

const thread: fc.Arbitrary<Thread> = fc.record({
	beginsMs: fc.constantFrom(0, 0, 0, 5, 1_000, 4_000, 30_000, 120_000),
	mode: often<Thread['mode']>('trigger', 'manual'),
	node: fc.constantFrom(0 as const, 1 as const),
	items: fc.array(fc.constantFrom(0, 0, 0, 0, 1, 2), { minLength: 1, maxLength: 5 }),
	rounds: rarely(1, 2, 3),
	changesAtPress: rarely<number | null>(null, 1),
	presses: fc.array(press, { minLength: 1, maxLength: 3 }),
});

export const programs: fc.Arbitrary<Program> = fc.record({
	work: often<Program['work']>('run', 'run', 'v1', 'workflow'),
	waitForCompletion: often(true, false),
	file: rarely<Program['file']>('none', 'sent', 'stored'),
	randomSeed: rarely(false, true),
	onError: often<Program['onError']>(
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	options,
	jobMs: fc.array(fc.constantFrom(0, 300, 5_000, 15_000, 60_000), { minLength: 1, maxLength: 4 }),
	queueMs: often(50, 0, 3_000),
	service,
	faults: fc.array(fault, { maxLength: 4 }),
	elsewhere: fc.array(
		fc.record({
			atMs: fc.constantFrom(0, 1, 500, 3_000, 10_000, 60_000),
			body: fc.nat(BODIES.length - 1),
			isOtherUser: fc.boolean(),
			lateMs: often(0, 4_000),
		}),
		{ maxLength: 2 },
	),
	setBack: onceIn(
		13,
		fc.record({
			atMs: fc.constantFrom(100, 3_000, 20_000),
			byMs: fc.constantFrom(1_500, 60_000, 3_600_000),
		}),
	),
	random: fc.nat(),
	threads: fc.array(thread, { minLength: 1, maxLength: 3 }),
});
