/** The node Segmind by task: its default models and lists, its options, requests without waiting, and the output of each shape. */
import type { IDataObject, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { TASKS } from '../../nodes/Segmind/tasks';
import { findModel } from '../../nodes/shared/catalogue';
import { model, requested, rows, running, submitting } from '../helpers/inference';
import { bytesOf, fileItem, forRetry, search } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';
import { listServer } from './modelForm';

const { emulator, runNode } = useVirtualEngine();
const run = async (parameters: INodeParameters, items?: INodeExecutionData[]) =>
	await runNode({ emulator: emulator.it, parameters, items });
const paid = () => emulator.it.callsOf('submit', 'v1');
const OFFLINE = { endpointAdminUrl: 'http://127.0.0.1:9' };

describe.each(TASKS)('$resource: $operation', ({ resource, operation, makes, model: own }) => {
	test('untouched, its own default model runs', async () => {
		const { error, json } = await run({
			resource,
			operation,
			prompt: 'a lighthouse',
			waitForCompletion: false,
		});
		expect(emulator.it.callsOf('upload')).toEqual([]);
		expect(error).toBeUndefined();
		expect(paid().map(({ path }) => path)).toEqual([`/v2/${own.slug}`]);
		expect(json[0].model).toBe(own.slug);
	});

	test('its default is a model of the catalogue that does it', () => {
		const found = findModel(own.slug);
		expect(found).toBeDefined();
		if (makes) expect(found?.kind).toBe(makes);
	});

	test('its list has the models that do it, and those of an unknown kind last', async () => {
		const { results } = await search({
			emulator: emulator.it,
			credential: OFFLINE,
			method: 'searchModels',
			parameters: { resource, operation },
		});
		const slugs = results.map(({ value }) => String(value));
		expect(slugs).toContain(own.slug);
		const unfitting = slugs.filter((slug) => {
			const found = findModel(slug);
			if (!makes || found?.kind === makes) return false;
			const takesFiles = found?.parameters.some(({ type }) => type === 'file') ?? false;
			return !(makes === 'imageEdit' && found?.kind === 'image' && takesFiles);
		});
		expect(unfitting).toEqual([]);
	});

	test('a list that types models says the same, and hides none of an unknown kind', async () => {
		const server = await listServer([
			{ slug: 'odd', type: 'tensor' },
			{ slug: 'an-image', type: 'textToImage' },
			{ slug: 'a-video', type: 'textToVideo' },
			{ slug: 'a-voice', type: 'textToSpeech' },
		]);
		const { results } = await search({
			emulator: emulator.it,
			credential: { endpointAdminUrl: server.url },
			method: 'searchModels',
			parameters: { resource, operation },
		});
		await server.close();
		const fitting: Record<string, string[]> = {
			image: ['an-image'],
			video: ['a-video'],
			audio: ['a-voice'],
		};
		expect(results.map(({ value }) => value)).toEqual([
			...(makes ? (fitting[makes] ?? []) : ['an-image', 'a-video', 'a-voice']),
			'odd',
		]);
	});
});

test('Edit has image models that take files, and no others', async () => {
	const { results } = await search({
		emulator: emulator.it,
		credential: OFFLINE,
		method: 'searchModels',
		parameters: { resource: 'image', operation: 'edit' },
	});
	const slugs = results.map(({ value }) => value);
	expect(slugs).toEqual(expect.arrayContaining(['qwen-image-edit-plus', 'nano-banana']));
	expect(slugs).not.toContain('imagen-4');
});

test('a model that makes something else than the task says is run all the same', async () => {
	const { json, error } = await run({
		...running({ model: model('seedance-pro') }),
		resource: 'audio',
		operation: 'generate',
	});
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ model: 'seedance-pro', status: 'COMPLETED' });
});

