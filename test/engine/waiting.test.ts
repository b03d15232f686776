/** Waiting for requests: states, limits, time-outs, Stop. */
import { sleep } from 'n8n-workflow';

import { hasWorkflowSettings } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { fill } from '../../nodes/shared/errors/failures';
import { saying } from '../helpers/errorTexts';
import { EACH_PROMPT, model, prompts, running, submitting } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const submits = () => emulator.it.callsOf('submit');

describe('a FAILED request', () => {
	test.each([
		['under HTTP 422 with a text', { failedStatus: 422, failedError: 'text' }],
		['under HTTP 200 with a text', { failedStatus: 200, failedError: 'text' }],
		['under HTTP 422 with an object', { failedStatus: 422, failedError: 'object' }],
		['under HTTP 200 with an object', { failedStatus: 200, failedError: 'object' }],
	] as const)('%s: the reason reaches the user', async (_name, orders) => {
		emulator.it.set({
			...orders,
			failJobs: 'all',
			failText: 'Reference audio is shorter than 2 s',
		});
		const { error } = await runNode({ parameters: running() });
		expect(error?.message).toContain('Reference audio is shorter than 2 s');
		expect(error?.message).toContain(emulator.it.jobs[0].requestId);
		expect(error?.description).toContain(CHARGE.none);
	});

	test('that is not known for a moment after its acceptance is not called expired by getStatus', async () => {
		const submitted = await runNode({
			parameters: submitting(),
		});
		emulator.it.set({ recordMs: 0, history: false });
		const { error } = await runNode({
			parameters: { resource: 'request', operation: 'getStatus', request: '={{ $json }}' },
			items: [{ json: submitted.json[0] }],
		});
		expect(error?.message).toMatch(saying(CAUSES.missingNow.what));
	});

	test('is a good item for getStatus', async () => {
		emulator.it.set({ failJobs: 'all', failedReason: 'both', queueMs: 0, jobMs: 0 });
		const {
			json: [submitted],
		} = await runNode({
			parameters: submitting({ model: model('flux-2-pro') }),
		});
		const { json, error } = await runNode({
			parameters: {
				resource: 'request',
				operation: 'getStatus',
				request: submitted.request_id as string,
			},
		});
		expect(error).toBeUndefined();
		expect(json[0]).toMatchObject({ status: 'FAILED', error_message: expect.any(String) });
		expect(json[0]).not.toHaveProperty('error');
	});
});

test('polls survive 429, 5xx, dropped and unreadable answers', async () => {
	const on = ['status', 'poll'] as const;
	emulator.it.set({ jobMs: 400 });
	emulator.it.fault({ on: [...on], do: { status: 503 } });
	emulator.it.fault({ on: [...on], after: 1, do: 'dropBeforeAccept' });
	emulator.it.fault({
		on: [...on],
		after: 2,
		do: { body: '<html>proxy</html>', contentType: 'text/html' },
	});
	emulator.it.fault({
		on: [...on],
		after: 3,
		do: { status: 429, headers: { 'retry-after': '0' } },
	});
	emulator.it.fault({ on: 'result', do: { status: 502 } });
	const { json, error } = await runNode({ parameters: running() });
	expect(error).toBeUndefined();
	expect(json[0].status).toBe('COMPLETED');
	expect(submits()).toHaveLength(1);
});

test('lasting nonsense is an error with status, excerpt and request id', async () => {
	emulator.it.fault({
		on: ['status', 'poll'],
		times: 'always',
		do: { body: 'I am a teapot', contentType: 'text/plain' },
	});
	const { error } = await runNode({
		parameters: running({}, { pollIntervalSeconds: 1 }),
	});
	expect(error?.message).toMatch(saying(CAUSES.unusableStatus.what, 'I am a teapot'));
	expect(error?.context).toMatchObject({
		failedItems: [{ requestId: emulator.it.jobs[0].requestId }],
	});
});

test('an unknown status word means still running', async () => {
	emulator.it.set({ progressWord: 'WARMING_UP' });
	const { json } = await runNode({ parameters: running() });
	expect(json[0].status).toBe('COMPLETED');
});

