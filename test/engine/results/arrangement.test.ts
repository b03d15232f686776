/** Options that change only how a finished output leaves the node: names of files, the input's fields and files, one item for each file. */
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';

import { nodeOf } from '../../../dev/engine/node';
import { isShown, takesDescription } from '../../../dev/engine/version';
import { model, numberRow, requestParams, rows, runParams } from '../../helpers/inference';
import { actionNode } from '../../helpers/packageNodes';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();

const PNG_BYTES = Buffer.from(`\x89PNG\r\n\x1a\n${'x'.repeat(100)}`, 'latin1');

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
		['={{ $json.sku }}', { sku: 'Öl, no. 3' }, 'Öl-no-3.png'],
		['={{ $json.sku }}', { sku: 'x'.repeat(110) }, `${'x'.repeat(75)}.png`],
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

describe('Include Other Input Fields', () => {
	const INPUT = {
		...fileItem({ photo: { bytes: Buffer.from('p') }, data: { bytes: Buffer.from('d') } }),
		json: { sku: 'A-1', status: 'new', error: 'of an earlier node', nested: { a: 1 } },
	};
	const PHOTO = expect.objectContaining({ fileName: 'photo.png' }) as unknown;
	const MADE = expect.objectContaining({
		fileName: expect.stringContaining('lighthouse-') as string,
	}) as unknown;
	const ON = { includeOtherFields: true };
	/** What would pass for a result of this node. */
	const TAKEN = {
		url: 'https://example.com/a.png',
		urls: ['https://example.com/a.png'],
		output: 'earlier',
		request_id: 'earlier',
		submitted_at: '2026-01-01T00:00:00Z',
		poll_url: 'https://example.com/p',
		status_url: 'https://example.com/s',
		response_url: 'https://example.com/r',
		seed: 7,
		usage: { total_tokens: 1 },
		cost: 5,
		remaining_credits: 99,
		error: { message: 'earlier' },
	};
	const WORDS = { text: 'earlier', data: { title: 'earlier' } };

	test("adds the input's fields and files but its error; the node's own win", async () => {
		const { items } = succeed(await runNode({ parameters: runParams({}, ON), items: [INPUT] }));
		const [{ json, binary }] = items;
		expect(json).toMatchObject({ sku: 'A-1', nested: { a: 1 }, status: 'COMPLETED' });
		expect(json).not.toHaveProperty('error');
		expect(Object.keys(json)[0]).toBe('url');
		expect(binary).toEqual({ photo: PHOTO, data: MADE });
	});

	test('each item gets its own fields, also those of an unfinished request and of Get Result', async () => {
		const items = ['A', 'B'].map((sku) => ({ json: { sku } }));
		const parameters = runParams({ waitForCompletion: false }, ON);
		const { items: unfinished } = succeed(await runNode({ parameters, items }));
		expect(unfinished.map(({ json }) => json.sku)).toEqual(['A', 'B']);
		const getResult = requestParams('getResult', { options: ON });
		const results = succeed(await runNode({ parameters: getResult, items: unfinished }));
		const requestIds = unfinished.map(({ json }) => json.request_id);
		expect(results.json.map(({ sku, request_id }) => [sku, request_id])).toEqual([
			['A', requestIds[0]],
			['B', requestIds[1]],
		]);
		expect(results.json.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED']);
	});

	test('without it, nothing of the input is in the output', async () => {
		const { items } = succeed(await runNode({ parameters: runParams(), items: [INPUT] }));
		expect(items[0].json).not.toHaveProperty('sku');
		expect(items[0].binary).toEqual({ data: MADE });
	});

	describe.each([1, 2])('a failed item, with %i tries', (tries) => {
		const run = async (
			onError: 'continueRegularOutput' | 'continueErrorOutput',
			options: IDataObject,
			more: Partial<Parameters<typeof runNode>[0]> = {},
			given: IDataObject = TAKEN,
		) => {
			emulator.set({ failWhen: ({ prompt }) => prompt === 'bad' });
			const row = (prompt: string) => ({ ...INPUT, json: { ...INPUT.json, ...given, prompt } });
			const parameters = runParams({ prompt: '={{ $json.prompt }}' }, options);
			const items = [row('bad'), row('good')];
			return await runNode({ parameters, items, onError, tries, ...more });
		};

		const ownColumns = { request_id: '', url: 'https://example.com/a.png', cost: 5, text: 'mine' };
		test.each<[string, IDataObject, IDataObject]>([
			["all fields of the user's row", ownColumns, { ...ownColumns, status: 'new' }],
			[
				'none of the fields of an earlier result but its words',
				{ ...TAKEN, ...WORDS, status: 'COMPLETED', model: 'earlier' },
				WORDS,
			],
		])('under Continue, has %s beside its error, without files', async (_case, given, kept) => {
			const { items } = await run('continueRegularOutput', ON, {}, given);
			const [failed, good] = items;
			expect(failed.json).toEqual({
				error: expect.objectContaining({ status: 'FAILED' }) as unknown,
				sku: 'A-1',
				nested: { a: 1 },
				prompt: 'bad',
				...kept,
			});
			expect(failed.binary).toBeUndefined();
			expect(failed.pairedItem).toEqual({ item: 0 });
			expect(good.json).not.toHaveProperty('error');
			expect(emulator.callsOf('submit')).toHaveLength(tries + 1);
		});

		test('with the error output, has only its error, because n8n sends other items to the first output', async () => {
			const { items, errorItems } = await run('continueErrorOutput', ON);
			expect(items.map(({ json }) => json.prompt)).toEqual(['good']);
			expect(errorItems).toMatchObject([{ json: { error: { status: 'FAILED' } } }]);
			expect(Object.keys(errorItems[0].json)).toEqual(['error']);
		});

		test.each<[string, IDataObject]>([
			['it is off', {}],
			['its expression fails', { includeOtherFields: '={{ $json.none.none }}' }],
		])('has only its error if %s', async (_case, options) => {
			const { json } = await run('continueRegularOutput', options);
			expect(Object.keys(json[0])).toEqual(['error']);
		});

		test('keeps the row if the credential is what is wrong', async () => {
			const credential = { customAddresses: true, baseUrl: 'not an address' };
			const { json } = await run('continueRegularOutput', ON, { credential });
			expect(json).toMatchObject([{ sku: 'A-1', prompt: 'bad' }, { prompt: 'good' }]);
		});
	});

	const askText = { resource: 'text', operation: 'generate', model: model('gpt-5.4-mini') };
	const PROMPT = rows({ name: 'prompt', type: 'string', stringValue: 'a red shoe' });
	const runWorkflow = { operation: 'run', slug: 'product-photo', inputs: PROMPT, options: ON };
	test.each<[string, string, INodeParameters, IDataObject, string[]]>([
		['a picture', 'segmind', runParams({}, ON), {}, ['photo']],
		['a text', 'segmind', runParams(askText, ON), WORDS, ['data', 'photo']],
		['a workflow', 'segmindWorkflow', runWorkflow, { outputs: { a: 'earlier' } }, ['photo']],
	])(
		'the input never stands in the place of a result: %s',
		async (_case, node, parameters, own, files) => {
			emulator.fault({
				on: ['result', 'poll'],
				times: 'always',
				do: { rewrite: { without: ['images', 'output'], with: { output: 'I refuse.' } } },
			});
			const taken = { ...TAKEN, ...own };
			const items = [{ ...INPUT, json: { ...INPUT.json, ...taken } }];
			const [{ json, binary }] = succeed(await runNode({ node, parameters, items })).items;
			expect(json).toMatchObject({ sku: 'A-1', request_id: emulator.jobs[0].requestId });
			for (const [name, value] of Object.entries(taken)) expect(json[name]).not.toEqual(value);
			expect(Object.keys(binary ?? {}).sort()).toEqual(files);
		},
	);

	test('an agent gets only the output', async () => {
		const parameters = runParams({}, ON);
		const { items } = succeed(await runNode({ parameters, items: [INPUT], asTool: true }));
		expect(items[0].json).not.toHaveProperty('sku');
		expect(items[0].binary).toBeUndefined();
	});

	test("the cost and URLs of an earlier request aren't added", async () => {
		const json = { cost: 5, urls: ['a', 'b'], url: 'a', text: 'earlier' };
		const options = { ...ON, oneItemPerFile: true };
		const { items } = succeed(
			await runNode({ parameters: threePictures(options), items: [{ json }] }),
		);
		const { cost } = emulator.jobs[0];
		expect(items.map((item) => item.json.cost)).toEqual([cost, undefined, undefined]);
		for (const item of items) {
			expect(item.json.urls).toEqual([item.json.url]);
			expect(item.json).toMatchObject({
				text: 'earlier',
				url: expect.not.stringMatching(/^a$/) as string,
			});
		}
	});

	test.each([false, true])(
		"the input's file doesn't replace one that could not be downloaded (One Item per File: %s)",
		async (oneItemPerFile) => {
			emulator.fault({ on: 'file', do: { status: 410, body: '' } });
			const parameters = threePictures({ ...ON, oneItemPerFile });
			const { items } = succeed(await runNode({ parameters, items: [INPUT] }));
			expect(Object.keys(items[0].binary ?? {}).sort()).toEqual(
				oneItemPerFile ? ['photo'] : ['data_1', 'data_2', 'photo'],
			);
		},
	);

	test("without downloads, the item keeps the input's file", async () => {
		const parameters = runParams({}, { ...ON, downloadOutput: false });
		const { items } = succeed(await runNode({ parameters, items: [INPUT] }));
		expect(Object.keys(items[0].binary ?? {}).sort()).toEqual(['data', 'photo']);
	});

	test('turned on at a retry, it sends and fetches nothing [Money 3]', async () => {
		const [{ json, binary }] = await retryWith(ON, {}, INPUT);
		expect(json).toMatchObject({ sku: 'A-1', status: 'COMPLETED' });
		expect(Object.keys(binary ?? {})).toEqual(['data', 'data_1', 'data_2', 'photo']);
	});
});

test.each<[string, IDataObject, IDataObject, string[]]>([
	['turned on', { outputField: 'picture' }, {}, ['picture', 'picture_1', 'picture_2']],
	['changed', { outputField: 'b' }, { outputField: 'picture' }, ['b', 'b_1', 'b_2']],
	['removed', {}, { outputField: 'picture' }, ['data', 'data_1', 'data_2']],
])(
	'Put Output File in Field, %s at a retry, sends and fetches nothing [Money 3]',
	async (_change, options, earlier, fields) => {
		const [{ binary }] = await retryWith(options, earlier);
		expect(Object.keys(binary ?? {})).toEqual(fields);
	},
);

describe.each([
	['image', 'analyze', { photo: { bytes: PNG_BYTES } }],
	['audio', 'transcribe', { talk: { bytes: Buffer.from('t'), mimeType: 'audio/mpeg' } }],
])('%s: %s', (resource, operation, files) => {
	const run = async (options: IDataObject, asTool = false) =>
		succeed(
			await runNode({
				parameters: {
					resource,
					operation,
					options: { pollIntervalSeconds: 5, ...options },
				} as INodeParameters,
				items: [fileItem(files, { sku: 'A' })],
				asTool,
			}),
		).items[0];

	test.each<[string, IDataObject, string[], boolean]>([
		["keeps the input's files", {}, Object.keys(files), false],
		['keeps nothing with Include Other Input Fields off', { includeOtherFields: false }, [], false],
		['keeps all with it on', { includeOtherFields: true }, Object.keys(files), true],
	])('%s', async (_name, options, kept, hasFields) => {
		const { json, binary = {} } = await run(options);
		expect(json).toHaveProperty('text');
		expect(Object.keys(binary)).toEqual(kept);
		expect('sku' in json).toBe(hasFields);
	});

	test('an agent gets no file', async () => {
		expect((await run({}, true)).binary).toBeUndefined();
	});
});

describe('One Item per File', () => {
	const ON = { oneItemPerFile: true };
	const sku = (text: string) => ({ json: { sku: text } });
	const costsOf = (items: INodeExecutionData[]) => items.map(({ json }) => json.cost);
	const fieldsOf = (items: INodeExecutionData[]) =>
		items.map(({ binary = {} }) => Object.keys(binary));

	test('each file is in an item of its own, with its URL, and only the first item has the cost', async () => {
		const whole = succeed(await runNode({ parameters: threePictures({ timeoutSeconds: 60 }) }));
		const [{ cost, urls }] = whole.json;
		const { items } = succeed(
			await runNode({ parameters: threePictures(ON), items: [sku('A'), sku('B')] }),
		);
		expect(fieldsOf(items)).toEqual(Array(6).fill(['data']));
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[0, 0, 0, 1, 1, 1].map((item) => ({ item })),
		);
		expect(costsOf(items)).toEqual([cost, undefined, undefined, cost, undefined, undefined]);
		const made = emulator.jobs.slice(1).flatMap(({ files }) => files);
		expect(items.map(({ json }) => json.url).sort()).toEqual(made.sort());
		expect(new Set(items.map(({ json }) => json.request_id)).size).toBe(2);
		for (const { json } of items) {
			expect(json.urls).toEqual([json.url]);
			expect(json).toMatchObject({ status: 'COMPLETED', model: 'seedream-4' });
		}
		expect(urls).toHaveLength(3);
	});

	test('keeps the order of the files, and fits to the other options', async () => {
		const all = {
			...ON,
			fileName: '={{ $json.sku }}',
			includeOtherFields: true,
			outputField: 'picture',
		};
		const { items } = succeed(await runNode({ parameters: threePictures(all), items: [sku('A')] }));
		expect(items.map(({ json }) => json.url)).toEqual(emulator.jobs[0].files);
		expect(items.map(({ json }) => json.sku)).toEqual(['A', 'A', 'A']);
		expect(items.map(({ binary }) => binary?.picture.fileName)).toEqual([
			'A.png',
			'A-1.png',
			'A-2.png',
		]);
	});

	test('a file that is not downloaded is an item with its URL', async () => {
		emulator.fault({ on: 'file', after: 1, do: { status: 410, body: '' } });
		const { items } = succeed(await runNode({ parameters: threePictures(ON) }));
		expect(fieldsOf(items)).toEqual([['data'], [], ['data']]);
		expect(items.map(({ json }) => json.url)).toEqual(emulator.jobs[0].files);

		const off = { ...ON, downloadOutput: false };
		const { items: notDownloaded } = succeed(await runNode({ parameters: threePictures(off) }));
		expect(fieldsOf(notDownloaded)).toEqual([[], [], []]);
		expect(new Set(notDownloaded.map(({ json }) => json.url)).size).toBe(3);
	});

	test('with Simplify off, each item has the response, but only the first one the cost', async () => {
		const { items } = succeed(
			await runNode({ parameters: threePictures(ON, { simplify: false }) }),
		);
		expect(fieldsOf(items)).toEqual([['data'], ['data'], ['data']]);
		const costs = items.map(({ json }) => JSON.stringify(json).includes('"cost"'));
		expect(costs).toEqual([true, false, false]);
		for (const { json } of items) expect(json.images).toHaveLength(3);
	});

	test('one file, or none yet, is one item', async () => {
		const one = succeed(await runNode({ parameters: runParams({}, ON) }));
		expect(one.json).toMatchObject([{ status: 'COMPLETED', cost: expect.any(Number) as number }]);
		const parameters = threePictures(ON, { waitForCompletion: false });
		const { json } = succeed(await runNode({ parameters }));
		expect(json).toMatchObject([{ status: 'QUEUED' }]);
	});

	test('Get Result makes them too', async () => {
		succeed(await runNode({ parameters: threePictures({}, { waitForCompletion: false }) }));
		const [{ requestId: request }] = emulator.jobs;
		const { items } = succeed(
			await runNode({ parameters: requestParams('getResult', { request, options: ON }) }),
		);
		expect(fieldsOf(items)).toEqual([['data'], ['data'], ['data']]);
	});

	test('an agent gets one output', async () => {
		const { items } = succeed(await runNode({ parameters: threePictures(ON), asTool: true }));
		expect(items).toHaveLength(1);
	});

	test('turned on or off at a retry, it sends and fetches nothing [Money 3]', async () => {
		expect(fieldsOf(await retryWith(ON, {}))).toEqual([['data'], ['data'], ['data']]);
		expect(fieldsOf(await retryWith({}, ON))).toEqual([['data', 'data_1', 'data_2']]);
	});
});

test.each(['segmind', 'segmindWorkflow'])('a tool of %s shows none of the options', (name) => {
	const nodeType = actionNode(name);
	const { description } = nodeType;
	const node = nodeOf({ parameters: { resource: 'image', operation: 'generate' } }, nodeType);
	const names = ['fileName', 'includeOtherFields', 'oneItemPerFile'];
	const members = description.properties
		.flatMap(({ options = [] }) => options)
		.filter((one): one is INodeProperties => 'type' in one && names.includes(one.name));
	expect(members.length).toBeGreaterThanOrEqual(names.length);
	const tool = { ...description, name: `${description.name}Tool` };
	for (const member of members) {
		expect(isShown(description, node, member)).toBe(true);
		// Early versions of 1.x can't tell a tool.
		expect(isShown(tool, node, member)).toBe(!takesDescription);
	}
});
