/** Odd answers about a request that was accepted: what is paid for reaches the workflow, and nothing is submitted again. */
import type { INodeParameters } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { FaultAction, Orders } from '../../dev/emulator';
import { binaryData } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import { requested, rows, running, submitting } from '../helpers/inference';
import { forRetry, type RunResult } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode, during } = useVirtualEngine();
const ASKING = ['status', 'poll', 'result'] as const;
const HTML = '<html>a proxy</html>';
const firstId = () => emulator.it.jobs[0].requestId;
const textOf = ({ error }: RunResult) => `${error?.message}\n${error?.description}`;

const workflow = (options = {}): INodeParameters => ({
	operation: 'run',
	slug: 'product-photo',
	inputs: rows({ name: 'prompt', type: 'string', stringValue: 'a shoe' }),
	options: { pollIntervalSeconds: 0.5, ...options },
});
const run = (options = {}) => running({}, { pollIntervalSeconds: 0.5, ...options });

type Ask = (options?: object) => Promise<RunResult>;
/** The ways to a result. */
const WAYS: Array<[string, Ask]> = [
	['a model', async (options) => await runNode({ parameters: run(options) })],
	[
		'a workflow',
		async (options) => await runNode({ node: 'segmindWorkflow', parameters: workflow(options) }),
	],
	[
		'Get Result',
		async (options) => {
			const { json } = await runNode({ parameters: submitting() });
			const more = { options: { pollIntervalSeconds: 0.5, ...options } };
			return await runNode({
				parameters: requested('getResult', { request: json[0] as never, ...more }),
			});
		},
	],
];

/** Each row in one of the ways: what reads an answer is the same for all of them. */
const inTurn = <T extends unknown[]>(rowsOfForms: T[]) =>
	rowsOfForms.map((row, at) => [...row, ...WAYS[at % WAYS.length]] as [...T, string, Ask]);

function expectDelivered({ error, json, items }: RunResult): void {
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ request_id: firstId(), status: 'COMPLETED' });
	expect(Object.keys(items[0].binary ?? {})).not.toEqual([]);
	expect(emulator.it.jobs).toHaveLength(1);
}

const asks = { kind: ['status', 'poll'] as Array<'status' | 'poll'> };
const FORMS: Record<string, FaultAction> = {
	'a page of a gateway': { status: 422, body: HTML },
	'no body': { status: 422, body: '' },
	'{}': { status: 422, body: {} },
	'an error without a word': { status: 422, body: { error: 'Unprocessable' } },
	'the true word under 422': { rewrite: { status: 422 } },
};

describe('a finished result is not there at first', () => {
	const EMPTY: Record<string, FaultAction> = {
		'{}': { body: {} },
		'an error': { body: { error: 'try again' } },
		'an error as object': { body: { error: { message: 'try again' } } },
		'only the state': { rewrite: { without: ['output', 'images', 'image', 'video', 'metrics'] } },
		'all members null': { rewrite: { nulls: true } },
		HTML: { body: HTML, contentType: 'text/html' },
		'HTML as a gateway error': { status: 502, body: HTML },
		'an empty body': { body: '', contentType: 'text/plain' },
		'half the answer': { rewrite: { cut: true } },
		'a list': { body: [] },
		'the text null': { body: null },
	};
	const done = {
		kind: ['result', 'poll'] as Array<'result' | 'poll'>,
		state: 'COMPLETED' as const,
	};

	test.each(inTurn(Object.entries(EMPTY)))(
		'%s, once: it is asked for again',
		async (_what, action, _name, ask) => {
			emulator.it.fault({ on: done, do: action });
			expectDelivered(await ask());
		},
	);

	test.each(inTurn(Object.entries(EMPTY)))(
		'%s, always: it fails as charged and unread, and a retry asks again',
		async (_what, action, name, ask) => {
			emulator.it.fault({ on: done, times: 'always', do: action });
			const failed = await ask({ timeoutSeconds: 30 });
			expect(textOf(failed)).toContain(firstId());
			expect(textOf(failed)).not.toContain(CHARGE.none);
			if (name === 'Get Result') return;
			emulator.it.clearFaults();
			const isWorkflow = name === 'a workflow';
			expectDelivered(
				await runNode({
					...(isWorkflow && { node: 'segmindWorkflow' }),
					parameters: isWorkflow ? workflow() : run({ resubmitWhenUnknown: true }),
					resume: forRetry(failed.stored),
				}),
			);
		},
	);

	test.each(['{}', 'an error as object', 'an empty body'])(
		'v1, %s: what was charged is looked for in the history',
		async (what) => {
			emulator.it.fault({ on: 'v1', do: EMPTY[what] });
			expectDelivered(
				await runNode({ parameters: running({}, { answerInOneCall: true }), tries: 3 }),
			);
		},
	);

	test('a result of a shape that nobody knows is an output all the same', async () => {
		emulator.it.fault({
			on: 'result',
			times: 'always',
			do: { body: { status: 'COMPLETED', mesh_parts: ['a', 'b'] } },
		});
		const { json, error } = await runNode({ parameters: run() });
		expect(error).toBeUndefined();
		expect(json[0].output).toEqual({ mesh_parts: ['a', 'b'] });
	});
});

