/** Options that change only how a finished output leaves the node: names of files, the input's fields and files, one item for each file. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { model, numberRow, requestParams, rows, runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

/** Returns the name of each file of each item. */
const namesOf = (items: INodeExecutionData[]) =>
	items.map(({ binary = {} }) => Object.values(binary).map(({ fileName }) => fileName));

/** Returns parameters of a request for three pictures. */
const threePictures = (options: IDataObject = {}, more: INodeParameters = {}) =>
	runParams(
		{ model: model('seedream-4'), ...more },
		{ additionalParameters: rows(numberRow('max_images', 3)), ...options },
	);

/** Runs the item beside one that fails, and retries the execution with other options. Returns the items of the first one's output, which must need no call. */
async function retryWith(
	options: IDataObject,
	earlier: IDataObject,
	item: INodeExecutionData = { json: { sku: 'A' } },
) {
	// Each evaluation gives another prompt, so only the unevaluated parameters can show that the request is the same.
	const prompt = '={{ $json.fails ? [] : "a lighthouse " + Math.random() }}';
	const items = [item, { json: { fails: true } }];
	const failed = await runNode({ parameters: threePictures(earlier, { prompt }), items });
	expect(failed.failed).toMatchObject([{ item: 1 }]);
	const retried = await runNode({
		parameters: threePictures(options, { prompt }),
		retryOf: failed,
		onError: 'continueRegularOutput',
	});
	expect(retried.calls).toEqual([]);
	return retried.items.slice(0, -1);
}

describe('File Name', () => {
	const run = async (fileName: string, json: IDataObject = { sku: 'A-1' }) =>
		await runNode({ parameters: runParams({}, { fileName }), items: [{ json }] });

	test.each([
		['={{ $json.sku }}', { sku: 'SKU_007-b.2' }, 'SKU_007-b.2.png'],
		['={{ $json.sku }}', { sku: 7 }, '7.png'],
		['={{ $json.sku }}.png', { sku: 'A-1' }, 'A-1.png'],
		['={{ $json.sku }}', { sku: 'photo.JPEG' }, 'photo.png'],
		['={{ $json.sku }}', { sku: '../../etc/pass wd\u0000\n' }, 'etc-pass-wd.png'],
		['={{ $json.sku }}', { sku: 'Rotes Kleid, Größe 38' }, 'Rotes-Kleid-Größe-38.png'],
		['={{ $json.sku }}', { sku: 'x'.repeat(110) }, `${'x'.repeat(100)}.png`],
	])('%s with %j: %s', async (fileName, json, wanted) => {
		const { items } = succeed(await run(fileName, json));
		expect(namesOf(items)).toEqual([[wanted]]);
	});

	test.each(['', '={{ undefined }}', '={{ $json.none }}', '///'])(
		'without a name (%j), files have the usual one',
		async (fileName) => {
			const { items } = succeed(await run(fileName));
			expect(namesOf(items)).toEqual([[expect.stringContaining('lighthouse-')]]);
		},
	);

	test.each(['{{ $json.sku }}', '={{ $json.none }}-large'])(
		'%s: fails before anything is sent',
		async (fileName) => {
			expect((await run(fileName)).failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
			expect(emulator.calls).toEqual([]);
		},
	);

	test('further files have a number, and all keep their binary field', async () => {
		const { items } = succeed(await runNode({ parameters: threePictures({ fileName: 'x' }) }));
		expect(namesOf(items)).toEqual([['x.png', 'x-1.png', 'x-2.png']]);
		expect(Object.keys(items[0].binary ?? {})).toEqual(['data', 'data_1', 'data_2']);
	});

	test('names the files of a version 1 response and of Get Result', async () => {
		const parameters = runParams({}, { answerInOneCall: true, fileName: '={{ $json.sku }}' });
		const { items } = succeed(await runNode({ parameters, items: [{ json: { sku: 'A' } }] }));
		expect(namesOf(items)).toEqual([['A.png']]);

		const [{ requestId: request }] = emulator.jobs;
		const again = requestParams('getResult', { request, options: { fileName: 'B' } });
		expect(namesOf(succeed(await runNode({ parameters: again })).items)).toEqual([['B.png']]);
	});

	test('an agent gets the output as it is', async () => {
		const options = { fileName: '={{ $json.none }}-x', downloadOutput: true };
		const { items } = succeed(await runNode({ parameters: runParams({}, options), asTool: true }));
		expect(namesOf(items)).toEqual([[expect.stringContaining('lighthouse-')]]);
	});

	test('another name at a retry sends and fetches nothing [Money 3]', async () => {
		const items = await retryWith({ fileName: '={{ $json.sku }}' }, { fileName: 'x' });
		expect(namesOf(items)).toEqual([['A.png', 'A-1.png', 'A-2.png']]);
	});
});