test('a rate limit is waited out, submissions first', async () => {
	emulator.it.set({ rateLimit: { perMinute: 5, windowMs: 3_000 } });
	const { json, error } = await runNode({
		parameters: running({ prompt: EACH_PROMPT }),
		items: prompts(7),
		credentialId: 'limited',
	});
	expect(error).toBeUndefined();
	expect(json).toHaveLength(7);
	expect(emulator.it.jobs).toHaveLength(7);
	// Five of the seven fit the first window; the other two come first in the next one.
	expect(submits().filter(({ status }) => status === 429)).toHaveLength(2);
});

test('items run concurrently, at most as many at once as Max Items at Once says', async () => {
	emulator.it.set({ jobMs: 300 });
	await runNode({
		parameters: running({ prompt: EACH_PROMPT }, { maxConcurrency: 2 }),
		items: prompts(4),
	});
	const [first, second, third] = emulator.it.jobs;
	expect(second.submittedAt).toBeLessThan(first.finishedAt as number);
	expect(third.submittedAt).toBeGreaterThanOrEqual(first.finishedAt as number);
});

describe('time-out', () => {
	beforeEach(() => emulator.it.set({ jobMs: 60_000 }));

	test('is an error that names the request and says how to go on', async () => {
		const { error } = await runNode({
			parameters: running({}, { timeoutSeconds: 1 }),
		});
		const request = emulator.it.jobs[0].requestId;
		expect(error?.message).toContain(
			fill(CAUSES.stillRunning.what, { request, state: 'PROCESSING', seconds: 1 }),
		);
		expect(error?.description).toMatch(saying(CAUSES.stillRunning.todo, CAUSES.stillRunning.retry));
	});

	test('can return the request instead, ready for Get Result', async () => {
		const { json } = await runNode({
			parameters: running({}, { timeoutSeconds: 1, onTimeout: 'returnRequest' }),
		});
		expect(json[0]).toEqual({
			request_id: emulator.it.jobs[0].requestId,
			status: 'PROCESSING',
			submitted_at: new Date(emulator.it.jobs[0].submittedAt).toISOString(),
			model: 'nano-banana-pro',
			poll_url: expect.stringContaining('/v1/requests/'),
			status_url: expect.stringMatching(/\/v2\/requests\/.*\/status$/),
			response_url: expect.stringContaining('/v2/requests/'),
		});
	});

	(hasWorkflowSettings ? test : test.skip)(
		"a hint says when the workflow's own limit comes first",
		async () => {
			const { hints } = await runNode({
				parameters: running({}, { timeoutSeconds: 2, onTimeout: 'returnRequest' }),
				settings: { executionTimeout: 1 },
			});
			expect(hints.join()).toContain("workflow's own timeout of 1 s is shorter");
		},
	);
});

describe('Stop', () => {
	test('while waiting: settles at once, and says that the job runs on', async () => {
		emulator.it.set({ jobMs: 60_000 });
		let pressedAt = 0;
		const { log, endedAt } = await runNode({
			parameters: running({}, { pollIntervalSeconds: 30 }),
			whileRunning: async (stop, accepted) => {
				await until(() => accepted.length === 1);
				pressedAt = Date.now();
				stop();
			},
		});
		expect(endedAt - pressedAt).toBeLessThan(500);
		expect(log.join()).toContain(emulator.it.jobs[0].requestId);
	});

	test('during a submission: it is let finish, and its id is logged', async () => {
		emulator.it.fault({ on: 'submit', do: { delayMs: 400 } });
		const { log } = await runNode({
			parameters: running(),
			whileRunning: async (stop) => {
				await until(() => emulator.it.callsOf('submit').length === 1);
				stop();
				await emulator.it.idle();
				await until(() => emulator.it.jobs.length === 1);
			},
			logUntil: (lines) => lines.length === 1,
		});
		expect(log[0]).toContain(emulator.it.jobs[0].requestId);
		expect(emulator.it.callsOf('status')).toEqual([]);
	});

	test('before: no call is started, also when Retry On Fail calls the node again', async () => {
		emulator.it.set({ jobMs: 60_000 });
		await runNode({
			parameters: running({ prompt: EACH_PROMPT }, { maxConcurrency: 1 }),
			items: prompts(3),
			tries: 3,
			whileRunning: async (stop) => {
				await until(() => emulator.it.callsOf('status').length > 0);
				stop();
			},
		});
		const calls = emulator.it.calls.length;
		await emulator.it.idle();
		expect(submits()).toHaveLength(1);
		expect(emulator.it.calls).toHaveLength(calls);
	});
});

/** Resolves as soon as something seen from outside is true. */
async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await sleep(5);
}