describe('Wait for Completion off', () => {
	test.each([
		['a model', 'segmind', submitting(), requested('getResult'), { model: 'nano-banana-pro' }],
		[
			'a workflow',
			'segmindWorkflow',
			{
				operation: 'run',
				slug: 'product-photo',
				waitForCompletion: false,
				inputs: rows({ name: 'prompt', type: 'string', stringValue: 'x' }),
			},
			{ operation: 'getResult' },
			{ workflow: 'product-photo' },
		],
	])(
		'%s: the request goes out, and Get Result takes it',
		async (_name, node, parameters, fetching, label) => {
			const sent = await runNode({ emulator: emulator.it, node, parameters });
			expect(sent.error).toBeUndefined();
			expect(emulator.it.callsOf('status', 'poll', 'result')).toEqual([]);
			const [{ submitted_at: at, ...request }] = sent.json;
			expect(new Date(String(at)).toISOString()).toBe(at);
			expect(request).toEqual({
				request_id: emulator.it.jobs[0].requestId,
				status: 'QUEUED',
				...label,
				poll_url: expect.stringMatching(/^http/),
				...(request.status_url !== undefined && {
					status_url: expect.stringMatching(/^http/),
					response_url: expect.stringMatching(/^http/),
				}),
			});
			const { json, error } = await runNode({
				emulator: emulator.it,
				node,
				parameters: fetching,
				items: sent.items,
			});
			expect(error).toBeUndefined();
			expect(json[0]).toMatchObject({
				...label,
				request_id: request.request_id,
				status: 'COMPLETED',
			});
			expect(paid()).toHaveLength(1);
		},
	);

	test('has no effect where one call answers', async () => {
		const { json, items } = await run(submitting({}, { answerInOneCall: true }));
		expect(paid().map(({ path }) => path)).toEqual(['/v1/nano-banana-pro']);
		expect(json[0].status).toBe('COMPLETED');
		expect(items[0].binary).toHaveProperty('data');
	});
});

describe('Include Input Item', () => {
	const input = { error: 'theirs', url: 'https://example.com/x', input: { a: 1 }, n: 7 };

	test.each([
		['waiting', running({}, { includeInputItem: true })],
		['in one call', running({}, { includeInputItem: true, answerInOneCall: true })],
		['as it came', running({ simplify: false }, { includeInputItem: true })],
		['without waiting', submitting({}, { includeInputItem: true })],
	])(
		'%s: the item stands under input, whatever it holds, and never at the top',
		async (_n, all) => {
			const { json, error } = await run(all, [{ json: input }]);
			expect(error).toBeUndefined();
			expect(json[0].input).toEqual(input);
			expect(json[0]).not.toHaveProperty('error');
			expect(json[0]).not.toHaveProperty('n');
			expect(json[0].url).not.toBe(input.url);
		},
	);

	test('off: nothing of it goes out', async () => {
		const { json } = await run(running(), [{ json: input }]);
		expect(json[0]).not.toHaveProperty('input');
	});

	test('Get Result hands it on by itself, round after round', async () => {
		emulator.it.set({ jobMs: 60_000 });
		let { items } = await run(submitting({}, { includeInputItem: true }), [{ json: input }]);
		for (let round = 0; round < 3; round++) {
			const checked = await run(requested('getResult', { waitForCompletion: false }), items);
			expect(checked.error).toBeUndefined();
			expect(checked.json[0]).toMatchObject({ input, submitted_at: expect.any(String) });
			expect(checked.json[0].status).not.toBe('COMPLETED');
			({ items } = checked);
		}
		const { json } = await run(requested('getResult'), items);
		expect(json[0]).toMatchObject({ input, status: 'COMPLETED' });
		expect(Object.keys(json[0]).at(-1)).toBe('input');
	});
});

/** The output of a request that completes with this result. */
async function outputOf(result: IDataObject, slug = 'nano-banana-pro', more: INodeParameters = {}) {
	emulator.it.fault({
		on: 'result',
		times: 'always',
		do: { body: { status: 'COMPLETED', ...result } },
	});
	const { json, error } = await run(
		running({ model: model(slug), ...more }, { downloadOutput: false }),
	);
	expect(error).toBeUndefined();
	return json[0];
}

