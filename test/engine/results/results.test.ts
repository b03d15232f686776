/** The output for a result of each shape, its files and their names. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { digest } from '../../../nodes/shared/base/hash';
import { model, runParams } from '../../helpers/inference';
import { bytesOf, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const run = async (slug: string, more: INodeParameters = {}, options: IDataObject = {}) =>
	await runNode({ parameters: runParams({ model: model(slug), ...more }, options) });
const v1 = async (slug: string, more: INodeParameters = {}, options: IDataObject = {}) =>
	await run(slug, more, { answerInOneCall: true, ...options });

/** The fields of an output, in their order. */
const FIELDS = [
	...['url', 'urls', 'last_frame_url', 'text', 'output', 'request_id', 'status', 'model'],
	...['cost', 'remaining_credits', 'seed', 'usage'],
];

describe('a result of any shape is passed on completely', () => {
	const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(90, 7)]);
	const base64 = PNG.toString('base64');
	const mark = '[image/png, 98 bytes: in binary]';
	const url = 'https://files.example/a.png';
	const page = 'https://files.example/view';
	const chat = { choices: [{ message: { content: 'hello' } }] };
	const usage = { total_tokens: 3 };
	const metrics = { cost: 0.5, remaining_credits: 9 };
	const score = { url, score: 0.5 };
	const withPicture = (inlineData: IDataObject) => ({
		candidates: [{ content: { parts: [{ text: 'hello' }, { inlineData }] } }],
	});
	const thinking = (...parts: object[]) => ({
		candidates: [{ content: { parts: [...parts, { text: 'hello', thoughtSignature: 'a' }] } }],
	});
	const gemini = withPicture({ mimeType: 'image/png', data: base64 });
	/** Returns an item's JSON without the fields about the request, its files, and the hints. */
	async function itemOf(result: IDataObject, slug = 'my-endpoint') {
		emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', ...result } } });
		const { items, hints } = succeed(await run(slug, {}, { downloadOutput: false }));
		const names = Object.keys(items[0].json);
		expect(names).toEqual(FIELDS.filter((name) => names.includes(name)));
		const { request_id, status, model: usedModel, ...json } = items[0].json;
		const { requestId } = emulator.jobs.at(-1)!;
		expect([request_id, status, usedModel]).toEqual([requestId, 'COMPLETED', slug]);
		const files = await Promise.all(
			Object.keys(items[0].binary ?? {}).map(async (name) => await bytesOf(items[0], name)),
		);
		return { json, files, hints };
	}

	test.each<[string, IDataObject, IDataObject]>([
		['base64', { image: base64 }, {}],
		['a data URL', { image: `data:image/png;base64,${base64}` }, {}],
		['a data URL with a parameter', { image: `data:image/png;x=y;base64,${base64}` }, {}],
		['base64 with line breaks', { image: base64.replace(/(.{20})/g, '$1\r\n') }, {}],
		[
			'objects with base64',
			{ images: [{ b64_json: base64, revised_prompt: 'x' }] },
			{ output: { images: [{ b64_json: mark, revised_prompt: 'x' }] } },
		],
		[
			'beside a description',
			{ image: base64, description: 'a lighthouse' },
			{ output: { image: mark, description: 'a lighthouse' } },
		],
		['beside a text', { output: gemini }, { text: 'hello' }],
		['beside a text, as JSON text', { output: JSON.stringify(gemini) }, { text: 'hello' }],
		['beside a URL', { image: base64, video: url }, { url, urls: [url] }],
	])('a file: %s', async (_form, result, json) => {
		const item = await itemOf(result);
		expect(item).toEqual({ json, files: [PNG], hints: [] });
	});

	const oneFile = { url, urls: [url] };
	const NO_FILES = [
		'iVBORw0KGgo=',
		'iVBORw0KGgo is how a PNG begins in base64, and this sentence is longer than that',
		Buffer.alloc(99, 7).toString('base64'),
		`//server/${'path/'.repeat(40)}`,
		'a'.repeat(128),
	];

	test.each<[string, IDataObject, IDataObject]>([
		['an image', { images: [{ url }] }, oneFile],
		['an image as output', { output: url }, oneFile],
		['several images', { images: [{ url }, { url: page }] }, { url, urls: [url, page] }],
		['the same images twice', { images: [{ url }], output: JSON.stringify([url]) }, oneFile],
		[
			'a last frame inside the video',
			{ video: { last_frame_url: page, url } },
			{ url, urls: [url, page], last_frame_url: page },
		],
		[
			'a last frame beside the video',
			{ last_frame_url: page, video: { url } },
			{ url, urls: [url, page], last_frame_url: page },
		],
		['a language model', { output: { ...chat, usage } }, { text: 'hello', usage }],
		[
			'a language model that thinks',
			{ output: { ...thinking(), usageMetadata: usage } },
			{ text: 'hello', usage },
		],
		['content that is no list', { output: { content: 'hi' } }, { output: { content: 'hi' } }],
		['JSON text', { output: JSON.stringify(chat) }, { text: 'hello' }],
		['plain text', { output: 'hello', metrics }, { output: 'hello', ...metrics }],
		['a file and other members', { output: score }, { ...oneFile, output: score }],
		['a relative path', { image: 'generations/a.png' }, { output: { image: 'generations/a.png' } }],
		['a URL under uri', { video: { uri: page } }, { url: page, urls: [page] }],
		['a text and files', { output: chat, images: [{ url }] }, { ...oneFile, text: 'hello' }],
		[
			'a plain text and files',
			{ output: 'hello', images: [{ url }] },
			{ ...oneFile, output: 'hello' },
		],
		[
			'a transcript and a mask',
			{ output: url, transcript: 'hi', mask: page },
			{ ...oneFile, output: { output: url, transcript: 'hi', mask: page } },
		],
		['timings', { output: url, timings: { total_ms: 3 }, infer_time: 2 }, oneFile],
		['base64 as the output', { output: base64 }, { output: base64 }],
		['base64 in a text', { output: `see ${base64}` }, { output: `see ${base64}` }],
		['base64 under text', { text: base64 }, { output: { text: base64 } }],
		[
			'base64 that a language model wrote',
			{ output: { content: [{ text: base64 }] } },
			{ text: base64 },
		],
		['what only looks like base64', { masks: NO_FILES }, { output: { masks: NO_FILES } }],
		['what only looks like JSON', { output: '[broken' }, { output: '[broken' }],
	])('%s', async (_form, result, json) => {
		expect(await itemOf(result)).toEqual({ json, files: [], hints: [] });
	});

	test.each<[string, IDataObject]>([
		['several choices', { choices: [...chat.choices, { message: { content: 'bye' } }] }],
		['citations, which are not downloaded', { ...chat, citations: [url] }],
		['thoughts, which are not its text', thinking({ text: 'hm', thought: true })],
		['a member named like one of Object', { ...chat, constructor: { a: 'b c' } }],
		[
			'sources of a search',
			{ candidates: [{ ...gemini.candidates[0], groundingMetadata: { chunks: [page] } }] },
		],
	])("a language model's response with %s is whole in output", async (_what, response) => {
		for (const output of [response, JSON.stringify(response)]) {
			const { json } = await itemOf({ output });
			const whole = JSON.parse(JSON.stringify(response).replace(base64, mark)) as IDataObject;
			expect(json).toEqual({ text: 'hello', output: whole });
		}
	});

	test('what a language model returns in members beside its text is in output too', async () => {
		const reasoning = 'because it is';
		const { json } = await itemOf({ output: chat, reasoning });
		expect(json).toEqual({ text: 'hello', output: { output: chat, reasoning } });
	});

	/** In which results a member counts as a part of what was made. */
	type Counts = 'always' | 'withoutFile' | 'never';
	test.each<[string, IDataObject[string], Counts]>([
		['lyrics', 'Red rain, red rain\nfalls on me', 'always'],
		['caption', 'A lighthouse at dusk.', 'always'],
		['caption', '灯塔矗立在悬崖边', 'always'],
		['srt', '1\n00:00:00,000 --> 00:00:01,000\nHi', 'always'],
		['transcript', 'Hi', 'always'],
		['segments', [{ id: 1, start: 0.5, text: 'Hi' }], 'always'],
		['mask', page, 'always'],
		['embedding', 'A7x/'.repeat(50), 'always'],
		['score', 0.5, 'withoutFile'],
		['boxes', [[1, 2]], 'always'],
		['labels', ['cat'], 'always'],
		['has_nsfw_concepts', [false], 'never'],
		['queue_position', 3, 'withoutFile'],
		['created_at', '2026-11-28T10:00:00.123Z', 'never'],
		['created_at', '2026-11-28 10:00:00 UTC', 'never'],
		['created_at', 'Sat, 28 Nov 2026 10:00:00 GMT', 'never'],
		['native_finish_reason', 'STOP', 'never'],
		['trace', { id: '8c1f-22', region: 'eu-west-1', cached: false }, 'never'],
		['nsfw', false, 'never'],
		['infer_time', 2, 'never'],
		['prompt', 'a red lighthouse', 'never'],
	])('%s %j beside an output counts %s', async (name, value, counts) => {
		const besideText = await itemOf({ output: 'hello', [name]: value });
		const besideFile = await itemOf({ output: url, [name]: value });
		const besideChat = await itemOf({ output: chat, [name]: value });
		const whole = (output: IDataObject[string], isWhole: boolean) =>
			isWhole ? { output: { output, [name]: value } } : {};
		const isText = counts !== 'never';
		const isFile = counts === 'always';
		expect(besideText.json).toEqual({ output: 'hello', ...whole('hello', isText) });
		expect(besideFile.json).toEqual({ ...oneFile, ...whole(url, isFile) });
		expect(besideChat.json).toEqual({ text: 'hello', ...whole(chat, isFile) });
	});

	test.each<[string, IDataObject, boolean]>([
		[
			'native_finish_reason',
			{ choices: [{ ...chat.choices[0], native_finish_reason: 'STOP' }] },
			false,
		],
		['created_at', { ...chat, created_at: '2026-11-28T10:00:00Z', queue_position: 3 }, false],
		['avgLogprobs', { candidates: [{ ...thinking().candidates[0], avgLogprobs: -0.1 }] }, false],
		['a filter', { ...chat, prompt_filter_results: [{ hate: { filtered: false } }] }, false],
		[
			'a call of a tool',
			{ choices: [{ message: { content: 'hello', tool_calls: [{ id: 'a' }] } }] },
			true,
		],
		['a word of thought', { choices: [{ message: { content: 'hello', reasoning: 'Hm' } }] }, true],
		['a search', { ...chat, search_results: [{ title: 'Red rain' }] }, true],
	])("a language model's own response with %s", async (_what, response, isWhole) => {
		for (const result of [{ output: response }, response]) {
			const { json } = await itemOf(result);
			expect(json).toEqual({ text: 'hello', ...(isWhole && { output: response }) });
		}
	});

	test.each<[IDataObject, string | undefined]>([
		[{ choices: [{ message: { content: 'hel' }, finish_reason: 'length' }] }, 'hel'],
		[{ choices: [{ message: { content: null }, finish_reason: 'length' }] }, undefined],
		[{ content: [{ type: 'text', text: 'hel' }], stop_reason: 'max_tokens' }, 'hel'],
		[{ candidates: [{ content: { role: 'model' }, finishReason: 'MAX_TOKENS' }] }, undefined],
	])('a text that was cut gets a hint: %j', async (output, text) => {
		const { json, hints } = await itemOf({ output });
		expect(json.text).toBe(text);
		expect(hints).toEqual([expect.stringMatching(/max_tokens/)]);
	});

	test.each([
		['base64', base64, 'image/png', PNG],
		['a data URL', `data:image/png;base64,${base64}`, 'image/png', PNG],
		['an SVG', ' <svg xmlns="a"/>', 'image/svg+xml', Buffer.from(' <svg xmlns="a"/>')],
		[
			'an SVG in XML',
			'<?xml version="1.0"?><svg xmlns="a"/>',
			'image/svg+xml',
			Buffer.from('<?xml version="1.0"?><svg xmlns="a"/>'),
		],
	])(
		'an image model returns %s as its output, in both versions',
		async (_what, output, ...file) => {
			emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', output } } });
			emulator.fault({ on: 'v1', do: { body: output, contentType: 'text/plain' } });
			for (const answerInOneCall of [false, true]) {
				const { items, hints } = succeed(await run('nano-banana-pro', {}, { answerInOneCall }));
				expect([items[0].binary?.data.mimeType, await bytesOf(items[0])]).toEqual(file);
				expect(items[0].json).not.toHaveProperty('output');
				expect(hints).toEqual([]);
			}
		},
	);

	test('as a tool it outputs only what an agent needs to continue', async () => {
		const parameters = runParams({ model: model('gpt-5.4') });
		const { json } = succeed(await runNode({ parameters, asTool: true }));
		expect(Object.keys(json[0])).toEqual(['text', 'request_id', 'status', 'cost']);
	});

	test('an agent gets the URL of a file, and no base64', async () => {
		emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', image: base64 } } });
		const parameters = runParams({ model: model('nano-banana-pro') });
		const { json } = succeed(await runNode({ parameters, asTool: true }));
		expect(emulator.callsOf('upload')).toHaveLength(1);
		expect(json[0].url).toMatch(/\/assets\//);
		expect(JSON.stringify(json)).not.toContain(base64.slice(0, 20));
	});

	test("an agent gets the paid output even if its file can't be uploaded", async () => {
		emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', image: base64 } } });
		emulator.fault({ on: 'upload', times: 'always', do: { status: 400, body: { error: 'no' } } });
		const parameters = runParams({ model: model('nano-banana-pro') });
		const { json, hints } = succeed(await runNode({ parameters, asTool: true }));
		const [{ requestId: request_id }] = emulator.jobs;
		expect(json).toEqual([{ request_id, status: 'COMPLETED' }]);
		expect(hints).toHaveLength(1);
	});

	test('with Simplify off, the output is the response, without a top-level error and without bytes of files [n8n 1]', async () => {
		const body = { status: 'COMPLETED', image: base64, a: [1] };
		emulator.fault({ on: 'result', do: { body: { ...body, error: null } } });
		const { items, json } = succeed(await run('nano-banana-pro', { simplify: false }));
		expect(await bytesOf(items[0])).toEqual(PNG);
		const { requestId: request_id } = emulator.jobs[0];
		expect(json).toEqual([{ ...body, image: mark, request_id, model: 'nano-banana-pro' }]);
	});
});

