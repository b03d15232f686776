/** Programs in which the campaign found bugs with lost responses. */
import { errorOf, failedItemsOf, fails, lastOf, type Regression } from './regression';

export const LOST_RESPONSE_REGRESSIONS: Regression[] = [
	{
		title:
			'a history response without a list does not count as an empty history, so the request is not resent',
		program: {
			faults: [fails('submit', '408, accepted'), fails('history', '200 with an error', 1_000)],
		},
		failsWith: { kind: 'unknownOutcome', search: 'outOfReach' },
	},
	{
		title: 'Stop during the search for an earlier request does not say "Nothing was charged"',
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
			expect(failedItemsOf(played, 1)).toMatchObject([{ kind: 'stopped', outcomeUnknown: true }]),
	},
	{
		title: 'Stop during the search for a lost v1 request says that the request is still running',
		program: {
			work: 'v1',
			faults: [fails('submit', '408, accepted'), fails('history', 'response 5 s late', 1_000)],
			threads: [{ presses: [{ stopAfterMs: 6_000 }] }],
		},
	},
	{
		title: 'two lost requests are both found if one has one more member than the other',
		program: { faults: [fails('submit', '504, accepted', 2)], threads: [{ items: [0, 1] }] },
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		title: 'two identical lost requests that were sent at different times each find a row',
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
		title:
			'an identical request that was resent in the meantime does not take the row of a lost request',
		program: {
			waitForCompletion: false,
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504'), fails('submit', '200 with an error')],
			threads: [{ presses: [{ tries: 2 }] }, { beginsMs: 5, presses: [{}, { pauseMs: 150_000 }] }],
		},
		endsWell: true,
	},
	{
		title:
			'if two identical lost requests have only one row, one adopts it, and the other is resent only if that is free',
		program: {
			faults: [fails('submit', 'cut response, accepted'), fails('submit', '502')],
			service: { historyLateMs: 3_000 },
			threads: [{ items: [0, 0], presses: [{ tries: 2 }] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a call under way with another credential of the account is not taken for a lost request',
		program: {
			work: 'v1',
			faults: [fails('submit', 'connection lost before acceptance', 1, 1)],
			threads: [{ presses: [{ otherCredential: true }] }, { beginsMs: 5 }],
		},
	},
	{
		title: 'rows match even if the history responds late',
		program: {
			faults: [fails('submit', '504, accepted'), fails('history', 'response 5 s late', 1_000)],
		},
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		title: 'an identical request of a stopped execution does not take the row of a lost request',
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
		title:
			'in the editor, the next run finds calls that were lost after Stop, and does not resend them',
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
		title:
			'with another credential of the account, Send Again If Unsure does not resend what the history shows',
		program: {
			options: { sendAgainIfUnsure: true },
			service: { historyLateMs: 40_000 },
			faults: [fails('submit', 'connection lost after acceptance')],
			threads: [{ presses: [{}, { otherCredential: true, pauseMs: 60_000 }] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a call that was rejected with another credential of the account may be taken for a lost one, because it is free',
		program: {
			work: 'v1',
			service: { failJobs: [0] },
			faults: [fails('submit', 'connection lost before acceptance', 1, 1)],
			threads: [{ presses: [{ otherCredential: true }] }, { beginsMs: 5 }],
		},
		expects: ({ executions }) => {
			const lost = executions.find(({ threadIndex }) => threadIndex === 1);
			expect(lost?.result.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		},
	},
	{
		title: 'a retry resends a v1 request that failed while its response was lost',
		program: {
			work: 'v1',
			jobMs: [20_000],
			service: { failJobs: [0] },
			faults: [fails('submit', 'connection lost after acceptance')],
			options: { timeoutSeconds: 60 },
		},
		expects: (played) => {
			const [first, second] = played.jobs.map(({ requestId }) => requestId);
			expect(failedItemsOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId: first }]);
			expect(lastOf(played).json).toMatchObject([{ status: 'COMPLETED', request_id: second }]);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		title: 'a lost submission is not taken for the failed one before it',
		program: {
			jobMs: [300],
			service: { failJobs: [0] },
			faults: [fails('submit', '200 with an error', 2)],
			threads: [{ presses: [{ tries: 3 }] }],
		},
		expects: (played) => {
			expect(lastOf(played).json[0].request_id).toBe(played.jobs[1].requestId);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		title: 'of identical items, a lost submission is not taken for one that failed without an ID',
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
		title: 'a submission of an identical item that is under way is not taken for a lost one',
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
		title: `an identical earlier request of another person is not taken for a lost one (model filter ${historyModelFilter})`,
		program: {
			service: { historyModelFilter },
			faults: [fails('submit', '502')],
			otherRequests: [{ atMs: 0, body: 0, isOtherUser: false, lateMs: 0 }],
			threads: [{ beginsMs: 120_000, presses: [{ tries: 2 }] }],
		},
		endsWell: true,
	})),
	...(['connection lost after acceptance', '504, accepted'] as const).map((what) => ({
		title: `a row without a request body is only a candidate (${what})`,
		program: {
			areRowsBare: true,
			faults: [fails('submit', what)],
			otherRequests: [{ atMs: 4_001, body: 2, isOtherUser: false, lateMs: 0 }],
			threads: [{ beginsMs: 4_000 }],
		},
		failsWith: { search: 'candidates', outcomeUnknown: true },
	})),
	{
		title: 'another person’s request with one more member is only a candidate',
		program: {
			faults: [fails('submit', 'connection lost before acceptance')],
			otherRequests: [{ atMs: 1, body: 1, isOtherUser: true, lateMs: 0 }],
		},
		failsWith: { search: 'candidates', outcomeUnknown: true },
	},
	{
		title: 'a search that is too early to show the row is not final',
		program: {
			options: { timeoutSeconds: 1 },
			service: { historyLateMs: 4_000 },
			faults: [fails('submit', '504, accepted')],
			threads: [{ presses: [{}, { pauseMs: 1_000 }] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a history that fails for a while does not count as missing, so the request is not resent',
		program: {
			faults: [fails('submit', '504, accepted'), fails('history', '500', 1_000)],
			threads: [{ presses: [{}, {}] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a request that was sent with another credential is not searched for and resent with this one',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504, accepted')],
			threads: [{ presses: [{}, { otherCredential: true }] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a v1 call whose connection was lost is not resent while the history does not show it yet',
		program: {
			work: 'v1',
			service: { historyLateMs: 120_000 },
			options: { timeoutSeconds: 20 },
			faults: [fails('submit', 'connection lost after acceptance')],
			threads: [{ presses: [{}, {}] }],
		},
		jobCount: 1,
	},
	{
		title: 'the ID in a response that arrives after Stop is logged',
		program: {
			faults: [fails('submit', 'response 5 s late')],
			threads: [{ presses: [{ stopAfterMs: 1_000 }] }],
		},
		expects: ({ jobs, log }) => expect(log.join()).toContain(jobs[0].requestId),
	},
	{
		title: 'a lost request is remembered if resending it is rejected',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [fails('submit', '504, accepted'), fails('submit', '402')],
			threads: [{ presses: [{}, { pauseMs: 60_000 }] }],
		},
		jobCount: 1,
	},
	{
		title: 'if a lost request has two identical rows, neither is adopted',
		program: {
			faults: [fails('submit', '504, accepted')],
			otherRequests: [{ atMs: 1, body: 0, isOtherUser: true, lateMs: 0 }],
			threads: [{ beginsMs: 5 }],
		},
		failsWith: { search: 'candidates', outcomeUnknown: true },
	},
	{
		title: 'two identical lost requests do not both take the one row of a failed request',
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
		title:
			'a lost v1 call takes precedence over a rejected one that the history shows earlier, as failed',
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
		title: 'a lost request that has its row no longer counts for a later identical one',
		program: {
			faults: [fails('submit', 'connection lost after acceptance', 2)],
			otherRequests: [{ atMs: 1_001, body: 0, isOtherUser: true, lateMs: 0 }],
			threads: [{}, { beginsMs: 1_000 }],
		},
		expects: (played) =>
			expect(failedItemsOf(played, -1)).toMatchObject([
				{ search: 'candidates', outcomeUnknown: true },
			]),
	},
];