describe('the output: what was made first, nothing twice', () => {
	const AT = 'https://files.example.com/';
	const said = ['request_id', 'status', 'model'];
	const openAi = { choices: [{ message: { content: 'hello' } }], usage: { total_tokens: 3 } };
	const anthropic = { content: [{ type: 'text', text: 'hello' }], usage: { output_tokens: 3 } };
	const gemini = {
		candidates: [{ content: { parts: [{ text: 'hello' }] } }],
		usageMetadata: { totalTokenCount: 3 },
	};
	const text = { text: 'hello', usage: expect.any(Object) as IDataObject };

	test.each<[string, IDataObject, string[], IDataObject]>([
		['an image', { images: [{ url: `${AT}a.png` }] }, ['url', ...said], { url: `${AT}a.png` }],
		['an image as output', { output: `${AT}a.png` }, ['url', ...said], { url: `${AT}a.png` }],
		[
			'several images',
			{ images: [{ url: `${AT}a.png` }, { url: `${AT}b.png` }] },
			['url', 'urls', ...said],
			{ url: `${AT}a.png`, urls: [`${AT}a.png`, `${AT}b.png`] },
		],
		[
			'the same images twice',
			{ images: [{ url: `${AT}a.png` }], output: JSON.stringify([`${AT}a.png`]) },
			['url', ...said],
			{ url: `${AT}a.png` },
		],
		[
			'a video with its last frame',
			{ video: { url: `${AT}a.mp4` }, last_frame_url: `${AT}z.png` },
			['url', 'urls', ...said],
			{ url: `${AT}a.mp4`, urls: [`${AT}a.mp4`, `${AT}z.png`] },
		],
		['a sound', { audio: { url: `${AT}a.mp3` } }, ['url', ...said], { url: `${AT}a.mp3` }],
		['OpenAI', { output: openAi }, ['text', ...said, 'usage'], text],
		['Anthropic', { output: JSON.stringify(anthropic) }, ['text', ...said, 'usage'], text],
		['Gemini', { output: gemini }, ['text', ...said, 'usage'], text],
		['a plain text', { output: 'hello' }, ['output', ...said], { output: 'hello' }],
		[
			'an unknown shape',
			{ mesh: { faces: 3 } },
			['output', ...said],
			{
				output: { mesh: { faces: 3 } },
			},
		],
		[
			'a file and more than that',
			{ output: { url: `${AT}a.png`, score: 0.5 } },
			['url', 'output', ...said],
			{ output: { url: `${AT}a.png`, score: 0.5 } },
		],
		[
			'cost and balance',
			{ output: 'x', metrics: { cost: 0.5, remaining_credits: 9 } },
			['output', ...said, 'cost', 'remaining_credits'],
			{ cost: 0.5, remaining_credits: 9 },
		],
	])('%s', async (_name, result, members, values) => {
		const json = await outputOf(result);
		expect(Object.keys(json)).toEqual(members);
		expect(json).toMatchObject({ ...values, status: 'COMPLETED', model: 'nano-banana-pro' });
	});

	test('a workflow: file, named outputs, nothing of them again', async () => {
		const { json } = await runNode({
			emulator: emulator.it,
			node: 'segmindWorkflow',
			parameters: {
				operation: 'run',
				slug: 'product-photo',
				inputs: rows({ name: 'prompt', type: 'string', stringValue: 'x' }),
			},
		});
		expect(Object.keys(json[0]).slice(0, 5)).toEqual([
			'url',
			'outputs',
			'request_id',
			'status',
			'workflow',
		]);
		expect(json[0]).not.toHaveProperty('output');
	});

	test('v1 bytes and v1 JSON', async () => {
		const bytes = await run(running({}, { answerInOneCall: true }));
		expect(Object.keys(bytes.json[0])).toEqual([
			'request_id',
			'status',
			'model',
			'cost',
			'remaining_credits',
			'seed',
		]);
		expect((await bytesOf(bytes.items[0])).subarray(1, 4).toString()).toBe('PNG');
		const text = await run(running({ model: model('gpt-5.4') }, { answerInOneCall: true }));
		expect(Object.keys(text.json[0])[0]).toBe('text');
		for (const doubled of ['output', 'choices']) expect(text.json[0]).not.toHaveProperty(doubled);
	});

	test('as a tool nothing but what an agent goes on with', async () => {
		const { json } = await runNode({
			emulator: emulator.it,
			parameters: running({ model: model('gpt-5.4') }),
			asTool: true,
		});
		expect(Object.keys(json[0])).toEqual(['text', 'request_id', 'status', 'cost']);
	});
});

