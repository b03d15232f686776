/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** n8n renames the stored files of a webhook execution when it ends, and later prunes them: a retry must recognize them, however a node uses the file. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';

import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../../dev/emulator';
import { fileRow, rows, runParams, textRow, workflowParams } from '../../helpers/inference';
import {
	bytesOf,
	pathOf,
	retryDataOf,
	renameFiles,
	storedFile,
	useBinariesOnDisk,
	succeed,
	type RunResult,
} from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
useBinariesOnDisk();

const fileOptions = (sendFilesAs: string) => ({
	additionalParameters: rows(fileRow('image_urls')),
	sendFilesAs,
});
const SHORT = { timeoutSeconds: 5 };

interface Form {
	node?: string;
	parameters: INodeParameters;
	/** The number of uploads in all attempts together. */
	uploads: number;
}

/** Every use of a file. The job takes longer than the first attempt's timeout. */
const FORMS: Record<string, Form> = {
	'not used': { parameters: runParams({}, SHORT), uploads: 0 },
	uploaded: {
		parameters: runParams({}, { ...SHORT, ...fileOptions('url') }),
		uploads: 1,
	},
	'sent as base64': {
		parameters: runParams({}, { ...SHORT, ...fileOptions('base64') }),
		uploads: 0,
	},
	'uploaded for a v1 call': {
		parameters: runParams({}, { ...SHORT, ...fileOptions('url'), answerInOneCall: true }),
		uploads: 1,
	},
	'uploaded for a workflow': {
		node: 'segmindWorkflow',
		parameters: workflowParams(
			{ inputs: rows(textRow('prompt', 'a shoe'), fileRow('reference')) },
			{ ...SHORT, pollIntervalSeconds: 5 },
		),
		uploads: 1,
	},
};

/** Replaces the timeout with one that is long enough. */
const withLongTimeout = ({ options, ...others }: INodeParameters): INodeParameters => ({
	...others,
	options: { ...(options as INodeParameters), timeoutSeconds: 120 },
});

/** Returns the stored data that the executions list would retry, with the webhook's files renamed. */
async function retryOf(failed: RunResult) {
	return retryDataOf(await renameFiles(failed));
}

/** Removes an item's stored file and what n8n stores about it, as pruning does. */
function prune(item: INodeExecutionData): void {
	rmSync(dirname(pathOf(item)), { recursive: true });
}

const webhookItem = async (): Promise<INodeExecutionData> =>
	await storedFile(Buffer.from('a picture'), 'a.png', 'image/png');

describe('a request with a file times out and is retried', () => {
	const cases = Object.entries(FORMS).flatMap(([name, form]) => [
		[name, 'kept', form] as const,
		[name, 'pruned before the retry', form] as const,
	]);
	test.each(cases)('%s, %s', async (_name, kept, { node, parameters, uploads }) => {
		emulator.set({ jobMs: 60_000 });
		const items = [await webhookItem()];
		const failed = await runNode({ node, parameters, items });
		expect(failed.error).toBeDefined();
		const retryData = await retryOf(failed);
		if (kept !== 'kept') prune(retryData.executionData!.nodeExecutionStack[0].data.main[0]![0]);
		const retried = succeed(
			await runNode({ node, parameters: withLongTimeout(parameters), retryData }),
		);
		expect(retried.json[0].request_id).toBe(emulator.jobs[0].requestId);
		const { submit = 0, v1 = 0, upload = 0 } = emulator.counts;
		expect([submit + v1, upload]).toEqual([1, uploads]);
		expect(emulator.jobs).toHaveLength(1);
	});
});

describe('one item succeeds and another fails, and both are retried', () => {
	const goodAndBadItem = async () => [await webhookItem(), { json: {} }];

	test.each([
		['is fetched again', 200],
		['and that Segmind no longer has is missing, but its URL is delivered', 404],
	])('a file of a kept output that was pruned %s', async (_end, status) => {
		const prompt = '={{ $json.fails ? [] : "a lighthouse" }}';
		const run = { parameters: runParams({ prompt }), onError: 'continueRegularOutput' } as const;
		const items = [{ json: {} }, { json: { fails: true } }];
		const failed = await runNode({ ...run, items, onError: 'stopWorkflow' });
		const again = await runNode({ ...run, retryOf: failed });
		expect(emulator.callsOf('result')).toHaveLength(1);
		prune(again.items[0]);
		const isGone = status === 404;
		emulator.set({ history: !isGone });
		const on: CallKind[] = ['status', 'poll', 'result'];
		if (isGone) emulator.fault({ on, times: 'always', do: { status, body: {} } });
		const [fetched] = (await runNode({ ...run, retryOf: failed })).items;
		expect(fetched.json).toEqual(again.json[0]);
		if (isGone) expect(fetched.binary).toBeUndefined();
		else expect((await bytesOf(fetched)).length).toBeGreaterThan(0);
		expect(emulator.jobs).toHaveLength(1);
	});

	test('a file of a kept output without a request ID that was pruned is missing', async () => {
		const body = Buffer.from('\x89PNG\r\n\x1a\n a picture', 'latin1');
		emulator.fault({ on: 'v1', do: { status: 200, body, contentType: 'image/png' } });
		const prompt = '={{ $json.fails ? [] : "a lighthouse" }}';
		const parameters = runParams({ prompt }, { answerInOneCall: true });
		const items = [{ json: {} }, { json: { fails: true } }];
		const failed = await runNode({ parameters, items });
		const again = { parameters, onError: 'continueRegularOutput', retryOf: failed } as const;
		const [kept] = (await runNode(again)).items;
		prune(kept);
		const [made] = (await runNode(again)).items;
		expect(made.json).toEqual(kept.json);
		expect(made.binary).toBeUndefined();
		expect(emulator.callsOf('v1')).toHaveLength(1);
	});

	test('an upload is not repeated', async () => {
		const run = { node: 'segmindAsset', parameters: { operation: 'upload', binaryFields: 'data' } };
		const failed = await runNode({ ...run, items: await goodAndBadItem() });
		expect(failed.failed).toHaveLength(1);
		await runNode({ ...run, retryData: await retryOf(failed) });
		expect(emulator.callsOf('upload')).toHaveLength(1);
	});

	test.each([true, false])(
		'the result of Run is not generated again (waiting: %s)',
		async (waitForCompletion) => {
			const parameters = runParams({ waitForCompletion }, fileOptions('url'));
			const failed = await runNode({ parameters, items: await goodAndBadItem() });
			expect(failed.failed).toHaveLength(1);
			await runNode({ parameters, retryData: await retryOf(failed) });
			expect(emulator.jobs).toHaveLength(1);
			expect(emulator.callsOf('upload')).toHaveLength(1);
		},
	);
});
