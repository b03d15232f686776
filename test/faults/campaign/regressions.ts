/** Programs in which the campaign found bugs that no test in test/engine shows, and that random programs seldom reach. */
import { PRESS, type Program } from './program';

interface Regression {
	title: string;
	/** How many requests the program may make. */
	requests: number;
	program: Program;
}

export const REGRESSIONS: Regression[] = [
	{
		title: 'a retry from the first snapshot is not charged again for a later round of a loop',
		requests: 3,
		program: {
			work: 'run',
			waitForCompletion: true,
			sendsFile: false,
			onError: 'stopWorkflow',
			asTool: false,
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
			service: { history: false, failJobs: [0] },
			areRowsBare: false,
			faults: [{ on: 'submit', after: 2, times: 1, what: 'connection lost after acceptance' }],
			outage: null,
			otherRequests: [],
			random: 1,
			threads: [
				{
					beginsMs: 0,
					mode: 'trigger',
					node: 0,
					items: [0],
					rounds: 2,
					changesAtPress: null,
					presses: [PRESS, PRESS, { ...PRESS, from: 'first' }],
				},
			],
		},
	},
];