describe('names of files', () => {
	const nameFor = async (prompt: string, slug = 'nano-banana-pro') => {
		const { items, error } = await run(running({ prompt, model: model(slug) }));
		expect(error).toBeUndefined();
		return String(items[0].binary?.data.fileName);
	};
	const id = () => emulator.it.jobs[0].requestId.replace(/[^A-Za-z0-9]/g, '').slice(0, 6);

	test.each([
		['Lighthouse at dusk!', 'lighthouse-at-dusk'],
		['../../etc/passwd', 'etc-passwd'],
		['Ein Käfer, 夕暮れの灯台', 'ein-käfer-夕暮れの灯台'],
		['one two three four five six seven eight nine ten', 'one-two-three-four-five-six-seven-eight'],
	])('%j', async (prompt, stem) => {
		expect(await nameFor(prompt)).toBe(`${stem}-${id()}.png`);
	});

	test.each([
		'...',
		'/\\:*?"<>|',
		'\u202e\u0000\u200b',
		'🙂🙂🙂',
		`a${'\ud83d'.repeat(50)}`,
		'x'.repeat(10_000),
		'con.exe .. .htaccess',
		'\n\n\t',
	])('%j: never empty, never hostile', async (prompt) => {
		const name = await nameFor(prompt);
		expect(name).toMatch(/^[^.\s/\\<>:"|?*\p{C}][^/\\<>:"|?*\p{C}]*\.png$/u);
		expect(name.length).toBeLessThanOrEqual(100);
	});

	test('without a prompt, the slug', async () => {
		const body = '{"prompt": "a boat"}';
		const { items } = await run(running({ prompt: '' }, { requestBody: body }));
		expect(items[0].binary?.data.fileName).toBe(`nano-banana-pro-${id()}.png`);
	});

	test('several files of one request are told apart', async () => {
		const { items } = await run(
			running(
				{ prompt: 'two boats', model: model('seedream-4') },
				{ additionalParameters: rows({ name: 'max_images', type: 'number', numberValue: 2 }) },
			),
		);
		const names = Object.values(items[0].binary ?? {}).map(({ fileName }) => fileName);
		expect(names.length).toBeGreaterThan(1);
		expect(names.slice(0, 2)).toEqual([`two-boats-${id()}.png`, `two-boats-${id()}-1.png`]);
	});
});

describe('Request: Get Many', () => {
	const HOUR = 3_600_000;
	const made = (hoursAgo: number, more: IDataObject = {}, slug = 'nano-banana') =>
		emulator.it.submitElsewhere({
			slug,
			input: { prompt: 'x' },
			submittedAt: Date.now() - hoursAgo * HOUR,
			durationMs: 1_000,
			...more,
		});
	const list = async (parameters: INodeParameters = {}) =>
		await run(requested('getMany', parameters));
	const ids = async (parameters: INodeParameters = {}) =>
		(await list(parameters)).json.map(({ request_id }) => request_id);

	test('the newest first, each with what the history says', async () => {
		const [old, late] = [made(48), made(2)];
		const { json, items, error } = await list();
		expect(error).toBeUndefined();
		expect(json.map(({ request_id }) => request_id)).toEqual([late, old]);
		expect(json[0]).toMatchObject({
			url: expect.stringMatching(/^http/),
			status: 'COMPLETED',
			model: 'nano-banana',
			cost: expect.any(Number),
			request_body: { prompt: 'x' },
		});
		expect(json[0]).not.toHaveProperty('urls');
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 0 }]);
	});

	test('dates, model and status', async () => {
		const failed = made(3, { failure: 'no' });
		const other = made(4, {}, 'seedream-4');
		const running = made(0.001, { durationMs: 20 * HOUR });
		const old = made(200);
		const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR).toISOString();
		expect(await ids({ fromDate: at(300), toDate: at(100) })).toEqual([old]);
		expect(await ids({ filters: { model: 'seedream-4' } })).toEqual([other]);
		expect(await ids({ filters: { status: 'FAILED' } })).toEqual([failed]);
		expect(await ids({ filters: { status: 'COMPLETED' } })).toEqual([other, old]);
		expect(await ids({ filters: { status: 'PROCESSING' } })).toEqual([running]);
		const [{ error_message: reason, url }] = (await list({ filters: { status: 'FAILED' } })).json;
		expect(reason).toEqual(expect.any(String));
		expect(url).toBeUndefined();
	});

	test('a limit, and none, over more than a page', async () => {
		const all = Array.from({ length: 130 }, (_unused, at) => made(1 + at / 100));
		expect(await ids({ limit: 3 })).toEqual(all.slice(0, 3));
		expect(await ids()).toHaveLength(50);
		expect(await ids({ returnAll: true })).toEqual(all);
	});

	test('one request with several files is one item with all of them', async () => {
		made(1, { input: { prompt: 'x', max_images: 3 } }, 'seedream-4');
		made(2);
		const { json } = await list({ limit: 1 });
		expect(json).toHaveLength(1);
		expect(json[0].urls).toHaveLength(3);
		expect(json[0].url).toBe((json[0].urls as string[])[0]);
	});

	test('out of reach: an error, never an empty list', async () => {
		emulator.it.set({ history: false });
		const { error, json } = await list();
		expect(error?.httpCode).toBe('404');
		expect(json).toEqual([]);
	});
});

