/** A job is never paid for twice and never lost. */
import type { INodeParameters } from 'n8n-workflow';

import { closeConnections } from '../../dev/engine/version';
import { CHARGE } from '../../nodes/shared/base/failure';
import { CAUSES } from '../../nodes/shared/errors/errorTable';
import { PARTS, RETRY } from '../../nodes/shared/errors/parts';
import { refusing, saying } from '../helpers/errorTexts';
import { fileItem } from '../helpers/runNode';
import { EACH_PROMPT, fileRow, numberRow, prompts, rows, running } from '../helpers/inference';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const failPrompt1 = { failWhen: (input: Record<string, unknown>) => input.prompt === 'prompt 1' };
const submits = () => emulator.it.callsOf('submit');
const submittedPrompts = () => submits().map(({ body }) => (body as { prompt: string }).prompt);

describe('Retry On Fail with one bad item of three', () => {
	const items = prompts(3).map(({ json }) =>
		fileItem({ data: { bytes: Buffer.from(`picture of ${String(json.prompt)}`) } }, json),
	);
	const seed = '={{ Math.floor(Math.random() * 1e9) }}';
	test.each<[string, INodeParameters]>([
		['as it is', {}],
		['with a random seed', numberRow('seed', seed)],
		['with a file, which goes up once', fileRow('image_urls')],
	])(
		'%s: each good item is sent once, the failing one afresh each time [Money 8]',
		async (_name, row) => {
			emulator.it.set(failPrompt1);
			const additionalParameters = rows(...(row.name ? [row] : []));
			const { error } = await runNode({
				parameters: running({ prompt: EACH_PROMPT }, { additionalParameters }),
				items,
				tries: 3,
			});
			expect(error?.message).toContain('1 of 3 items failed');
			expect(submittedPrompts().sort()).toEqual([0, 1, 1, 1, 2].map((at) => `prompt ${at}`));
			expect(emulator.it.jobs.filter(({ charged }) => charged > 0)).toHaveLength(2);
			expect(emulator.it.callsOf('upload')).toHaveLength(row.type === 'file' ? 3 : 0);
		},
	);
});

test('a retry polls the running request instead of sending another one [Money 2] [Money 4]', async () => {
	emulator.it.set({ jobMs: 1_500 });
	const parameters = running({}, { timeoutSeconds: 1 });
	const failed = await runNode({ parameters });
	expect(failed.error?.message).toMatch(saying(CAUSES.stillRunning.what));
	const retried = await runNode({ parameters, retryOf: failed });
	expect(retried.error).toBeUndefined();
	expect(retried.json[0].request_id).toBe(emulator.it.jobs[0].requestId);
	expect(submits()).toHaveLength(1);
});

