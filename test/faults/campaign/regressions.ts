/** Programs in which the campaign found bugs that no test in test/engine shows, and that random programs seldom reach. */
import { PRESS, type Program, type Thread } from './program';

interface Regression {
	title: string;
	/** How many requests the program may make. */
	requests: number;
	program: Program;
}

const THREAD: Thread = {
	beginsMs: 0,
	mode: 'trigger',
	node: 0,
	items: [0],
	rounds: 1,
	changesAtPress: null,
	presses: [PRESS, PRESS],
};

/** A program in which nothing goes wrong. */
const CALM: Program = {
	work: 'run',
	waitForCompletion: true,
	sendsFile: false,
	onError: 'stopWorkflow',
	asTool: false,
	options: {
		timeoutSeconds: 60,
		onTimeout: 'error',
		pollIntervalSeconds: 0,
		maxConcurrency: 20,
		sendAgainIfUnsure: false,
		downloadOutput: false,
	},
	jobMs: [300],
	queueMs: 50,
	service: {},
	areRowsBare: false,
	faults: [],
	outage: null,
	otherRequests: [],
	random: 1,
	threads: [THREAD],
};

export const REGRESSIONS: Regression[] = [
	{
		title: 'a retry from the first snapshot is not charged again for a later round of a loop',
		requests: 3,
		program: {
			...CALM,
			options: { ...CALM.options, timeoutSeconds: 900 },
			jobMs: [5_000],
			service: { history: false, failJobs: [0] },
			faults: [{ on: 'submit', after: 2, times: 1, what: 'connection lost after acceptance' }],
			threads: [{ ...THREAD, rounds: 2, presses: [PRESS, PRESS, { ...PRESS, from: 'first' }] }],
		},
	},
	{
		title: 'a completed request stays completed in the errors of retries that can read no status',
		requests: 1,
		program: {
			...CALM,
			faults: [
				{ on: 'result', after: 0, times: 1_000, what: 'cut response' },
				{ on: 'status', after: 1, times: 1_000, what: '502' },
			],
		},
	},
];