describe('a retry of a changed node', () => {
	const CHANGED: Array<[string, INodeParameters, INodeParameters, number]> = [
		['the task, same model', {}, { resource: 'image', operation: 'generate' }, 1],
		['waiting and presentation', {}, { simplify: false, waitForCompletion: false }, 1],
		[
			'options that only wait or present',
			{},
			{
				options: {
					timeoutSeconds: 60,
					pollIntervalSeconds: 1,
					onTimeout: 'returnRequest',
					outputField: 'x',
					includeInputItem: true,
					maximumCost: 9,
					maxConcurrency: 3,
				},
			},
			1,
		],
		[
			'the cached name',
			{},
			{
				model: {
					__rl: true,
					mode: 'list',
					value: 'nano-banana-pro',
					cachedResultName: 'Nano Banana Pro · $1',
				},
			},
			1,
		],
		[
			'a parameter more',
			{},
			{ options: { additionalParameters: rows({ name: 'n', type: 'number', numberValue: 1 }) } },
			2,
		],
		// It sends the second item as well.
		['another body', {}, { options: { requestBody: '{"prompt": "else"}' } }, 3],
		['one call', {}, { options: { answerInOneCall: true } }, 2],
		[
			'an untouched default of another task',
			{ resource: 'image', operation: 'generate', model: undefined as never },
			{ resource: 'video', operation: 'generate', model: undefined as never },
			2,
		],
	];

	test.each(CHANGED)('%s', async (_name, before, after, sent) => {
		const items = [{ json: {} }, { json: { fails: true } }];
		const prompt = '={{ $json.fails ? [] : "a lighthouse" }}';
		// The second item fails before anything is sent, so that the first is all that is ever paid.
		const first = running({ prompt, ...before });
		const failed = await runNode({ emulator: emulator.it, parameters: first, items });
		expect(failed.error).toBeDefined();
		expect(paid()).toHaveLength(1);
		const { options, ...more } = after;
		const again = running({ prompt, ...before, ...more }, options as IDataObject);
		await runNode({ emulator: emulator.it, parameters: again, resume: forRetry(failed.stored) });
		expect(paid()).toHaveLength(sent);
	});
});

test('several values of Additional Parameters keep their types next to a file', async () => {
	await run(
		submitting(
			{ prompt: '' },
			{
				additionalParameters: rows(
					{ name: 's', type: 'string', stringValue: '5' },
					{ name: 'n', type: 'number', numberValue: 0.5 },
					{ name: 'b', type: 'boolean', booleanValue: true },
					{ name: 'j', type: 'json', jsonValue: '{"a": [null]}' },
					{ name: 'f', type: 'file', binaryFields: 'data' },
				),
				sendFilesAs: 'base64',
			},
		),
		[fileItem({ data: { bytes: Buffer.from('one') } })],
	);
	expect(paid()[0].body).toEqual({ s: '5', n: 0.5, b: true, j: { a: [null] }, f: 'b25l' });
});
