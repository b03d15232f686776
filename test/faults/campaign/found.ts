/** What the campaign found, and what it must go on finding: one short program each. The rules hold in each of them. */
import type { Played } from './play';
import { PRESS, QUIET, THREAD, type Program } from './program';

interface Found {
	found: string;
	program: Partial<Program>;
	/** What the rules alone do not see. */
	expects?: (played: Played) => void;
}

const errorOf = ({ executions }: Played, at: number) => executions[at].result.error;
const failedOf = ({ executions }: Played, at: number) => executions[at].result.failed;
const textOf = (error: ReturnType<typeof errorOf>) =>
	`${error?.message}\n${error?.description}\n${JSON.stringify(error?.context)}`;
const lastOf = ({ executions }: Played) => executions[executions.length - 1].result;
const callsOf = ({ executions }: Played, at: number, kind: string) =>
	executions[at].calls.filter((call) => call.kind === kind);

/** What the random programs found. The rules of ./moneyRules.ts hold in each. */
export const FOUND: Found[] = [
	{
		found:
			'a history that answers without a list was taken for an empty one, and the request was sent and paid again',
		program: {
			faults: [
				{ on: 'submit', after: 0, times: 1, what: '408, accepted' },
				{ on: 'history', after: 0, times: 1_000, what: '200 own error' },
			],
			threads: [THREAD],
		},
		expects: (played) =>
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]),
	},
	{
		found:
			'after Stop, the try of Retry On Fail that follows said "Nothing was charged" of what the first one had sent',
		program: {
			work: 'v1',
			threads: [{ ...THREAD, presses: [{ ...PRESS, tries: 2, stopAfterMs: 1_000 }] }],
		},
	},
	{
		found:
			'Stop while an earlier try was looked for in the history: "Nothing was charged", though it may have been',
		program: {
			service: { historyLateMs: 120_000 },
			faults: [
				{ on: 'submit', after: 0, times: 1, what: 'connection lost after acceptance' },
				{ on: 'history', after: 4, times: 1, what: 'answer 5 s late' },
			],
			threads: [{ ...THREAD, presses: [PRESS, { ...PRESS, stopAfterMs: 100 }] }],
		},
		expects: (played) =>
			expect(failedOf(played, 1)).toMatchObject([{ kind: 'stopped', outcomeUnknown: true }]),
	},
	{
		found:
			'Stop while the history was asked for a v1 request whose answer was lost: the error did not say that it runs on',
		program: {
			work: 'v1',
			faults: [
				{ on: 'submit', after: 0, times: 1, what: '408, accepted' },
				{ on: 'history', after: 0, times: 1_000, what: 'answer 5 s late' },
			],
			threads: [{ ...THREAD, presses: [{ ...PRESS, stopAfterMs: 6_000 }] }],
		},
	},
	{
		found:
			'the error of a retry did not name the requests of items that an earlier try had finished',
		program: {
			service: { history: false },
			faults: [{ on: 'submit', after: 0, times: 1, what: 'connection lost before acceptance' }],
			threads: [{ ...THREAD, items: [0, 0], presses: [PRESS, PRESS] }],
		},
		expects: (played) =>
			expect(errorOf(played, 1)?.description).toContain(played.jobs[0].requestId),
	},
	{
		found:
			'of two items of which one asks for a member more, the other one failed as ambiguous when both answers were lost',
		program: {
			faults: [{ on: 'submit', after: 0, times: 2, what: '504, accepted' }],
			threads: [{ ...THREAD, items: [0, 1] }],
		},
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		found: 'a retry that starts from the first snapshot paid again for a later round of a loop',
		program: {
			service: { history: false, failJobs: [0] },
			faults: [{ on: 'submit', after: 2, times: 1, what: 'connection lost after acceptance' }],
			threads: [{ ...THREAD, rounds: 2, presses: [PRESS, PRESS, { ...PRESS, from: 'first' }] }],
		},
	},
	{
		found:
			'of two equal losses that began apart, the row of the second went to the first, and nobody could have the other row',
		program: {
			waitForCompletion: false,
			service: { historyLateMs: 3_000 },
			faults: [{ on: 'submit', after: 0, times: 2, what: 'no answer, accepted' }],
			threads: [THREAD, { ...THREAD, beginsMs: 4_000 }],
		},
		expects: ({ executions }) =>
			expect(executions.map(({ result }) => result.error)).toEqual([undefined, undefined]),
	},
	{
		found: 'the row of a lost request went to an equal one that had been sent again meanwhile',
		program: {
			waitForCompletion: false,
			service: { historyLateMs: 120_000 },
			faults: [
				{ on: 'submit', after: 0, times: 1, what: '504' },
				{ on: 'submit', after: 0, times: 1, what: '200 own error' },
			],
			threads: [
				{ ...THREAD, presses: [{ ...PRESS, tries: 2 }] },
				{ ...THREAD, beginsMs: 5, presses: [PRESS, { ...PRESS, pauseMs: 150_000 }] },
			],
		},
		expects: ({ executions }) => expect(executions.at(-1)?.result.error).toBeUndefined(),
	},
	{
		found:
			'two equal losses and one row: one has it, and the other is not sent again unless that is free',
		program: {
			faults: [
				{ on: 'submit', after: 0, times: 1, what: 'cut answer, accepted' },
				{ on: 'submit', after: 0, times: 1, what: '502' },
			],
			service: { historyLateMs: 3_000 },
			threads: [{ ...THREAD, items: [0, 0], presses: [{ ...PRESS, tries: 2 }] }],
		},
		expects: ({ jobs }) => expect(jobs).toHaveLength(1),
	},
	{
		found:
			'the row of a call under way with another credential of the same account was taken for a lost one',
		program: {
			work: 'v1',
			faults: [{ on: 'submit', after: 1, times: 1, what: 'connection lost before acceptance' }],
			threads: [
				{ ...THREAD, presses: [{ ...PRESS, otherCredential: true }] },
				{ ...THREAD, beginsMs: 5 },
			],
		},
	},
	{
		found:
			'in the editor, a v1 call still under way after Stop was paid a second time, or delivered twice',
		program: {
			work: 'v1',
			jobMs: [60_000],
			threads: [
				{
					...THREAD,
					mode: 'manual',
					presses: [{ ...PRESS, stopAfterMs: 10 }, PRESS],
				},
			],
		},
		expects: ({ jobs }) => expect(jobs).toHaveLength(1),
	},
	{
		found:
			'a history that answers late was dated by its arrival, so that no row fitted, and the request was sent again',
		program: {
			faults: [
				{ on: 'submit', after: 0, times: 1, what: '504, accepted' },
				{ on: 'history', after: 0, times: 1_000, what: 'answer 5 s late' },
			],
			threads: [THREAD],
		},
		expects: (played) => expect(errorOf(played, 0)).toBeUndefined(),
	},
	{
		found:
			'a completed result without content was asked for until the time-out instead of for a minute',
		program: { service: { resultShape: 'allNull' }, threads: [THREAD] },
		expects: (played) => {
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'unreadable', charge: 'completed' }]);
			expect(callsOf(played, 0, 'result').length).toBeLessThan(12);
		},
	},
	{
		found:
			'the row of a lost request went to an equal one of a stopped execution, which nobody asks for any more',
		program: {
			faults: [
				{ on: 'submit', after: 0, times: 1, what: 'no answer, not accepted' },
				{ on: 'submit', after: 0, times: 1, what: 'no answer, accepted' },
			],
			threads: [
				{ ...THREAD, presses: [{ ...PRESS, stopAfterMs: 1 }] },
				{ ...THREAD, beginsMs: 5 },
			],
		},
		expects: (played) => expect(errorOf(played, 1)).toBeUndefined(),
	},
	{
		found:
			'in the editor, calls lost after Stop were sent again, because they counted as given up while the next run asked for them',
		program: {
			options: { ...QUIET.options, resubmitWhenUnknown: true },
			faults: [{ on: 'submit', after: 0, times: 1_000, what: 'no answer, accepted' }],
			threads: [
				{
					...THREAD,
					mode: 'manual',
					items: [0, 0],
					presses: [{ ...PRESS, stopAfterMs: 100 }, PRESS],
				},
			],
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
			options: { ...QUIET.options, resubmitWhenUnknown: true },
			service: { historyLateMs: 40_000 },
			faults: [{ on: 'submit', after: 0, times: 1, what: 'connection lost after acceptance' }],
			threads: [
				{ ...THREAD, presses: [PRESS, { ...PRESS, otherCredential: true, pauseMs: 60_000 }] },
			],
		},
		expects: ({ jobs }) => expect(jobs).toHaveLength(1),
	},
	{
		found:
			'in the editor, a v1 call that was answered after two Stops was unknown to the third press',
		program: {
			work: 'v1',
			jobMs: [60_000],
			threads: [
				{
					...THREAD,
					mode: 'manual',
					presses: [
						{ ...PRESS, stopAfterMs: 10 },
						{ ...PRESS, stopAfterMs: 100 },
						{ ...PRESS, pauseMs: 60_000 },
					],
				},
			],
		},
		expects: (played) => {
			expect(errorOf(played, 2)).toBeUndefined();
			expect(played.jobs).toHaveLength(1);
		},
	},
	{
		found:
			'the row of a call refused with another credential of the account may be taken for a lost one: it is free',
		program: {
			work: 'v1',
			service: { failJobs: [0] },
			faults: [{ on: 'submit', after: 1, times: 1, what: 'connection lost before acceptance' }],
			threads: [
				{ ...THREAD, presses: [{ ...PRESS, otherCredential: true }] },
				{ ...THREAD, beginsMs: 5 },
			],
		},
		expects: ({ executions }) => {
			const lost = executions.find(({ thread }) => thread === 1);
			expect(lost?.result.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		},
	},
	...(['500', 'no answer, accepted'] as const).map((what) => ({
		found: `the error of a request sent again after one that failed (${what}) named the one that had been given up`,
		program: {
			service: { failJobs: [0], history: false },
			faults: [{ on: 'submit' as const, after: 1, times: 1, what }],
			threads: [{ ...THREAD, presses: [PRESS, PRESS] }],
		},
		expects: (played: Played) => {
			const { requestId } = played.jobs[0];
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId }]);
			expect(textOf(errorOf(played, 1))).not.toContain(requestId);
		},
	})),
	...(['run', 'v1', 'workflow'] as const).map((work) => ({
		found: `an answer that was cut short (${work}) was told by the HTTP library's own code, err_bad_response`,
		program: {
			work,
			service: { history: false },
			faults: [{ on: 'submit' as const, after: 0, times: 1, what: 'body cut at 12' as const }],
			threads: [THREAD],
		},
		expects: (played: Played) =>
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'unknownOutcome' }]),
	})),
	{
		found:
			'a download that stood still was waited for without end: after a minute it is tried again',
		program: {
			options: { ...QUIET.options, downloadOutput: true },
			faults: [{ on: 'file', after: 0, times: 1, what: 'body stalls at 12' }],
		},
		expects: (played) => {
			const [first, second] = callsOf(played, 0, 'file');
			expect(second.at - first.at).toBeLessThan(65_000);
			expect(lastOf(played).items[0].binary).toHaveProperty('data');
		},
	},
	{
		found: 'a download that was slow but went on was cut off',
		program: {
			options: { ...QUIET.options, downloadOutput: true },
			faults: [{ on: 'file', after: 0, times: 1_000, what: 'body trickles for 8 min' }],
		},
		expects: (played) => {
			expect(lastOf(played).items[0].binary).toHaveProperty('data');
			expect(callsOf(played, 0, 'file')).toHaveLength(1);
		},
	},
	{
		found: 'a v1 request that failed while its answer was lost was not submitted again by a retry',
		program: {
			work: 'v1',
			jobMs: [20_000],
			service: { failJobs: [0] },
			faults: [{ on: 'submit', after: 0, times: 1, what: 'connection lost after acceptance' }],
			options: { ...QUIET.options, timeoutSeconds: 60 },
		},
		expects: (played) => {
			const [first, second] = played.jobs.map(({ requestId }) => requestId);
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId: first }]);
			expect(lastOf(played).json).toMatchObject([{ status: 'COMPLETED', request_id: second }]);
			expect(played.jobs).toHaveLength(2);
		},
	},
	{
		found:
			'a request whose hour was over was called queued, not looked for, while a rate limit held all calls back',
		program: {
			options: { ...QUIET.options, timeoutSeconds: 1, pollIntervalSeconds: 7 },
			faults: [{ on: 'status', after: 0, times: 1, what: '429, reset in the year 9999' }],
			threads: [{ ...THREAD, presses: [PRESS, { ...PRESS, pauseMs: 3_700_000 }] }],
		},
		expects: (played) => {
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'timeUp' }]);
			expect(lastOf(played).json).toMatchObject([{ status: 'COMPLETED' }]);
			// The history knows it when the service's record of it is gone.
			expect(callsOf(played, 1, 'history')).toContainEqual(
				expect.objectContaining({ requestId: played.jobs[0].requestId }),
			);
		},
	},
	{
		found: 'Stop waited for an upload',
		program: {
			file: 'sent',
			faults: [{ on: 'upload', after: 0, times: 1, what: 'no answer, not accepted' }],
			threads: [{ ...THREAD, presses: [{ ...PRESS, stopAfterMs: 20_000 }] }],
		},
		expects: ({ executions, jobs }) => {
			expect(executions[0].stoppedAt).toBeDefined();
			expect(jobs).toEqual([]);
		},
	},
	{
		found: 'a lost submission was taken for the failed one before it',
		program: {
			jobMs: [300],
			service: { failJobs: [0] },
			faults: [{ on: 'submit', after: 0, times: 2, what: '200 own error' }],
			threads: [{ ...THREAD, presses: [{ ...PRESS, tries: 3 }] }],
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
			options: { ...QUIET.options, timeoutSeconds: 20 },
			service: { failJobs: [0], history: false },
			threads: [{ ...THREAD, items: [0, 0] }],
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
			faults: [{ on: 'submit', after: 0, times: 2, what: 'body stalls at 12' }],
			options: { ...QUIET.options, maxConcurrency: 2 },
			threads: [{ ...THREAD, items: [0, 0, 0] }],
		},
		expects: (played) =>
			expect(new Set(lastOf(played).json.map(({ request_id }) => request_id)).size).toBe(3),
	},
	...(['equal', 'ignored'] as const).map((historyModelFilter) => ({
		found: `an equal request that another person had made before was taken for a lost one (model filter ${historyModelFilter})`,
		program: {
			service: { historyModelFilter },
			faults: [{ on: 'submit' as const, after: 0, times: 1, what: '502' as const }],
			elsewhere: [{ atMs: 0, body: 0, isOtherUser: false, lateMs: 0 }],
			threads: [{ ...THREAD, beginsMs: 120_000, presses: [{ ...PRESS, tries: 2 }] }],
		},
		expects: (played: Played) => expect(lastOf(played).error).toBeUndefined(),
	})),
	...(['connection lost after acceptance', '504, accepted'] as const).map((what) => ({
		found: `a row that does not say what was asked for was taken for the request (${what})`,
		program: {
			areRowsBare: true,
			faults: [{ on: 'submit' as const, after: 0, times: 1, what }],
			elsewhere: [{ atMs: 4_001, body: 2, isOtherUser: false, lateMs: 0 }],
			threads: [{ ...THREAD, beginsMs: 4_000 }],
		},
		expects: (played: Played) =>
			expect(failedOf(played, 0)).toMatchObject([{ search: 'candidates', outcomeUnknown: true }]),
	})),
	{
		found: 'another person’s request with a member more was taken for the lost one',
		program: {
			faults: [{ on: 'submit', after: 0, times: 1, what: 'connection lost before acceptance' }],
			elsewhere: [{ atMs: 1, body: 1, isOtherUser: true, lateMs: 0 }],
		},
		expects: (played) =>
			expect(failedOf(played, 0)).toMatchObject([{ search: 'candidates', outcomeUnknown: true }]),
	},
	{
		found: 'a record that was gone within its hour was called expired, and its request sent again',
		program: {
			jobMs: [60_000],
			service: { recordMs: 20_000, history: false },
			options: { ...QUIET.options, resubmitWhenUnknown: true },
		},
		expects: (played) => {
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'missing' }]);
			expect(played.jobs).toHaveLength(1);
		},
	},
	{
		found: 'a file that was sent again went to another item',
		program: {
			work: 'asset',
			faults: [{ on: 'upload', after: 0, times: 2, what: 'connection lost after acceptance' }],
			threads: [{ ...THREAD, items: [0, 2], presses: [{ ...PRESS, tries: 2 }] }],
		},
		expects: (played) => expect(lastOf(played).error).toBeUndefined(),
	},
];