describe('422 is not FAILED by itself', () => {
	test.each(inTurn(Object.entries(FORMS)))('%s, three times', async (_what, action, _name, ask) => {
		emulator.it.set({ jobMs: 20_000 });
		emulator.it.fault({ on: asks, times: 3, do: action });
		expectDelivered(await ask());
	});

	test.each(inTurn(Object.entries(FORMS).reverse()))(
		'%s, three times, only poll_url given',
		async (_what, action, _name, ask) => {
			emulator.it.set({ jobMs: 20_000, requestUrls: 'pollOnly', workflowUrls: 'pollOnly' });
			emulator.it.fault({ on: asks, times: 3, do: action });
			expectDelivered(await ask());
		},
	);

	test.each(['a page of a gateway', '{}'])(
		'%s, always: unread, not failed, and a retry does not submit again',
		async (what) => {
			emulator.it.fault({ on: asks, times: 'always', do: FORMS[what] });
			const failed = await runNode({ parameters: run({ timeoutSeconds: 300 }), tries: 2 });
			expect(textOf(failed)).not.toContain(CHARGE.none);
			emulator.it.clearFaults();
			expectDelivered(
				await runNode({
					parameters: run({ resubmitWhenUnknown: true }),
					resume: forRetry(failed.stored),
				}),
			);
		},
	);

	test('the true word under 422, always: read', async () => {
		emulator.it.fault({ on: asks, times: 'always', do: FORMS['the true word under 422'] });
		expectDelivered(await runNode({ parameters: run() }));
	});
});

describe('the reason of a failure reaches the user, wherever it stands', () => {
	const failText = 'Reference audio is shorter than 2 s';
	const combos = (['result', 'both'] as const).flatMap((failedReason) =>
		([200, 400, 422, 500] as const).flatMap((failedStatus) =>
			(['text', 'object'] as const).map(
				(failedError) => [failedReason, failedStatus, failedError] as const,
			),
		),
	);
	test.each(inTurn(combos))(
		'in the %s, under %i, as %s',
		async (failedReason, failedStatus, failedError, _name, ask) => {
			emulator.it.set({ failJobs: 'all', failText, failedReason, failedStatus, failedError });
			const begunAt = Date.now();
			const failed = await ask({ timeoutSeconds: 90 });
			expect(textOf(failed)).toContain(failText);
			expect(textOf(failed)).toContain(firstId());
			expect(textOf(failed)).toContain(CHARGE.none);
			expect(Date.now() - begunAt).toBeLessThan(60_000);
		},
	);

	test.each([200, 422] as const)(
		'getStatus returns it as a good item (%i)',
		async (failedStatus) => {
			emulator.it.set({ failJobs: 'all', failText, failedStatus, queueMs: 0, jobMs: 0 });
			const { json } = await runNode({ parameters: submitting() });
			const parameters = requested('getStatus', { request: json[0] as never });
			const status = await runNode({ parameters });
			expect(status.error).toBeUndefined();
			expect(status.json[0]).toMatchObject({ status: 'FAILED', error_message: failText });
		},
	);
});

test.each([201, 202, 203, 206])('a good answer under HTTP %i', async (status) => {
	emulator.it.fault({ on: 'submit', do: { rewrite: { status } } });
	// Nor need it name its request.
	const rewrite = { status, ...(status < 203 && { without: ['request_id'] }) };
	emulator.it.fault({ on: [...ASKING], times: 'always', do: { rewrite } });
	expectDelivered(await runNode({ parameters: run() }));
});

