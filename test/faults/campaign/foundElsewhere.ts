/** Faults that the campaign found, except with lost responses. The rules hold in each program now. */
import { textsOf } from '../failures';
import { callsOf, errorOf, failedOf, fails, lastOf, type Found } from './foundCase';
import type { Played } from './played';

export const FOUND_ELSEWHERE: Found[] = [
	{
		found:
			'after Stop, the try of Retry On Fail that follows said "Nothing was charged" of what the first one had sent',
		program: { work: 'v1', threads: [{ presses: [{ tries: 2, stopAfterMs: 1_000 }] }] },
	},
	{
		found:
			'the error of a retry did not name the requests of items that an earlier try had finished',
		program: {
			service: { history: false },
			faults: [fails('submit', 'connection lost before acceptance')],
			threads: [{ items: [0, 0], presses: [{}, {}] }],
		},
		expects: (played) =>
			expect(errorOf(played, 1)?.description).toContain(played.jobs[0].requestId),
	},
	{
		found: 'a retry that starts from the first snapshot paid again for a later round of a loop',
		program: {
			service: { history: false, failJobs: [0] },
			faults: [fails('submit', 'connection lost after acceptance', 1, 2)],
			threads: [{ rounds: 2, presses: [{}, {}, { from: 'first' }] }],
		},
	},
	{
		found:
			'in the editor, a v1 call still under way after Stop was paid a second time, or delivered twice',
		program: {
			work: 'v1',
			jobMs: [60_000],
			threads: [{ mode: 'manual', presses: [{ stopAfterMs: 10 }, {}] }],
		},
		jobs: 1,
	},
	{
		found:
			'a completed result without content was asked for until the time-out instead of for a minute',
		program: { service: { resultShape: 'allNull' } },
		expects: (played) => {
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'unreadable', charge: 'completed' }]);
			expect(callsOf(played, 0, 'result').length).toBeLessThan(12);
		},
	},
	{
		found:
			'in the editor, a v1 call that was answered after two Stops was unknown to the third press',
		program: {
			work: 'v1',
			jobMs: [60_000],
			threads: [
				{
					mode: 'manual',
					presses: [{ stopAfterMs: 10 }, { stopAfterMs: 100 }, { pauseMs: 60_000 }],
				},
			],
		},
		expects: (played) => {
			expect(errorOf(played, 2)).toBeUndefined();
			expect(played.jobs).toHaveLength(1);
		},
	},
	...(['500', 'no response, accepted'] as const).map((what) => ({
		found: `the error of a request sent again after one that failed (${what}) named the one that had been given up`,
		program: {
			service: { failJobs: [0], history: false },
			faults: [fails('submit', what, 1, 1)],
			threads: [{ presses: [{}, {}] }],
		},
		expects: (played: Played) => {
			const { requestId } = played.jobs[0];
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId }]);
			expect(JSON.stringify(textsOf(played.executions[1].result))).not.toContain(requestId);
		},
	})),
	...(['run', 'v1', 'workflow'] as const).map((work) => ({
		found: `an answer that was cut short (${work}) was told by the HTTP library's own code, err_bad_response`,
		program: { work, service: { history: false }, faults: [fails('submit', 'body cut at 12')] },
		fails: { kind: 'unknownOutcome' },
	})),
	{
		found:
			'a download that stood still was waited for without end: after a minute it is tried again',
		program: { options: { downloadOutput: true }, faults: [fails('file', 'body stalls at 12')] },
		expects: (played) => {
			const [first, second] = callsOf(played, 0, 'file');
			expect(second.at - first.at).toBeLessThan(65_000);
			expect(lastOf(played).items[0].binary).toHaveProperty('data');
		},
	},
	{
		found: 'a download that was slow but went on was cut off',
		program: {
			options: { downloadOutput: true },
			faults: [fails('file', 'body trickles for 8 min', 1_000)],
		},
		expects: (played) => {
			expect(lastOf(played).items[0].binary).toHaveProperty('data');
			expect(callsOf(played, 0, 'file')).toHaveLength(1);
		},
	},
	{
		found:
			'a request whose hour was over was called queued, not looked for, while a rate limit held all calls back',
		program: {
			options: { timeoutSeconds: 1, pollIntervalSeconds: 7 },
			faults: [fails('status', '429, reset in the year 9999')],
			threads: [{ presses: [{}, { pauseMs: 3_700_000 }] }],
		},
		expects: (played) => {
			expect(failedOf(played, 0)).toMatchObject([{ kind: 'timedOut' }]);
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
			faults: [fails('upload', 'no response, not accepted')],
			threads: [{ presses: [{ stopAfterMs: 20_000 }] }],
		},
		expects: ({ executions, jobs }) => {
			expect(executions[0].stoppedAt).toBeDefined();
			expect(jobs).toEqual([]);
		},
	},
	{
		found: 'a record that was gone within its hour was called expired, and its request sent again',
		program: {
			jobMs: [60_000],
			service: { recordMs: 20_000, history: false },
			options: { sendAgainIfUnsure: true },
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
			faults: [fails('upload', 'connection lost after acceptance', 2)],
			threads: [{ items: [0, 2], presses: [{ tries: 2 }] }],
		},
		endsWell: true,
	},
	{
		found: 'of two presses of one button at once, only one goes on with what Stop left',
		program: {
			jobMs: [60_000],
			threads: [
				{ mode: 'manual', step: 0, presses: [{ stopAfterMs: 1_000 }, {}] },
				{ mode: 'manual', step: 0, beginsMs: 16_100 },
			],
		},
		jobs: 2,
	},
];
