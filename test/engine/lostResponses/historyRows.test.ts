/**
 * What a row of the request history may look like, which is a guess (docs/service.md S260 to S266): a lost request is found, or named as a candidate, or
 * certainly not there. test/unit/matchRows.test.ts compares bodies and times.
 */
import type { IDataObject } from 'n8n-workflow';

import { resentHint } from '../../../nodes/shared/errors/failures';
import { say } from '../../../nodes/shared/errors/say';
import { patternOf } from '../../helpers/errorTexts';
import { runParams } from '../../helpers/inference';
import { succeed, type RunResult } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, pass } = useVirtualEngine();

const BODY = { prompt: '  a lighthouse at dusk ', steps: 25 };
const paramsFor = (answerInOneCall: boolean) =>
	runParams(
		{ prompt: '' },
		{ requestBody: JSON.stringify(BODY), pollIntervalSeconds: 10, answerInOneCall },
	);
const PARAMS = paramsFor(false);

type Change = (row: Record<string, unknown>, endsAt: number) => Record<string, unknown>;
type Certainty = 'found' | 'named';

/** Plausible forms of a row, and whether it is certainly the request's or only named as a candidate: for a v2 request, and for a v1 call. */
const FORMS: Array<[string, Change, Certainty, Certainty]> = [
	[
		'the body as text',
		(row) => ({ ...row, request_body: JSON.stringify(row.request_body) }),
		'found',
		'found',
	],
	['no body', (row) => ({ ...row, request_body: undefined }), 'named', 'named'],
	// A v1 call stays under way until its request completes, so that the row's time matches.
	[
		'the time of completion',
		(row, endsAt) => ({ ...row, created_at: new Date(endsAt).toISOString() }),
		'named',
		'found',
	],
];

const loseToGateway = () =>
	emulator.fault({ on: ['submit', 'v1'], do: { status: 504, body: '<html>', accept: true } });

/** Runs a request with Retry On Fail and, if that fails, with Retry in the executions list after five minutes. */
async function runThreeTimes(answerInOneCall: boolean): Promise<RunResult> {
	const parameters = paramsFor(answerInOneCall);
	const first = await runNode({ parameters, tries: 2 });
	if (!first.error) return first;
	await pass(300_000);
	return await runNode({ parameters, retryOf: first });
}

function expectNotChargedTwice(result: RunResult, certainty: Certainty) {
	const [{ requestId }, ...others] = emulator.jobs;
	expect(others).toEqual([]);
	if (certainty === 'found') {
		expect(succeed(result).json[0].request_id).toBe(requestId);
		return;
	}
	expect(result.failed).toMatchObject([
		{ kind: 'unknownOutcome', outcomeUnknown: true, search: 'candidates', candidates: [requestId] },
	]);
	expect(result.error?.message).toContain(requestId);
}

test.each(FORMS)('a lost request in a history with %s', async (_name, historyRow, ofV2, ofV1) => {
	for (const [answerInOneCall, certainty] of [
		[false, ofV2],
		[true, ofV1],
	] as const) {
		emulator.reset();
		emulator.set({ historyRow, jobMs: 40_000 });
		loseToGateway();
		expectNotChargedTwice(await runThreeTimes(answerInOneCall), certainty);
	}
});

test.each<IDataObject>([
	{ ...BODY, prompt: 'a windmill' },
	{ prompt: BODY.prompt, steps: '26' },
])('the row %j is clearly another request, so ours is resent, with a hint', async (input) => {
	emulator.submitElsewhere({ slug: 'nano-banana-pro', input });
	emulator.fault({ on: 'submit', do: { status: 504, body: '<html>' } });
	const { json, hints } = succeed(await runNode({ parameters: PARAMS, tries: 2 }));
	expect(json[0].request_id).toBe(emulator.jobs[0].requestId);
	expect(hints.join()).toMatch(patternOf(resentHint('{subject}', say`{found}`)));
});

test('a history that shortens a string inside a list names the request, and nothing is resent', async () => {
	const messages = (content: string) => ({ prompt: 'a', messages: [{ content }] });
	emulator.set({ historyRow: (row) => ({ ...row, request_body: messages('once upon') }) });
	emulator.fault({ on: 'submit', do: { status: 502, body: '<html>', accept: true } });
	const requestBody = JSON.stringify(messages('once upon a time '.repeat(60)));
	const parameters = runParams({ prompt: '' }, { requestBody });
	const { failed } = await runNode({ parameters, tries: 3 });
	expect(failed).toMatchObject([
		{ kind: 'unknownOutcome', candidates: [emulator.jobs[0].requestId] },
	]);
	expect(emulator.jobs).toHaveLength(1);
});

describe('several candidates', () => {
	/** Loses a call beside equal requests that others made shortly before it. Returns their IDs, the oldest first. */
	function loseBeside(count: number): string[] {
		emulator.set({ historyOrder: 'mixed' });
		emulator.fault({ on: 'submit', do: 'dropBeforeAccept' });
		return Array.from({ length: count }, (_unused, at) =>
			emulator.submitElsewhere({
				slug: 'nano-banana-pro',
				input: BODY,
				submittedAt: Date.now() - 50_000 + at * 1_000,
			}),
		);
	}

	test.each([1, 10, 13])('of %i, a failed item lists ten, the oldest first', async (count) => {
		const ids = loseBeside(count);
		const { errorItems } = await runNode({ parameters: PARAMS, onError: 'continueErrorOutput' });
		const error = errorItems[0].json.error as IDataObject;
		expect(error).toMatchObject({ status: 'UNKNOWN', candidates: ids.slice(0, 10) });
		expect(error.more_candidates).toBe(count > 10 ? count - 10 : undefined);
		expect(error.message).toContain(ids[0]);
		if (count > 1) expect(error.message).toContain(String(count));
		for (const id of ids.slice(1)) expect(error.message).not.toContain(id);
	});

	test('under Stop, the details of the error list all of them', async () => {
		const candidates = loseBeside(13);
		const { error } = await runNode({ parameters: PARAMS });
		expect(error?.context?.data).toMatchObject([{ item: 1, candidates, succeeded: false }]);
	});
});