describe('the service does not know the request for a moment', () => {
	test.each(
		inTurn([['QUEUED'], ['QUEUED'], ['QUEUED'], ['COMPLETED'], ['COMPLETED'], ['COMPLETED']]),
	)('after %s', async (after, _name, ask) => {
		emulator.it.set({ history: false, ...(after === 'QUEUED' && { jobMs: 60_000 }) });
		const result = { kind: ['result' as const], state: 'COMPLETED' as const };
		const on = after === 'QUEUED' ? (['status', 'poll'] as const).slice() : result;
		emulator.it.fault({ on, times: 2, do: 'notFound' });
		expectDelivered(await ask({ resubmitWhenUnknown: true }));
	});

	test('a poll_url that says only a state: the result is fetched from the canonical address', async () => {
		emulator.it.set({ requestUrls: 'pollOnly', pollAnswer: 'status' });
		expectDelivered(await runNode({ parameters: run() }));
	});

	test('a 404 that is followed by errors of a gateway does not make it ask without a pause', async () => {
		emulator.it.set({ jobMs: 30_000 });
		emulator.it.fault({ on: ['status', 'poll'], do: 'notFound' });
		emulator.it.fault({ on: ['status', 'poll'], times: 10, do: { status: 502, body: HTML } });
		expectDelivered(await runNode({ parameters: run() }));
		const moments = emulator.it.callsOf('status').map(({ at }) => at);
		const pauses = moments.slice(1).map((at, index) => at - moments[index]);
		expect(Math.min(...pauses)).toBeGreaterThan(200);
	});

	test('a retry that gets a gateway’s pages and then one 422 does not submit again', async () => {
		emulator.it.set({ workflowUrls: 'pollOnly', jobMs: 300_000 });
		const asking = { node: 'segmindWorkflow' as const };
		const options = { pollIntervalSeconds: 21 };
		const failed = await runNode({
			...asking,
			parameters: workflow({ ...options, timeoutSeconds: 5 }),
		});
		emulator.it.fault({ on: asks.kind, times: 3, do: { body: HTML, contentType: 'text/html' } });
		emulator.it.fault({ on: asks.kind, do: FORMS['an error without a word'] });
		expectDelivered(
			await runNode({ ...asking, parameters: workflow(options), resume: forRetry(failed.stored) }),
		);
	});

	test('one 422 of a gateway is not FAILED to a Get Result that does not wait', async () => {
		emulator.it.set({ workflowUrls: 'pollOnly', jobMs: 60_000 });
		const { json } = await runNode({
			node: 'segmindWorkflow',
			parameters: { ...workflow(), waitForCompletion: false },
		});
		emulator.it.fault({ on: asks.kind, do: FORMS['an error without a word'] });
		const checked = await runNode({
			node: 'segmindWorkflow',
			parameters: {
				operation: 'getResult',
				request: json[0] as never,
				waitForCompletion: false,
			},
		});
		expect(checked.error).toBeUndefined();
		expect(checked.json[0].status).not.toBe('FAILED');
	});

	test('a poll_url that always refuses is waited out while the canonical address says PROCESSING', async () => {
		emulator.it.set({ requestUrls: 'pollOnly', jobMs: 200_000 });
		emulator.it.fault({ on: 'poll', times: 'always', do: FORMS['an error without a word'] });
		expectDelivered(await runNode({ parameters: run({ timeoutSeconds: 600 }) }));
	});

	test('for a minute', async () => {
		emulator.it.set({ jobMs: 120_000 });
		emulator.it.fault({ on: ['status', 'poll'], times: 5, do: 'notFound' });
		expectDelivered(await runNode({ parameters: run({ resubmitWhenUnknown: true }), tries: 3 }));
	});

	test('for good: it fails as not known now, stays accepted, and is not submitted again', async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: [...ASKING], times: 'always', do: 'notFound' });
		const parameters = run({ resubmitWhenUnknown: true });
		const failed = await runNode({ parameters, tries: 3 });
		expect(textOf(failed)).toMatch(saying(CAUSES.missingNow.what));
		emulator.it.clearFaults();
		expectDelivered(await runNode({ parameters, resume: forRetry(failed.stored) }));
	});

	test.each<Partial<Orders>>([{ requestUrls: 'none' }, { requestUrls: 'pollOnly' }])(
		'a submission that gave few addresses (%j) is asked for at the canonical one',
		async (orders) => {
			emulator.it.set({ ...orders, history: false });
			expectDelivered(await runNode({ parameters: run() }));
		},
	);
});

