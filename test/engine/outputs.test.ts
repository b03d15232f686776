/** The output of each shape of a result, and the names of its files. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, numberRow, rows, running, textRow } from '../helpers/inference';
import { bytesOf } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const run = async (parameters: INodeParameters) => await runNode({ parameters });

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
			node: 'segmindWorkflow',
			parameters: { operation: 'run', slug: 'product-photo', inputs: rows(textRow('prompt', 'x')) },
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
				{ additionalParameters: rows(numberRow('max_images', 2)) },
			),
		);
		const names = Object.values(items[0].binary ?? {}).map(({ fileName }) => fileName);
		expect(names.length).toBeGreaterThan(1);
		expect(names.slice(0, 2)).toEqual([`two-boats-${id()}.png`, `two-boats-${id()}-1.png`]);
	});
});