test('a retry gives a finished item again without any call [Money 2]', async () => {
	emulator.it.set(failPrompt1);
	const parameters = running({ prompt: EACH_PROMPT });
	const failed = await runNode({ parameters, items: prompts(2) });
	emulator.it.set({ failWhen: null });
	const before = emulator.it.calls.length;
	const retried = await runNode({ parameters, retryOf: failed });
	const known = emulator.it.jobs[0].requestId;
	expect(retried.json.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
	expect(retried.items[0].binary?.data.mimeType).toBe('image/png');
	expect(emulator.it.calls.slice(before).filter(({ path }) => path.includes(known))).toEqual([]);
	expect(submits()).toHaveLength(3);
});

test('stores nothing in an execution without a failure', async () => {
	const { stored } = await runNode({ parameters: running() });
	expect(stored.executionData?.contextData['node:Segmind']).toEqual({});
});

describe('a connection lost after acceptance', () => {
	const lost = { on: 'submit', do: 'dropAfterAccept' } as const;

	test("isn't resent while its outcome is unknown, not even by Retry On Fail, and its status is UNKNOWN [Money 1] [Money 2]", async () => {
		emulator.it.set({ history: false });
		emulator.it.fault(lost);
		const more = { tries: 3, onError: 'continueErrorOutput' } as const;
		const { errorItems, failed } = await runNode({ parameters: running(), ...more });
		expect(failed).toMatchObject([{ kind: 'unknownOutcome', outcomeUnknown: true }]);
		expect(errorItems).toMatchObject([{ json: { error: { status: 'UNKNOWN' } } }]);
		expect(submits()).toHaveLength(1);
	});
});

describe('what is sent again', () => {
	test.each([500, 502, 504])(
		'after %i the item fails, and a later retry sends it again [Money 1]',
		async (status) => {
			emulator.it.fault({ on: 'submit', do: { status, body: { error: 'backend down' } } });
			const once = await runNode({ parameters: running() });
			expect(once.error?.message).toContain('backend down');
			expect(once.error?.description).toContain(status === 500 ? CHARGE.none : RETRY.searches);
			expect(submits()).toHaveLength(1);
			const retried = await runNode({ parameters: running(), retryOf: once });
			expect(retried.error).toBeUndefined();
		},
	);

	test('a refused connection is retried, and then reported as unreachable [Money 1]', async () => {
		closeConnections();
		await emulator.it.refuse('api');
		const { error } = await runNode({ parameters: running() });
		await emulator.it.listen('api');
		expect(error?.message).toMatch(saying(CAUSES.noResponse.what));
		expect(error?.description).toContain(CHARGE.none);
	});
});

test('logs the ID of a request in the message as soon as it is accepted [Money 7]', async () => {
	const { log, executionId } = await runNode({ parameters: running() });
	expect(log).toEqual([
		expect.stringMatching(
			new RegExp(`request ${emulator.it.jobs[0].requestId} .*${executionId}.*"Segmind".*item 0`),
		),
	]);
	expect(log.join()).not.toContain('lighthouse');
});

describe('a request that is resent and rejected leaves the earlier attempt as it was', () => {
	const refused = { status: 402, body: { error: 'Insufficient credits' } };

	test("if its response was lost, a retry searches for it again and doesn't resend it [Money 9]", async () => {
		emulator.it.set({ history: false });
		emulator.it.fault({ on: 'submit', do: 'dropAfterAccept' });
		const lost = await runNode({ parameters: running() });
		emulator.it.fault({ on: 'submit', do: refused });
		const again = await runNode({
			parameters: running({}, { sendAgainIfUnsure: true }),
			retryOf: lost,
		});
		expect(again.error?.message).toMatch(refusing('402'));
		expect(again.error?.description).toMatch(saying(PARTS.stillOpen));
		expect(again.error?.description).not.toContain(CHARGE.none);
		expect(again.failed).toMatchObject([{ charge: 'unknown', outcomeUnknown: true }]);
		emulator.it.set({ history: true });
		const { json } = await runNode({ parameters: running(), retryOf: again });
		expect(json[0].request_id).toBe(emulator.it.jobs[0].requestId);
		expect(emulator.it.jobs).toHaveLength(1);
	});

	test("if it failed, which is free, a retry sends a new request and doesn't check the failed one", async () => {
		emulator.it.set({ failJobs: [0] });
		const first = await runNode({ parameters: running() });
		expect(first.failed).toMatchObject([{ kind: 'requestFailed', charge: 'none' }]);
		const before = emulator.it.calls.length;
		const { json } = await runNode({ parameters: running(), retryOf: first });
		const [failed, made] = emulator.it.jobs;
		expect(json[0].request_id).toBe(made.requestId);
		expect(JSON.stringify(emulator.it.calls.slice(before))).not.toContain(failed.requestId);
	});
});

test("a response that names another item's request isn't taken for this item's [Money 4]", async () => {
	await runNode({ parameters: running() });
	const body = JSON.stringify({ request_id: emulator.it.jobs[0].requestId, status: 'QUEUED' });
	emulator.it.fault({ on: 'submit', do: { status: 200, body, accept: true } });
	const { json, failed } = await runNode({ parameters: running({ prompt: 'another' }) });
	expect(failed).toEqual([]);
	expect(json[0].request_id).toBe(emulator.it.jobs[1].requestId);
});