describe('files', () => {
	test.each([
		['nano-banana-pro', 'image/png'],
		['seedance-2.0', 'video/mp4'],
		['gemini-2.5-flash-tts', 'audio/'],
	])('%s outputs its file, URL, cost and balance', async (slug, mimeType) => {
		const { items, json } = succeed(await run(slug));
		expect(items[0].binary?.data.mimeType).toContain(mimeType);
		expect(json[0]).toMatchObject({
			status: 'COMPLETED',
			model: slug,
			url: expect.stringMatching(/^http/),
			cost: emulator.charged,
			remaining_credits: expect.any(Number),
		});
	});

	const id = () => digest(emulator.jobs[0].requestId).slice(0, 8);

	test.each([
		['Lighthouse at dusk!', 'lighthouse-at-dusk'],
		['../../etc/passwd', 'etc-passwd'],
		['Ein Käfer, 夕暮れの灯台', 'ein-käfer-夕暮れの灯台'],
		['\u0e44\u0e21\u0e49 \u0e14\u0e35', '\u0e44\u0e21\u0e49-\u0e14\u0e35'],
		['Ein Ka\u0308fer', 'ein-k\u00e4fer'],
		['\u0301 ❤\ufe0f', 'output'],
		['one two three four five six seven eight nine ten', 'one-two-three-four-five-six-seven-eight'],
		['/\\:*?"<>|\u202e\u0000🙂', 'output'],
	])('of the prompt %j are named %s', async (prompt, stem) => {
		const { items } = succeed(await run('nano-banana-pro', { prompt }));
		expect(items[0].binary?.data.fileName).toBe(`${stem}-${id()}.png`);
	});
});

