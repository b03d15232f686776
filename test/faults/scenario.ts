import * as fc from 'fast-check';

import type { Orders } from '../../dev/emulator';
import { often, onceIn, placed, rarely, type Placed } from './arbitraries';
import { FAULTS_ON, type FaultName } from './faultKinds';

type PlacedFault = Placed<keyof typeof FAULTS_ON, FaultName>;

/** One press of a button: the first runs the workflow, a later one retries it from the executions list (or runs it again from the start after a Stop). */
export interface Step {
	/** Time that passes before it, ms. */
	pauseMs: number;
	/** Tries under Retry On Fail. */
	tries: number;
	/** When Stop is pressed, ms after the start. */
	stopAfterMs: number | null;
}

/** A whole story, as plain JSON: what is run, how the service behaves, what goes wrong, and what the person does. */
export interface Scenario {
	work: 'run' | 'v1' | 'workflow' | 'submitThenFetch' | 'asset';
	items: number;
	/** All items ask for the same. */
	alike: boolean;
	/** Each item has a file that is sent along. */
	withFile: boolean;
	onError: 'stopWorkflow' | 'continueRegularOutput' | 'continueErrorOutput';
	asTool: boolean;
	simplify: boolean;
	options: {
		timeoutSeconds: number;
		onTimeout: 'error' | 'returnRequest';
		pollIntervalSeconds: number;
		maxConcurrency: number;
		resubmitWhenUnknown: boolean;
		downloadOutput: boolean;
		minimumBalance?: number;
	};
	queueMs: number;
	/** How long each job takes, in the order of submission, again from the start when there are more. */
	jobMs: number[];
	service: Partial<Orders>;
	faults: PlacedFault[];
	/** An origin that refuses connections for a while. */
	outage: { origin: 'api' | 'upload' | 'admin' | 'files'; atMs: number; forMs: number } | null;
	steps: Step[];
	/** Seed of Math.random, for the jitter. */
	random: number;
}

/** Nothing goes wrong: what a regression scenario starts from. */
export const CALM: Scenario = {
	work: 'run',
	items: 1,
	alike: false,
	withFile: false,
	onError: 'stopWorkflow',
	asTool: false,
	simplify: true,
	options: {
		timeoutSeconds: 900,
		onTimeout: 'error',
		pollIntervalSeconds: 0,
		maxConcurrency: 20,
		resubmitWhenUnknown: false,
		downloadOutput: true,
	},
	queueMs: 50,
	jobMs: [5_000],
	service: {},
	faults: [],
	outage: null,
	steps: [{ pauseMs: 0, tries: 1, stopAfterMs: null }],
	random: 1,
};

const options = fc.record({
	timeoutSeconds: often(900, 1, 20, 100, 3_600),
	onTimeout: rarely<'error' | 'returnRequest'>('error', 'returnRequest'),
	pollIntervalSeconds: often(0, 3, 25),
	maxConcurrency: often(20, 1, 2),
	resubmitWhenUnknown: rarely(false, true),
	downloadOutput: often(true, false),
	minimumBalance: rarely<number | undefined>(undefined, 0.01, 5),
});

const service: fc.Arbitrary<Partial<Orders>> = fc.record({
	history: often(true, false),
	historyRecord: rarely<Orders['historyRecord']>('record', 'data', 'rows'),
	historyBody: rarely<Orders['historyBody']>('object', 'text'),
	rateLimit: rarely<Orders['rateLimit']>(
		null,
		{ perMinute: 5 },
		{ perMinute: 30, reset: 'epoch' },
		{ perMinute: 12, reset: 'retryAfter', sendRemaining: true },
		{ perMinute: 20, reset: 'none' },
		{ perMinute: 10, windowMs: 5_000, sendRemaining: true },
	),
	balance: rarely<Orders['balance']>(
		{ credits: 100, freeCredits: 0 },
		{ credits: 0.2, freeCredits: 0 },
		{ credits: 0, freeCredits: 0.3 },
		{ credits: 0, freeCredits: 0 },
	),
	noCreditRecord: rarely(false, true),
	recordMs: rarely(3_600_000, 20_000, 120_000),
	fileMs: rarely(604_800_000, 1_000),
	uploadAnswer: often<Orders['uploadAnswer']>('urls', 'file_urls'),
	resultShape: often<Orders['resultShape']>(
		null,
		'images',
		'outputUrl',
		'outputUrls',
		'outputJson',
		'outputObject',
		'outputNull',
	),
	metrics: often<Orders['metrics']>('full', 'missing', 'null', 'ms'),
	progressWord: rarely<string | null>(null, 'WARMING_UP'),
	foreignUrls: rarely<Orders['foreignUrls']>(
		false,
		true,
		['status_url'],
		['response_url'],
		['poll_url'],
	),
	failJobs: often<Orders['failJobs']>([], [0], [1], [0, 2], 'all'),
	failedStatus: often<Orders['failedStatus']>(422, 200),
	failedError: often<Orders['failedError']>('default', 'text', 'object'),
	v1Shape: often<Orders['v1Shape']>(null, 'base64', 'base64Array', 'videoUrl', 'sam3'),
	v1ContentType: rarely<string | null>(null, 'text/html', 'application/json', 'image/jpeg'),
	workflowOutput: rarely<Orders['workflowOutput']>('text', 'array', 'broken'),
	workflowUrls: often<Orders['workflowUrls']>('all', 'pollOnly', 'generic'),
	deniedModels: rarely<string[]>([], ['nano-banana-pro']),
});

const fault: fc.Arbitrary<PlacedFault> = placed<PlacedFault['on'], PlacedFault['what']>(FAULTS_ON, {
	weightOf: (on) => (on === 'submit' ? 3 : on === 'status' || on === 'result' ? 2 : 1),
	latest: 6,
	most: 3,
	lastingOneIn: 6,
});

const step = fc.record({
	pauseMs: often(5_000, 60_000, 600_000, 5_400_000),
	tries: often(1, 2, 3),
	stopAfterMs: onceIn(5, fc.integer({ min: 0, max: 90_000 })),
});

export const scenarios: fc.Arbitrary<Scenario> = fc.record({
	work: often<Scenario['work']>('run', 'v1', 'workflow', 'submitThenFetch', 'asset'),
	items: fc.integer({ min: 1, max: 8 }),
	alike: rarely(false, true),
	withFile: often(false, true),
	onError: often<Scenario['onError']>(
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	asTool: rarely(false, true),
	simplify: often(true, false),
	options,
	queueMs: often(50, 0, 3_000, 40_000),
	jobMs: fc.array(fc.constantFrom(0, 300, 5_000, 15_000, 60_000, 400_000), {
		minLength: 1,
		maxLength: 4,
	}),
	service,
	faults: fc.array(fault, { maxLength: 5 }),
	outage: onceIn(
		7,
		fc.record({
			origin: fc.constantFrom(
				'api' as const,
				'upload' as const,
				'admin' as const,
				'files' as const,
			),
			atMs: fc.constantFrom(0, 1_000, 10_000),
			forMs: fc.constantFrom(500, 20_000, 2_000_000),
		}),
	),
	steps: fc.array(step, { minLength: 1, maxLength: 3 }),
	random: fc.nat(),
});