describe('the record of a v1 request that is known is out of reach for a while', () => {
	test.each([
		['answers 503', 100, { status: 503, body: 'down' }],
		['does not know it', 40, 'notFound'],
		['answers a page', 100, { body: HTML, contentType: 'text/html' }],
	] as Array<[string, number, FaultAction]>)('%s for %i s', async (_what, seconds, action) => {
		const until = Date.now() + seconds * 1_000;
		const isRecord = (path: string) =>
			emulator.it.jobs.some(({ requestId }) => path.includes(requestId));
		emulator.it.fault({
			on: ({ kind, path, at }) => kind === 'history' && at < until && isRecord(path),
			times: 'always',
			do: action,
		});
		emulator.it.fault({ on: 'v1', do: 'dropAfterAccept' });
		expectDelivered(
			await runNode({
				parameters: running({}, { answerInOneCall: true, resubmitWhenUnknown: true }),
				tries: 3,
			}),
		);
		expect(emulator.it.callsOf('history').some(({ fault }) => fault !== undefined)).toBe(true);
	});
});

describe('the texts say what is true', () => {
	test.each(['poll_url', 'status_url', 'response_url'] as const)(
		'an accepted request whose %s leads elsewhere is named, and not called unsent',
		async (url) => {
			emulator.it.set({ foreignUrls: [url] });
			const failed = await runNode({ parameters: run() });
			if (failed.error === undefined) return expectDelivered(failed);
			expect(textOf(failed)).toContain(firstId());
			expect(textOf(failed)).not.toContain(CHARGE.none);
		},
	);

	test.each([
		['answers 500', { status: 500, body: HTML }],
		['is not there', { status: 404, body: {} }],
		['is refused', { status: 403, body: { error: 'no' } }],
		['has half an answer', { rewrite: { cut: true } }],
	] as Array<[string, FaultAction]>)(
		'a history that %s is not one that does not have it',
		async (_what, action) => {
			emulator.it.fault({ on: 'history', times: 'always', do: action });
			emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
			const failed = await runNode({ parameters: run() });
			expect(failed.failed).toMatchObject([{ kind: 'unknownOutcome', search: 'outOfReach' }]);
		},
	);

	test.each([
		['does not have it either', { status: 404, body: { error: 'Not found' } }],
		['could not be read', { body: HTML, contentType: 'text/html' }],
	] as Array<[string, FaultAction]>)(
		'a request that the service does not know, and whose record in the history %s (%#)',
		async (words, action) => {
			emulator.it.fault({ on: [...ASKING], times: 'always', do: 'notFound' });
			emulator.it.fault({ on: 'history', times: 'always', do: action });
			const failed = await runNode({ parameters: run({ resubmitWhenUnknown: true }) });
			expect(textOf(failed)).toContain(firstId());
			expect(textOf(failed).match(/does not have it either|could not be read/g)).toEqual([words]);
		},
	);

	test("n8n's own error after a request was accepted: it is named, and not called unsent", async () => {
		const full = jest.spyOn(binaryData(), 'store').mockRejectedValue(new Error('the disk is full'));
		const parameters = run({ answerInOneCall: true });
		const failed = await runNode({ parameters });
		full.mockRestore();
		expect(failed.error?.message).toContain('the disk is full');
		expect(textOf(failed)).toContain(firstId());
		expect(textOf(failed)).not.toContain(CHARGE.none);
		expectDelivered(
			await runNode({
				parameters,
				resume: forRetry(failed.stored),
			}),
		);
	});

	test('what is charged for is not called free when the retry of a half-read item fails', async () => {
		emulator.it.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: run({ timeoutSeconds: 5 }) });
		await during(sleep(2 * 3_600_000));
		emulator.it.set({ history: false });
		const retried = await runNode({ parameters: run(), resume: forRetry(failed.stored) });
		expect(textOf(retried)).not.toContain(CHARGE.none);
	});
});

describe('finished answers of other shapes', () => {
	test.each(WAYS)('%s without a status word', async (_name, ask) => {
		emulator.it.set({ workflowUrls: 'older', resultShape: 'unnamed' });
		expectDelivered(await ask({ timeoutSeconds: 60 }));
	});

	test.each(['outputEmptyText', 'outputEmptyList', 'outputEmptyObject'] as const)(
		'%s is an answer, with a hint',
		async (resultShape) => {
			emulator.it.set({ resultShape });
			const { json, error, hints } = await runNode({ parameters: run() });
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({ request_id: firstId(), status: 'COMPLETED' });
			expect(hints.join()).toMatch(/output is empty/);
			expect(emulator.it.jobs).toHaveLength(1);
		},
	);
});
