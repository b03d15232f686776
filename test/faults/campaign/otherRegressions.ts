/** Programs in which the campaign found bugs, except bugs with lost responses. */
import { textsOf } from '../failures';
import { callsOf, errorOf, failedItemsOf, fails, lastOf, type Regression } from './regression';
import type { Played } from './played';

export const OTHER_REGRESSIONS: Regression[] = [
	{
		title:
			'after Stop, the next attempt of Retry On Fail does not say "Nothing was charged" about what the first attempt sent',
		program: { work: 'v1', threads: [{ presses: [{ tries: 2, stopAfterMs: 1_000 }] }] },
	},
	{
		title: 'the error of a retry names the requests of items that an earlier attempt finished',
		program: {
			service: { history: false },
			faults: [fails('submit', 'connection lost before acceptance')],
			threads: [{ items: [0, 0], presses: [{}, {}] }],
		},
		expects: (played) =>
			expect(errorOf(played, 1)?.description).toContain(played.jobs[0].requestId),
	},
	{
		title:
			'a retry that starts from the first snapshot is not charged again for a later round of a loop',
		program: {
			service: { history: false, failJobs: [0] },
			faults: [fails('submit', 'connection lost after acceptance', 1, 2)],
			threads: [{ rounds: 2, presses: [{}, {}, { from: 'first' }] }],
		},
	},
	{
		title:
			'in the editor, a v1 call that is still under way after Stop is charged and delivered once',
		program: {
			work: 'v1',
			jobMs: [60_000],
			threads: [{ mode: 'manual', presses: [{ stopAfterMs: 10 }, {}] }],
		},
		jobCount: 1,
	},
	{
		title:
			'a completed result without content is fetched again for only a minute, not until the timeout',
		program: { service: { resultShape: 'allNull' } },
		expects: (played) => {
			expect(failedItemsOf(played, 0)).toMatchObject([{ kind: 'unreadable', charge: 'completed' }]);
			expect(callsOf(played, 0, 'result').length).toBeLessThan(12);
		},
	},
	{
		title: 'in the editor, the third press finds a v1 call whose response arrived after two Stops',
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
		title: `the error of a request sent after a failed one (${what}) does not name the failed one`,
		program: {
			service: { failJobs: [0], history: false },
			faults: [fails('submit', what, 1, 1)],
			threads: [{ presses: [{}, {}] }],
		},
		expects: (played: Played) => {
			const { requestId } = played.jobs[0];
			expect(failedItemsOf(played, 0)).toMatchObject([{ kind: 'requestFailed', requestId }]);
			expect(JSON.stringify(textsOf(played.executions[1].result))).not.toContain(requestId);
		},
	})),
	...(['run', 'v1', 'workflow'] as const).map((work) => ({
		title: `the error about a cut response (${work}) does not show the HTTP library's code err_bad_response`,
		program: { work, service: { history: false }, faults: [fails('submit', 'body cut at 12')] },
		failsWith: { kind: 'unknownOutcome' },
	})),
	{
		title: 'a stalled download is repeated after a minute',
		program: { options: { downloadOutput: true }, faults: [fails('file', 'body stalls at 12')] },
		expects: (played) => {
			const [first, second] = callsOf(played, 0, 'file');
			expect(second.at - first.at).toBeLessThan(65_000);
			expect(lastOf(played).items[0].binary).toHaveProperty('data');
		},
	},
	{
		title: 'a slow download that makes progress is not cut off',
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
		title:
			'an expired request is searched for, not reported as queued, after a rate limit held all calls back',
		program: {
			options: { timeoutSeconds: 1, pollIntervalSeconds: 7 },
			faults: [fails('status', '429, reset in the year 9999')],
			threads: [{ presses: [{}, { pauseMs: 3_700_000 }] }],
		},
		expects: (played) => {
			expect(failedItemsOf(played, 0)).toMatchObject([{ kind: 'timedOut' }]);
			expect(lastOf(played).json).toMatchObject([{ status: 'COMPLETED' }]);
			// The history still has the request when its status has expired.
			expect(callsOf(played, 1, 'history')).toContainEqual(
				expect.objectContaining({ requestId: played.jobs[0].requestId }),
			);
		},
	},
	{
		title: 'Stop does not wait for an upload',
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
		title:
			'a request that the service forgets within its hour is missing, not expired, and is not resent',
		program: {
			jobMs: [60_000],
			service: { recordMs: 20_000, history: false },
			options: { sendAgainIfUnsure: true },
		},
		expects: (played) => {
			expect(failedItemsOf(played, 0)).toMatchObject([{ kind: 'missing' }]);
			expect(played.jobs).toHaveLength(1);
		},
	},
	{
		title: 'a file that is uploaded again stays with its item',
		program: {
			work: 'asset',
			faults: [fails('upload', 'connection lost after acceptance', 2)],
			threads: [{ items: [0, 2], presses: [{ tries: 2 }] }],
		},
		endsWell: true,
	},
	{
		title: 'of two simultaneous presses of one button, only one resumes the request that Stop left',
		program: {
			jobMs: [60_000],
			threads: [
				{ mode: 'manual', editorNode: 0, presses: [{ stopAfterMs: 1_000 }, {}] },
				{ mode: 'manual', editorNode: 0, beginsMs: 16_100 },
			],
		},
		jobCount: 2,
	},
];
