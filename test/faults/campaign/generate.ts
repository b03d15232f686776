import * as fc from 'fast-check';

import type { Orders } from '../../../dev/emulator';
import { FAULTS_ON, type FaultyCall } from './faults';
import { BODIES, type PlacedFault, type Press, type Program, type Thread } from './program';

/** Chooses the usual value in `share` of ten cases, and shrinks to it. */
const usually =
	(share: number) =>
	<T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
		fc.oneof(
			{ arbitrary: fc.constant(usual), weight: share },
			{ arbitrary: fc.constantFrom(...others), weight: 10 - share },
		);
const often = usually(6);
const rarely = usually(9);

/** Chooses null, except in one of `many` cases. */
const onceIn = <T>(many: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
	fc.oneof({ arbitrary: fc.constant(null), weight: many - 1 }, { arbitrary: some, weight: 1 });

const options: fc.Arbitrary<Program['options']> = fc.record({
	timeoutSeconds: often(60, 1, 20, 20, 100, 900),
	onTimeout: rarely<'error' | 'returnRequest'>('error', 'returnRequest'),
	pollIntervalSeconds: usually(5)(0, 3, 25, 25),
	maxConcurrency: often(20, 1, 2),
	sendAgainIfUnsure: rarely(false, true),
	downloadOutput: rarely(false, true),
	minimumBalance: rarely<number | undefined>(undefined, 0.01, 5),
});

const history = {
	history: rarely(true, false),
	historyOrder: often<Orders['historyOrder']>('requested', 'newestFirst', 'oldestFirst'),
	historyLateMs: often<number>(0, 3_000, 20_000, 120_000),
	historyPageRows: rarely<number | null>(null, 20),
};

const failures = {
	failJobs: often<Orders['failJobs']>([], [0], [1], [0, 2]),
	failedStatus: often<Orders['failedStatus']>(422, 200, 400, 500),
	failedReason: often<Orders['failedReason']>('result', 'both'),
};

const service: fc.Arbitrary<Partial<Orders>> = fc.record({
	...history,
	...failures,
	clockAheadMs: often(0, 5_000, -90_000, 3_600_000),
	rateLimit: rarely<Orders['rateLimit']>(
		null,
		{ perMinute: 12, reset: 'retryAfter' },
		{ perMinute: 30, sendRemaining: true },
		{ perMinute: 10, windowMs: 5_000, sendRemaining: true },
	),
	balance: rarely<Orders['balance']>(
		{ credits: 100, freeCredits: 0 },
		{ credits: 0.2, freeCredits: 0 },
		{ credits: 0, freeCredits: 0 },
	),
	deniedModels: rarely<string[]>([], ['nano-banana-pro']),
	recordMs: often(3_600_000, 20_000),
	resultShape: often<Orders['resultShape']>(null, 'outputUrl', 'outputNull'),
	foreignUrls: rarely<Orders['foreignUrls']>(false, true, ['status_url'], ['response_url']),
	requestUrls: often<Orders['requestUrls']>('all', 'pollOnly', 'none'),
	v1Shape: rarely<Orders['v1Shape']>(null, 'base64'),
	workflowUrls: often<Orders['workflowUrls']>('all', 'pollOnly', 'none', 'older'),
});

const WEIGHTS: Record<FaultyCall, number> = {
	submit: 7,
	status: 3,
	result: 3,
	history: 3,
	upload: 1,
	credits: 1,
	file: 1,
};

const fault: fc.Arbitrary<PlacedFault> = fc.oneof(
	...(Object.keys(FAULTS_ON) as FaultyCall[]).map((on) => ({
		weight: WEIGHTS[on],
		arbitrary: fc.record({
			on: fc.constant(on),
			after: usually(5)(0, 1, 2, 3, 4, 5),
			// Some faults never end.
			times: fc.oneof(
				{ arbitrary: fc.integer({ min: 1, max: 4 }), weight: 8 },
				{ arbitrary: fc.constant(1_000), weight: 1 },
			),
			what: fc.oneof(...FAULTS_ON[on].map((group) => fc.constantFrom(...group))),
		}),
	})),
);

const press: fc.Arbitrary<Press> = fc.record({
	pauseMs: often(15_000, 0, 2_000, 60_000, 600_000, 3_700_000, 5_400_000),
	tries: often(1, 2, 3),
	stopAfterMs: onceIn(6, fc.constantFrom(0, 10, 100, 1_000, 6_000, 20_000, 65_000)),
	from: often<Press['from']>('latest', 'first'),
	otherCredential: rarely(false, true),
});

const thread: fc.Arbitrary<Thread> = fc.record({
	beginsMs: fc.constantFrom(0, 0, 0, 5, 1_000, 4_000, 30_000, 120_000),
	mode: often<Thread['mode']>('trigger', 'manual'),
	node: fc.constantFrom(0 as const, 1 as const),
	items: fc.array(fc.constantFrom(0, 0, 0, 0, 1, 2), { minLength: 1, maxLength: 4 }),
	rounds: rarely(1, 2, 3),
	changesAtPress: rarely<number | null>(null, 1),
	presses: fc.array(press, { minLength: 1, maxLength: 3 }),
});

const otherRequest: fc.Arbitrary<Program['otherRequests'][number]> = fc.record({
	atMs: fc.constantFrom(0, 1, 500, 3_000, 10_000, 60_000),
	body: fc.constantFrom(0, ...BODIES.keys()),
	isOtherUser: fc.boolean(),
});

export const programs: fc.Arbitrary<Program> = fc.record({
	work: usually(5)<Program['work']>('run', 'v1', 'workflow'),
	waitForCompletion: often(true, false),
	sendsFile: usually(8)(false, true),
	onError: often<Program['onError']>(
		'stopWorkflow',
		'continueRegularOutput',
		'continueErrorOutput',
	),
	asTool: rarely(false, true),
	options,
	jobMs: fc.array(fc.constantFrom(0, 300, 300, 5_000, 5_000, 15_000, 60_000), {
		minLength: 1,
		maxLength: 4,
	}),
	queueMs: often(50, 0, 3_000, 3_000, 40_000),
	service,
	areRowsBare: rarely(false, true),
	faults: fc.array(fault, { maxLength: 4 }),
	outage: onceIn(
		13,
		fc.record({
			origin: fc.constantFrom('api' as const, 'upload' as const, 'files' as const),
			atMs: fc.constantFrom(0, 1_000, 10_000),
			forMs: fc.constantFrom(500, 20_000, 2_000_000),
		}),
	),
	otherRequests: fc.array(otherRequest, { maxLength: 2 }),
	random: fc.nat(),
	threads: fc.array(thread, { minLength: 1, maxLength: 3 }),
});
