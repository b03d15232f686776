/** A request that was accepted and is not known, or out of reach, for a while or for good: it is not submitted again, and the texts say what is true. */
import { sleep } from 'n8n-workflow';

import type { FaultAction, Orders } from '../../dev/emulator';
import { binaryData } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { saying } from '../helpers/errorTexts';
import { running } from '../helpers/inference';
import {
	ASKING,
	FORMS_OF_422,
	HTML,
	run,
	textOf,
	useOddAnswers,
	workflow,
} from '../helpers/oddAnswers';

const { emulator, runNode, during, firstId, ways, expectDelivered } = useOddAnswers();
const asks = { kind: ['status', 'poll'] as Array<'status' | 'poll'> };

describe('the service does not know the request for a moment', () => {
	test.each(ways)('%s, after its acceptance', async (_name, ask) => {
		emulator.it.set({ jobMs: 60_000, history: false });
		emulator.it.fault({ on: ['status', 'poll'], times: 2, do: 'notFound' });
		expectDelivered(await ask({ resubmitWhenUnknown: true }));
	});

	test.each(ways)('%s, after COMPLETED', async (_name, ask) => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: { kind: ['result'], state: 'COMPLETED' }, times: 2, do: 'notFound' });
		expectDelivered(await ask({ resubmitWhenUnknown: true }));
	});

	test.each<[string, Partial<Orders>, FaultAction | undefined]>([
		['says only a state', { pollAnswer: 'status' }, undefined],
		['only refuses with 422', { jobMs: 5_000 }, FORMS_OF_422['an error without a word']],
	])(
		'a poll_url that came alone and %s: it failed for nobody, and a retry asks it again',
		async (_what, orders, fault) => {
			emulator.it.set({ requestUrls: 'pollOnly', history: false, ...orders });
			if (fault) emulator.it.fault({ on: asks.kind, times: 'always', do: fault });
			const options = { resubmitWhenUnknown: true, pollIntervalSeconds: 10 };
			const failed = await runNode({ parameters: run(options), tries: 3 });
			expect(failed.failed).toMatchObject([{ kind: 'unreadable', requestId: firstId() }]);
			emulator.it.clearFaults();
			emulator.it.set({ pollAnswer: 'result' });
			expectDelivered(await runNode({ parameters: run(options), retryOf: failed }));
		},
	);

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
		emulator.it.fault({ on: asks.kind, times: 2, do: { body: HTML, contentType: 'text/html' } });
		emulator.it.fault({ on: asks.kind, do: FORMS_OF_422['an error without a word'] });
		expectDelivered(await runNode({ ...asking, parameters: workflow(options), retryOf: failed }));
	});

	test('one 422 of a gateway is not FAILED to a Get Result that does not wait', async () => {
		emulator.it.set({ workflowUrls: 'pollOnly', jobMs: 60_000 });
		const { json } = await runNode({
			node: 'segmindWorkflow',
			parameters: { ...workflow(), waitForCompletion: false },
		});
		emulator.it.fault({ on: asks.kind, do: FORMS_OF_422['an error without a word'] });
		const checked = await runNode({
			node: 'segmindWorkflow',
			parameters: { operation: 'getResult', request: json[0] as never, waitForCompletion: false },
		});
		expect(checked.error).toBeUndefined();
		expect(checked.json[0].status).not.toBe('FAILED');
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
		expectDelivered(await runNode({ parameters, retryOf: failed }));
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
		expectDelivered(await runNode({ parameters, retryOf: failed }));
	});

	test('what is charged for is not called free when the retry of a half-read item fails', async () => {
		emulator.it.fault({ on: 'result', times: 'always', do: { body: {} } });
		const failed = await runNode({ parameters: run({ timeoutSeconds: 5 }) });
		await during(sleep(2 * 3_600_000));
		emulator.it.set({ history: false });
		const retried = await runNode({ parameters: run(), retryOf: failed });
		expect(textOf(retried)).not.toContain(CHARGE.none);
	});
});