describe('Answer in One Call', () => {
	test.each([
		['nano-banana-pro', 'image/png'],
		['seedance-2.0', 'video/mp4'],
		['chatterbox-tts', 'audio/'],
	])('%s: bytes become a file, headers become members', async (slug, mimeType) => {
		const { items, json } = succeed(await v1(slug));
		expect(items[0].binary?.data.mimeType).toContain(mimeType);
		const members = ['request_id', 'status', 'model', 'cost', 'remaining_credits', 'seed'];
		expect(Object.keys(json[0])).toEqual(members);
		expect(json[0]).toMatchObject({ request_id: emulator.jobs[0].requestId, model: slug });
	});

	test('base64 in JSON becomes a file, and a URL is downloaded', async () => {
		emulator.set({ v1Shape: 'base64Array' });
		const { items, json } = succeed(await v1('nano-banana-pro'));
		expect((await bytesOf(items[0])).subarray(1, 4).toString()).toBe('PNG');
		expect(JSON.stringify(json[0]).length).toBeLessThan(2_000);
		emulator.set({ v1Shape: 'videoUrl' });
		const video = succeed(await v1('seedance-2.0'));
		expect(video.json[0].url).toMatch(/^http/);
		expect(video.items[0].binary?.data.mimeType).toBe('video/mp4');
	});

	test('text comes first; with Simplify off, the output is the response and the values of its headers', async () => {
		const { json } = succeed(await v1('gpt-5.4'));
		expect(Object.keys(json[0])[0]).toBe('text');
		for (const doubled of ['output', 'choices']) expect(json[0]).not.toHaveProperty(doubled);
		const whole = succeed(await v1('gpt-5.4', { simplify: false }));
		expect(whole.json[0]).toMatchObject({ choices: expect.any(Array), cost: expect.any(Number) });
	});

	test('a text is in the output, with Simplify on and off', async () => {
		for (const simplify of [true, false]) {
			emulator.fault({ on: 'v1', do: { status: 200, body: 'hello', contentType: 'text/plain' } });
			const { json } = await v1('gpt-5.4', { simplify });
			expect(json[0].output).toBe('hello');
		}
	});

	test('its files are binary data even with Download Files off', async () => {
		const { items } = succeed(await v1('nano-banana-pro', {}, { downloadOutput: false }));
		expect(items[0].binary).toHaveProperty('data');
	});
});
