/** n8n renames the stored files of a webhook execution when it ends: a retry must know them again, whatever a node does with the file. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import type { CallKind } from '../../dev/emulator';
import { fileRow, rows, runningLong as running, textRow, workflow } from '../helpers/inference';
import {
	type RunResult,
	retryDataOf,
	renameFiles,
	storedFile,
	useBinariesOnDisk,
} from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
useBinariesOnDisk();

const sending = (sendFilesAs: string) => ({
	additionalParameters: rows(fileRow('image_urls')),
	sendFilesAs,
});
const SHORT = { timeoutSeconds: 5 };

interface Form {
	node?: string;
	parameters: INodeParameters;
	/** Calls of all tries together. */
	calls: Partial<Record<CallKind, number>>;
}

/** Every use of a file, and none. The job outlasts the first try, or another item fails. */
const FORMS: Record<string, Form> = {
	'not used': { parameters: running({}, SHORT), calls: { submit: 1, upload: 0 } },
	uploaded: {
		parameters: running({}, { ...SHORT, ...sending('url') }),
		calls: { submit: 1, upload: 1 },
	},
	'sent as base64': {
		parameters: running({}, { ...SHORT, ...sending('base64') }),
		calls: { submit: 1, upload: 0 },
	},
	'uploaded for a v1 call': {
		parameters: running({}, { ...SHORT, ...sending('url'), answerInOneCall: true }),
		calls: { v1: 1, upload: 1 },
	},
	'uploaded for a workflow': {
		node: 'segmindWorkflow',
		parameters: workflow(
			{ inputs: rows(textRow('prompt', 'a shoe'), fileRow('reference')) },
			{ ...SHORT, pollIntervalSeconds: 5 },
		),
		calls: { submit: 1, upload: 1 },
	},
};

/** The same, with time enough. */
const patient = ({ options, ...asked }: INodeParameters): INodeParameters => ({
	...asked,
	options: { ...(options as INodeParameters), timeoutSeconds: 120 },
});

/** What the executions list would start again from, the webhook's files renamed. */
async function retryOf(failed: RunResult) {
	return retryDataOf(await renameFiles(failed));
}

const webhookItem = async (): Promise<INodeExecutionData> =>
	await storedFile(Buffer.from('a picture'), 'a.png', 'image/png');

describe('a request with a file times out and is retried', () => {
	test.each(Object.entries(FORMS))('%s', async (_name, { node, parameters, calls }) => {
		emulator.it.set({ jobMs: 60_000 });
		const items = [await webhookItem()];
		const failed = await runNode({ node, parameters, items });
		expect(failed.error).toBeDefined();
		const retried = await runNode({
			node,
			parameters: patient(parameters),
			resume: await retryOf(failed),
		});
		expect(retried.error).toBeUndefined();
		expect(retried.json[0].request_id).toBe(emulator.it.jobs[0].requestId);
		expect(emulator.it.counts).toMatchObject(
			Object.fromEntries(Object.entries(calls).filter(([, count]) => count > 0)),
		);
		expect(emulator.it.callsOf('upload')).toHaveLength(calls.upload ?? 0);
		expect(emulator.it.jobs).toHaveLength(1);
	});
});

describe('one item succeeds and another fails, and both are retried', () => {
	const twice = async () => [await webhookItem(), { json: {} }];

	test('an upload is not repeated', async () => {
		const run = { node: 'segmindAsset', parameters: { operation: 'upload', binaryFields: 'data' } };
		const failed = await runNode({ ...run, items: await twice() });
		expect(failed.error?.message).toContain('1 of 2 items failed');
		await runNode({ ...run, resume: await retryOf(failed) });
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
	});

	test.each([true, false])(
		'the result of Run is not generated again (waiting: %s)',
		async (waitForCompletion) => {
			const parameters = running({ waitForCompletion }, sending('url'));
			const failed = await runNode({ parameters, items: await twice() });
			expect(failed.error?.message).toContain('1 of 2 items failed');
			await runNode({ parameters, resume: await retryOf(failed) });
			expect(emulator.it.jobs).toHaveLength(1);
			expect(emulator.it.callsOf('upload')).toHaveLength(1);
		},
	);
});
