/** Faults that the campaign found with lost responses. The rules hold in each program now. */
import { errorOf, failedOf, fails, lastOf, type Found } from './foundCase';

export const FOUND_WITH_LOST_RESPONSES: Found[] = [
	{
		found:
			'a history that answers without a list was taken for an empty one, and the request was sent and paid again',
		program: {
			faults: [fails('submit', '408, accepted'), fails('history', '200 own error', 1_000)],
		},
		fails: { kind: 'unknownOutcome', search: 'outOfReach' },
	},
	{
		found:
			'Stop while an earlier try was looked for in the history: "Nothing was charged", though it may have been',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [
				fails('submit', 'connection lost after acceptance'),
				// The first run reads the history four times, each time page 1 and page 0.
				fails('history', 'response 5 s late', 1, 8),
			],
			threads: [{ presses: [{}, { stopAfterMs: 100 }] }],
		},
		expects: (played) =>
			expect(failedOf(played, 1)).toMatchObject([{ kind: 'stopped', outcomeUnknown: true }]),
	},
	{
		found:
			'Stop while the history was asked for a v1 request whose answer was lost: the error did not say that it runs on',
		program: {
			work: 'v1',
			faults: [fails('submit', '408, accepted'), fails('history', 'response 5 s late', 1_000)],
			threads: [{ presses: [{ stopAfterMs: 6_000 }] }],
		},
	},
	{
		found:
			'of two items of which one asks for a member more, the other one failed as ambiguous when both answers were lost',
		program: { faults: [fails('submit', '504, accepted', 2)], threads: [{ items: [0, 1] }] },
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		found:
			'of two equal losses that began apart, the row of the second went to the first, and nobody could have the other row',
		program: {
			waitForCompletion: false,
			service: { historyLateMs: 3_000 },
			faults: [fails('submit', 'no response, accepted', 2)],
			threads: [{}, { beginsMs: 4_000 }],
		},
		expects: ({ executions }) =>
			expect(executions.map(({ result }) => result.error)).toEqual([undefined, undefined]),
	},
	{
		found: 'the row of a lost request went to an equal one that had been sent again meanwhile',
		program: {
			waitForCompletion: false,
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504'), fails('submit', '200 own error')],
			threads: [{ presses: [{ tries: 2 }] }, { beginsMs: 5, presses: [{}, { pauseMs: 150_000 }] }],
		},
		endsWell: true,
	},
	{
		found:
			'two equal losses and one row: one has it, and the other is not sent again unless that is free',
		program: {
			faults: [fails('submit', 'cut response, accepted'), fails('submit', '502')],
			service: { historyLateMs: 3_000 },
			threads: [{ items: [0, 0], presses: [{ tries: 2 }] }],
		},
		jobs: 1,
	},
	{
		found:
			'the row of a call under way with another credential of the same account was taken for a lost one',
		program: {
			work: 'v1',
			faults: [fails('submit', 'connection lost before acceptance', 1, 1)],
			threads: [{ presses: [{ otherCredential: true }] }, { beginsMs: 5 }],
		},
	},
	{
		found:
			'a history that answers late was dated by its arrival, so that no row fitted, and the request was sent again',
		program: {
			faults: [fails('submit', '504, accepted'), fails('history', 'response 5 s late', 1_000)],
		},
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		found:
			'the row of a lost request went to an equal one of a stopped execution, which nobody asks for any more',
		program: {
			faults: [
				fails('submit', 'no response, not accepted'),
				fails('submit', 'no response, accepted'),
			],
			threads: [{ presses: [{ stopAfterMs: 1 }] }, { beginsMs: 5 }],
		},
		expects: (played) => expect(errorOf(played, 1)).toBeUndefined(),
	},
	{
		found:
			'in the editor, calls lost after Stop were sent again, because they counted as given up while the next run asked for them',
		program: {
			options: { sendAgainIfUnsure: true },
			faults: [fails('submit', 'no response, accepted', 1_000)],
			threads: [{ mode: 'manual', items: [0, 0], presses: [{ stopAfterMs: 100 }, {}] }],
		},
		expects: (played) => {
			expect(errorOf(played, 1)).toBeUndefined();
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		found:
			'with another credential of the account, Send Again If Unsure sent again what the history shows',
		program: {
			options: { sendAgainIfUnsure: true },
			service: { historyLateMs: 40_000 },
			faults: [fails('submit', 'connection lost after acceptance')],
			threads: [{ presses: [{}, { otherCredential: true, pauseMs: 60_000 }] }],
		},
		jobs: 1,
	},
	{
		found:
			'the row of a call refused with another credential of the account may be taken for a lost one: it is free',
		program: {
			work: 'v1',
			service: { failJobs: [0] },
			faults: [fails('submit', 'connection lost before acceptance', 1, 1)],
			threads: [{ presses: [{ otherCredential: true }] }, { beginsMs: 5 }],
		},
		expects: ({ executions }) => {
			const lost = executions.find(({ thread }) => thread === 1);
			expect(lost?.result.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		},
	},
	{
		found: 'a v1 request that failed while its answer was lost was not submitted again by a retry',
		program: {
			work: 'v1',
			jobMs: [20_000],
			service: { failJobs: [0] },
			faults: [fails('submit', 'connection lost after acceptance')],
			options: { timeoutSeconds: 60 },
		},
		expects: (played) => {
			const [first, second] = played.jobs.map(({ requestId }) => requestId);
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId: first }]);
			expect(lastOf(played).json).toMatchObject([{ status: 'COMPLETED', request_id: second }]);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		found: 'a lost submission was taken for the failed one before it',
		program: {
			jobMs: [300],
			service: { failJobs: [0] },
			faults: [fails('submit', '200 own error', 2)],
			threads: [{ presses: [{ tries: 3 }] }],
		},
		expects: (played) => {
			expect(lastOf(played).json[0].request_id).toBe(played.jobs[1].requestId);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		found: 'of equal items, a lost submission was taken for one that failed without naming its id',
		program: {
			work: 'v1',
			jobMs: [15_000, 60_000],
			options: { timeoutSeconds: 20 },
			service: { failJobs: [0], history: false },
			threads: [{ items: [0, 0] }],
		},
		expects: ({ jobs }) =>
			expect(jobs.map(({ state }) => state)).toEqual(['FAILED', 'COMPLETED', 'COMPLETED']),
	},
	{
		found:
			'what an equal item was just submitting was taken for a submission whose answer was lost',
		program: {
			work: 'v1',
			queueMs: 40_000,
			jobMs: [300, 0],
			service: { failJobs: [0] },
			faults: [fails('submit', 'body stalls at 12', 2)],
			options: { maxConcurrency: 2 },
			threads: [{ items: [0, 0, 0] }],
		},
		expects: (played) =>
			expect(new Set(lastOf(played).json.map(({ request_id }) => request_id)).size).toBe(3),
	},
	...(['equal', 'ignored'] as const).map((historyModelFilter) => ({
		found: `an equal request that another person had made before was taken for a lost one (model filter ${historyModelFilter})`,
		program: {
			service: { historyModelFilter },
			faults: [fails('submit', '502')],
			elsewhere: [{ atMs: 0, body: 0, isOtherUser: false, lateMs: 0 }],
			threads: [{ beginsMs: 120_000, presses: [{ tries: 2 }] }],
		},
		endsWell: true,
	})),
	...(['connection lost after acceptance', '504, accepted'] as const).map((what) => ({
		found: `a row that does not say what was asked for was taken for the request (${what})`,
		program: {
			areRowsBare: true,
			faults: [fails('submit', what)],
			elsewhere: [{ atMs: 4_001, body: 2, isOtherUser: false, lateMs: 0 }],
			threads: [{ beginsMs: 4_000 }],
		},
		fails: { search: 'candidates', outcomeUnknown: true },
	})),
	{
		found: 'another person’s request with a member more was taken for the lost one',
		program: {
			faults: [fails('submit', 'connection lost before acceptance')],
			elsewhere: [{ atMs: 1, body: 1, isOtherUser: true, lateMs: 0 }],
		},
		fails: { search: 'candidates', outcomeUnknown: true },
	},
	{
		found: 'a first look at the history, too early to show the row, was taken for the last word',
		program: {
			options: { timeoutSeconds: 1 },
			service: { historyLateMs: 4_000 },
			faults: [fails('submit', '504, accepted')],
			threads: [{ presses: [{}, { pauseMs: 1_000 }] }],
		},
		jobs: 1,
	},
	{
		found:
			'a history that failed for a while was taken for none at all, and the request was sent again',
		program: {
			faults: [fails('submit', '504, accepted'), fails('history', '500', 1_000)],
			threads: [{ presses: [{}, {}] }],
		},
		jobs: 1,
	},
	{
		found: 'what another credential had sent was searched for with this one, and sent again',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504, accepted')],
			threads: [{ presses: [{}, { otherCredential: true }] }],
		},
		jobs: 1,
	},
	{
		found:
			'a v1 call whose connection was lost was sent again, because the history did not show it yet',
		program: {
			work: 'v1',
			service: { historyLateMs: 120_000 },
			options: { timeoutSeconds: 20 },
			faults: [fails('submit', 'connection lost after acceptance')],
			threads: [{ presses: [{}, {}] }],
		},
		jobs: 1,
	},
	{
		found: 'an answer that came after Stop was not waited for, and its id not in the log',
		program: {
			faults: [fails('submit', 'response 5 s late')],
			threads: [{ presses: [{ stopAfterMs: 1_000 }] }],
		},
		expects: ({ jobs, log }) => expect(log.join()).toContain(jobs[0].requestId),
	},
	{
		found: 'a lost request was forgotten when it was sent again and that was refused',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504, accepted'), fails('submit', '402')],
			threads: [{ presses: [{}, { pauseMs: 60_000 }] }],
		},
		jobs: 1,
	},
	{
		found: 'of two equal rows for one lost request, another person’s was taken',
		program: {
			faults: [fails('submit', '504, accepted')],
			elsewhere: [{ atMs: 1, body: 0, isOtherUser: true, lateMs: 0 }],
			threads: [{ beginsMs: 5 }],
		},
		fails: { search: 'candidates', outcomeUnknown: true },
	},
	{
		found: 'two equal losses both took the one row of a request that had failed',
		program: {
			waitForCompletion: false,
			queueMs: 0,
			jobMs: [0],
			service: { failJobs: [0] },
			faults: [
				fails('submit', 'connection lost after acceptance'),
				fails('submit', 'connection lost before acceptance'),
				fails('history', '500', 1_000, 2),
			],
			threads: [{ items: [0, 0] }],
		},
	},
	{
		found:
			'a refused v1 call that the history shows as failed, and sooner, stands back behind the lost one',
		program: {
			work: 'v1',
			jobMs: [1_600],
			service: { failJobs: [0], historyLateMs: 3_200 },
			options: { timeoutSeconds: 60 },
			faults: [fails('submit', 'connection lost after acceptance', 1, 1)],
			threads: [{ presses: [{ tries: 2 }] }],
		},
		expects: (played) => {
			expect(lastOf(played).json[0].request_id).toBe(played.jobs[1].requestId);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		found: 'a loss that has its row no longer counts beside a later equal one',
		program: {
			faults: [fails('submit', 'connection lost after acceptance', 2)],
			elsewhere: [{ atMs: 1_001, body: 0, isOtherUser: true, lateMs: 0 }],
			threads: [{}, { beginsMs: 1_000 }],
		},
		expects: (played) =>
			expect(failedOf(played, -1)).toMatchObject([{ search: 'candidates', outcomeUnknown: true }]),
	},
];
