/** Programs in which the campaign found bugs, and that random programs seldom reach. */
import { PRESS, type PlacedFault, type Press, type Program, type Thread } from './program';

/** The differences from `QUIET`. */
interface Changes extends Partial<Omit<Program, 'options' | 'threads'>> {
	options?: Partial<Program['options']>;
	threads?: Array<Partial<Omit<Thread, 'presses'>> & { presses?: Array<Partial<Press>> }>;
}

/** A program without faults. */
const QUIET: Program = {
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
	service: {},
	areRowsBare: false,
	faults: [],
	outage: null,
	otherRequests: [],
	random: 1,
	threads: [],
};

const submitFault = (what: PlacedFault['what'], times = 1, after = 0): PlacedFault => ({
	on: 'submit',
	after,
	times,
	what,
});

/** Each program, and how many requests it may make. */
const CHANGES: Record<string, Changes & { requests: number }> = {
	'a call under way with another credential is not taken for a lost request': {
		requests: 1,
		work: 'v1',
		faults: [submitFault('connection lost before acceptance', 1, 1)],
		threads: [{ presses: [{ otherCredential: true }] }, { beginsMs: 5 }],
	},
	'an equal request of a stopped execution does not take the row of a lost request': {
		requests: 1,
		faults: [submitFault('no response, not accepted'), submitFault('no response, accepted')],
		threads: [{ presses: [{ stopAfterMs: 1 }] }, { beginsMs: 5 }],
	},
	'a submission of an equal item that is under way is not taken for a lost one': {
		requests: 4,
		work: 'v1',
		queueMs: 40_000,
		jobMs: [300, 0],
		service: { failJobs: [0] },
		faults: [submitFault('body stalls at 12', 2)],
		options: { maxConcurrency: 2 },
		threads: [{ items: [0, 0, 0] }],
	},
	'in the editor, calls that were lost after Stop are not resent': {
		requests: 2,
		options: { sendAgainIfUnsure: true },
		faults: [submitFault('no response, accepted', 1_000)],
		threads: [{ mode: 'manual', items: [0, 0], presses: [{ stopAfterMs: 100 }, {}] }],
	},
	'in the editor, the third press finds a v1 call whose response arrived after two Stops': {
		requests: 1,
		work: 'v1',
		jobMs: [60_000],
		threads: [
			{
				mode: 'manual',
				presses: [{ stopAfterMs: 10 }, { stopAfterMs: 100 }, { pauseMs: 60_000 }],
			},
		],
	},
	'a retry from the first snapshot is not charged again for a later round of a loop': {
		requests: 3,
		service: { history: false, failJobs: [0] },
		faults: [submitFault('connection lost after acceptance', 1, 2)],
		threads: [{ rounds: 2, presses: [{}, {}, { from: 'first' }] }],
	},
	'of equal lost requests, an earlier one that was resent does not take the row of a later one': {
		requests: 2,
		waitForCompletion: false,
		service: { historyLateMs: 120_000 },
		faults: [submitFault('504'), submitFault('200 with an error')],
		threads: [{ presses: [{ tries: 2 }] }, { beginsMs: 5, presses: [{}, { pauseMs: 150_000 }] }],
	},
	'a lost request is remembered if resending it is rejected': {
		requests: 1,
		service: { historyLateMs: 120_000 },
		faults: [submitFault('504, accepted'), submitFault('402')],
		threads: [{ presses: [{}, { pauseMs: 60_000 }] }],
	},
};

export const REGRESSIONS = Object.entries(CHANGES).map(([title, { requests, ...changes }]) => ({
	title,
	requests,
	program: programOf(changes),
}));

function programOf({ options, threads = [{}], ...others }: Changes): Program {
	return {
		...QUIET,
		...others,
		options: { ...QUIET.options, ...options },
		threads: threads.map(({ presses = [{}], ...thread }) => ({
			beginsMs: 0,
			mode: 'trigger',
			node: 0,
			items: [0],
			rounds: 1,
			changesAtPress: null,
			...thread,
			presses: presses.map((press) => ({ ...PRESS, ...press })),
		})),
	};
}
