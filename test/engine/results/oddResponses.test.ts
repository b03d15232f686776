/** Odd responses about an accepted request: the charged result reaches the workflow, and nothing is resent. */
import type { INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../../dev/emulator';
import { requestParams, runParams, submitParams, workflowParams } from '../../helpers/inference';
import { READ_KINDS, FORMS_OF_422, HTML, useResultWays } from '../../helpers/resultWays';
import { succeed } from '../../helpers/runNode';

const { emulator, runNode, firstId, ways, inTurn, expectDelivered } = useResultWays();
const statusChecks = { kind: ['status', 'poll'] as Array<'status' | 'poll'> };

describe('a result that is missing at first is read later [Money 5]', () => {
	const EMPTY: Record<string, FaultAction> = {
		'{}': { body: {} },
		'an error as an object': { body: { error: { message: 'try again' } } },
		'only the status': { rewrite: { without: ['output', 'images', 'image', 'video', 'metrics'] } },
		'HTML as a gateway error': { status: 502, body: HTML },
		'an empty body': { body: '', contentType: 'text/plain' },
		'half of the response': { rewrite: { cut: true } },
	};
	const completedResults = {
		kind: ['result', 'poll'] as Array<'result' | 'poll'>,
		state: 'COMPLETED' as const,
	};

	test.each(inTurn(Object.entries(EMPTY)))(
		'%s, once: the node reads it again',
		async (_what, action, _name, ask) => {
			emulator.fault({ on: completedResults, do: action });
			expectDelivered(await ask());
		},
	);

	test.each(inTurn(Object.entries(EMPTY)))(
		'%s, always: the item fails as charged and unread, and a retry reads it again',
		async (_what, action, name, ask) => {
			emulator.fault({ on: completedResults, times: 'always', do: action });
			const failed = await ask({ timeoutSeconds: 30 });
			expect(failed.failed).toMatchObject([{ requestId: firstId(), charge: 'completed' }]);
			emulator.clearFaults();
			const node = name === 'a workflow' ? 'segmindWorkflow' : 'segmind';
			const parametersOf: Record<string, INodeParameters> = {
				'a model': runParams({}, { sendAgainIfUnsure: true }),
				'a workflow': workflowParams(),
				'Get Result': requestParams('getResult'),
			};
			const parameters = parametersOf[name];
			expectDelivered(await runNode({ node, parameters, retryOf: failed }));
		},
	);

	test.each(['{}', 'an empty body'])(
		'v1, %s: the node searches the history for the charged request',
		async (what) => {
			emulator.fault({ on: 'v1', do: EMPTY[what] });
			expectDelivered(
				await runNode({ parameters: runParams({}, { answerInOneCall: true }), tries: 3 }),
			);
		},
	);
});

describe('a v1 call that is answered with an error in place of an output', () => {
	const REASON = 'The prompt was blocked';
	const inOneCall = (options = {}) => runParams({}, { answerInOneCall: true, ...options });

	test.each([
		{ error: REASON },
		{ error: { message: REASON } },
		{ error: REASON, code: 'moderation', retry: false, status: 'FAILED', images: [], text: '' },
		{ error_message: { error_message: REASON, details: { rule: 'nudity' } }, details: { a: 1 } },
		{ message: REASON },
	])('%j: it fails, may be charged, and is neither searched nor resent [Money 1]', async (body) => {
		emulator.fault({ on: 'v1', times: 'always', do: { status: 200, body } });
		const failed = await runNode({ parameters: inOneCall(), tries: 3 });
		const failure = { kind: 'requestFailed', charge: 'perhaps' };
		expect(failed.failed).toMatchObject([failure]);
		expect(failed.failed[0].reason).toContain(REASON);
		const retry = await runNode({ parameters: inOneCall(), retryOf: failed });
		expect(retry.failed).toMatchObject([failure]);
		expect(emulator.calls.map(({ kind }) => kind)).toEqual(['v1']);

		emulator.clearFaults();
		const parameters = inOneCall({ sendAgainIfUnsure: true });
		expect(succeed(await runNode({ parameters, retryOf: failed })).hints).toHaveLength(1);
		expect(emulator.calls.map(({ kind }) => kind)).toEqual(['v1', 'v1']);
	});

	test.each([
		{ error: REASON, output: 'A poem' },
		{ error: REASON, text: 'Poem' },
		{ error: REASON, image: 'A'.repeat(64) },
		{ error: REASON, scores: { a: 1 } },
		{ error: '', code: 'ok' },
		// The words of a model.
		JSON.stringify({ error: 'No invoice was found', code: 1 }),
	])('%j has something else, so it succeeds [Money 5]', async (body) => {
		const contentType = typeof body === 'string' ? 'text/plain' : undefined;
		emulator.fault({ on: 'v1', do: { status: 200, body, contentType } });
		succeed(await runNode({ parameters: inOneCall() }));
	});

	test('the error names the request of the response', async () => {
		emulator.set({ v1Shape: 'videoUrl' });
		const without = ['output', 'video', 'images', 'image'];
		emulator.fault({ on: 'v1', do: { rewrite: { without, with: { error: REASON } } } });
		const { items } = await runNode({ parameters: inOneCall(), onError: 'continueRegularOutput' });
		expect(items[0].json.error).toMatchObject({ reason: REASON, request_id: firstId() });
	});
});

describe('422 is not FAILED by itself', () => {
	test.each(
		inTurn(
			Object.entries(FORMS_OF_422).flatMap(([what, action]) => [
				[what, {}, action] as const,
				[what, { requestUrls: 'pollOnly', workflowUrls: 'pollOnly' }, action] as const,
			]),
		),
	)(
		'%s, three times, with %j: the request is not failed',
		async (_what, urls, action, _name, ask) => {
			emulator.set({ jobMs: 20_000, ...urls });
			emulator.fault({ on: statusChecks, times: 3, do: action });
			expectDelivered(await ask());
		},
	);

	test.each(['a page of a gateway', '{}'])(
		'%s, always: unread, not failed, and a retry does not resend [Money 5] [Money 6]',
		async (what) => {
			emulator.fault({ on: statusChecks, times: 'always', do: FORMS_OF_422[what] });
			const failed = await runNode({
				parameters: runParams({}, { timeoutSeconds: 300 }),
				tries: 2,
			});
			expect(failed.failed).toMatchObject([{ kind: 'unreadable', charge: 'ifCompletes' }]);
			emulator.clearFaults();
			const parameters = runParams({}, { sendAgainIfUnsure: true });
			expectDelivered(await runNode({ parameters, retryOf: failed }));
		},
	);
});

describe('the reason of a failure reaches the user, wherever the response has it', () => {
	const failText = 'Reference audio is shorter than 2 s';
	test.each(
		inTurn([
			['result', 422, 'text'],
			['both', 200, 'object'],
			['result', 400, 'object'],
			['both', 500, 'text'],
			['result', 200, 'text'],
			['result', 500, 'object'],
		] as const),
	)('in: %s, with HTTP %i, as %s', async (failedReason, failedStatus, failedError, _name, ask) => {
		emulator.set({ failJobs: 'all', failText, failedReason, failedStatus, failedError });
		const startedAt = Date.now();
		const { failed } = await ask({ timeoutSeconds: 90 });
		const message = expect.stringContaining(failText);
		const requestId = firstId();
		expect(failed).toMatchObject([{ kind: 'requestFailed', requestId, charge: 'none', message }]);
		expect(Date.now() - startedAt).toBeLessThan(60_000);
	});

	test.each([200, 422] as const)(
		'Get Status outputs it as a successful item (HTTP %i)',
		async (failedStatus) => {
			emulator.set({ failJobs: 'all', failText, failedStatus, queueMs: 0, jobMs: 0 });
			const { json } = succeed(await runNode({ parameters: submitParams() }));
			const parameters = requestParams('getStatus', { request: json[0] as never });
			const status = succeed(await runNode({ parameters }));
			expect(status.json[0]).toMatchObject({ status: 'FAILED', error_message: failText });
		},
	);
});

test.each([201, 202, 203, 206])('a successful response with HTTP %i counts', async (status) => {
	emulator.fault({ on: 'submit', do: { rewrite: { status } } });
	// The response doesn't have to name its request either.
	const rewrite = { status, ...(status < 203 && { without: ['request_id'] }) };
	emulator.fault({ on: [...READ_KINDS], times: 'always', do: { rewrite } });
	expectDelivered(await runNode({ parameters: runParams() }));
});

describe('COMPLETED responses of other shapes', () => {
	test.each(ways)('%s without a status word', async (_name, ask) => {
		emulator.set({ workflowUrls: 'older', resultShape: 'unnamed' });
		expectDelivered(await ask({ timeoutSeconds: 60 }));
	});

	test.each(['outputEmptyText', 'outputEmptyList', 'outputEmptyObject'] as const)(
		'%s succeeds, with a hint',
		async (resultShape) => {
			emulator.set({ resultShape });
			const { json, hints } = succeed(await runNode({ parameters: runParams() }));
			expect(json[0]).toMatchObject({ request_id: firstId(), status: 'COMPLETED' });
			expect(hints).toEqual([expect.stringMatching(/^Item 1: .*\bimage\b/)]);
			expect(emulator.jobs).toHaveLength(1);
		},
	);
});

test('a status of the wrong type does not count as COMPLETED: a request that fails later has failed', async () => {
	emulator.set({ failJobs: 'all', jobMs: 10_000 });
	emulator.fault({ on: 'status', do: { body: { status: 7, output: { url: 5 } } } });
	const { failed } = await runNode({ parameters: runParams() });
	expect(failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
});

test.each([
	[
		'{"status":"COMPLETED","output":{"a":NaN,"list":[-Infinity,"NaN \\" 1"]}}',
		{ a: null, list: [null, 'NaN " 1'] },
	],
	[
		'{"status":"COMPLETED","output":{"id":-12345678901234567890,"a":[0.1234567890123456]}}',
		{ id: '-12345678901234567890', a: [0.1234567890123456] },
	],
	[
		'{"status":"COMPLETED","output":"{\\"id\\":12345678901234567890}"}',
		{ id: '12345678901234567890' },
	],
])(
	'numbers that JavaScript cannot parse exactly do not make a paid result unreadable or wrong: %s',
	async (text, output) => {
		const body = { body: Buffer.from(text), contentType: 'application/json' };
		emulator.fault({ on: ['result', 'v1'], times: 'always', do: body });
		const { json } = succeed(await runNode({ parameters: runParams() }));
		expect(json).toMatchObject([{ status: 'COMPLETED', output }]);
		const oneCall = await runNode({ parameters: runParams({}, { answerInOneCall: true }) });
		expect(succeed(oneCall).json).toMatchObject([{ output }]);
	},
);

test('a seed that JSON would change comes as text', async () => {
	const text = '{"status":"COMPLETED","output":"here","seed":12345678901234567890}';
	emulator.fault({
		on: 'result',
		do: { body: Buffer.from(text), contentType: 'application/json' },
	});
	const { json } = succeed(await runNode({ parameters: runParams() }));
	expect(json).toMatchObject([{ seed: '12345678901234567890' }]);
});

test.each(['CANCELLED', 'QUEUED', 'PENDING', 'PROCESSING'])(
	"at the timeout, the status %s is named, with the error's text",
	async (status) => {
		const body = { request_id: 'r-1', status, error: 'by the operator' };
		emulator.fault({ on: 'submit', do: { body: { request_id: 'r-1', status: 'QUEUED' } } });
		emulator.fault({ on: ['status', 'other'], times: 'always', do: { body } });
		const { failed } = await runNode({ parameters: runParams({}, { timeoutSeconds: 20 }) });
		expect(failed).toMatchObject([{ kind: 'timedOut', status, charge: 'ifCompletes' }]);
		for (const part of [status, 'by the operator']) expect(failed[0].message).toContain(part);
	},
);
