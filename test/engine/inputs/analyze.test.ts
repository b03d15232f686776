/** Language models see images: each family gets them in its own form, inside the request. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, runParams } from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const [one, two] = ['one', 'two'].map((text) =>
	Buffer.from(`\x89PNG\r\n\x1a\n${text.repeat(300)}`, 'latin1'),
);
const [first, second] = [one, two].map((content) => content.toString('base64'));
const PNG = { bytes: one, mimeType: 'image/png' };
const item = fileItem({ data: PNG });
const both = fileItem({ a: PNG, b: { bytes: two, mimeType: 'image/png' } });
const GIF = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20)]);

const analyze = (more: INodeParameters = {}, options: IDataObject = {}) =>
	runParams(
		{
			resource: 'image',
			operation: 'analyze',
			prompt: 'What is it?',
			model: model('gemini-3.1-flash-lite'),
			...more,
		},
		options,
	);
const ask = (more: INodeParameters = {}, options: IDataObject = {}) =>
	analyze(
		{ resource: 'text', operation: 'generate', model: model('gpt-5.4-mini'), ...more },
		options,
	);
const body = () => emulator.callsOf('submit').at(-1)?.body as IDataObject;

const text = { type: 'text', text: 'What is it?' };
const FORMS: Array<[string, (data: string[]) => IDataObject]> = [
	[
		'gpt-5.4-mini',
		(data) => ({
			messages: [
				{
					role: 'user',
					content: [
						text,
						...data.map((base64) => ({
							type: 'image_url',
							image_url: { url: `data:image/png;base64,${base64}` },
						})),
					],
				},
			],
		}),
	],
	[
		'claude-4.5-sonnet',
		(data) => ({
			messages: [
				{
					role: 'user',
					content: [
						text,
						...data.map((base64) => ({
							type: 'image',
							source: { type: 'base64', media_type: 'image/png', data: base64 },
						})),
					],
				},
			],
		}),
	],
	[
		'gemini-3.1-flash-lite',
		(data) => ({
			messages: {
				contents: [
					{
						role: 'user',
						parts: [
							{ text: 'What is it?' },
							...data.map((base64) => ({ inlineData: { mimeType: 'image/png', data: base64 } })),
						],
					},
				],
			},
		}),
	],
];

test.each(FORMS)("%s gets the item's own image, and several, in its form", async (slug, form) => {
	const own = succeed(
		await runNode({ parameters: analyze({ model: model(slug) }), items: [item] }),
	);
	expect(own.items[0].json.text).toMatch(/What is it\? \[image of \d+ bytes/);
	expect(body()).toEqual(form([first]));
	const parameters = analyze({ model: model(slug), images: 'b, a' });
	succeed(await runNode({ parameters, items: [both] }));
	expect(body()).toEqual(form([second, first]));
	expect(emulator.callsOf('upload')).toEqual([]);
	const requests = await runNode({ parameters: { resource: 'request', operation: 'getMany' } });
	expect(requests.json.map(({ prompt }) => prompt)).toEqual(['What is it?', 'What is it?']);
});

test('the question has a default', async () => {
	const parameters = analyze();
	delete parameters.prompt;
	await runNode({ parameters, items: [item] });
	expect(JSON.stringify(body())).toContain("What's in this image?");
});

test('an image at a URL is fetched without the key and sent inside the request; a data URL too', async () => {
	const made = succeed(await runNode({ parameters: runParams() }));
	const url = String(made.items[0].json.url);
	const parameters = analyze({ images: `${url}, data:image/png;base64,${first}` });
	const { items } = succeed(await runNode({ parameters }));
	expect(items[0].json.text).toMatch(/a lighthouse.*image of/);
	expect(JSON.stringify(body())).not.toContain(url);
});

test.each<[string, string, INodeParameters, Parameters<typeof fileItem>[0]]>([
	['no image at all', 'Images', {}, {}],
	['several images and none chosen', 'Images', {}, { a: PNG, b: PNG }],
	['a picture without content', 'Image 1', {}, { data: { ...PNG, bytes: Buffer.alloc(0) } }],
	['an expression that found nothing', 'Images', { images: '={{ $json.photo }}' }, { data: PNG }],
	[
		'an image over 5 MB',
		'Image 1',
		{},
		{ data: { ...PNG, bytes: Buffer.concat([one, Buffer.alloc(5e6)]) } },
	],
	[
		'images over 7 MB together',
		'Image 2',
		{ images: 'a, b' },
		{
			a: { ...PNG, bytes: Buffer.concat([one, Buffer.alloc(4e6)]) },
			b: { ...PNG, bytes: Buffer.concat([one, Buffer.alloc(4e6)]) },
		},
	],
	[
		'something else than an image',
		'Image 1',
		{ images: 'data' },
		{ data: { ...PNG, bytes: Buffer.from('%PDF-1.7') } },
	],
	['a model of another kind', 'Model', { model: model('nano-banana') }, { data: PNG }],
])('%s: the error names %s, and nothing is sent', async (_what, field, more, files) => {
	const { failed } = await runNode({ parameters: analyze(more), items: [fileItem(files)] });
	const message = expect.stringContaining(field);
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
	expect(emulator.callsOf('submit')).toEqual([]);
});

test('the type of an image comes from its content', async () => {
	const parameters = analyze({ model: model('claude-4.5-sonnet') });
	await runNode({ parameters, items: [fileItem({ data: { bytes: GIF, mimeType: 'image/png' } })] });
	expect(JSON.stringify(body())).toContain('"media_type":"image/gif"');
});

describe('when an agent calls it', () => {
	test("the item's own image is sent, and the answer is returned", async () => {
		const { items } = succeed(
			await runNode({ parameters: analyze(), items: [item], asTool: true }),
		);
		expect(items[0].json.text).toMatch(/image of/);
	});

	test.each<[string, (url: string) => INodeParameters]>([
		['Images, from the agent', (url) => analyze({ images: `={{ "${url}" }}` })],
		['Images, beside a file', (url) => analyze({ images: `={{ "data, ${url}" }}` })],
		['Images, fixed', (url) => analyze({ images: url })],
		['the option Images', (url) => ask({}, { images: `={{ ["${url}"] }}` })],
	])('no URL is fetched: %s [Secrets 2]', async (_field, parametersFor) => {
		const made = succeed(await runNode({ parameters: runParams() }));
		emulator.reset();
		const parameters = parametersFor(String(made.items[0].json.url));
		const { failed } = await runNode({ parameters, items: [item], asTool: true });
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(emulator.calls).toEqual([]);
	});
});

describe('Text: Generate', () => {
	const CONVERSATION = {
		values: {
			rows: {
				values: [
					{ role: 'user', message: 'Hi' },
					{ role: 'assistant', message: 'Hello' },
				],
			},
		},
	};
	const options = { conversation: CONVERSATION, images: 'data' };
	test.each<[string, IDataObject]>([
		[
			'gpt-5.4-mini',
			{
				messages: [
					{ role: 'system', content: 'Be brief.' },
					{ role: 'user', content: 'Hi' },
					{ role: 'assistant', content: 'Hello' },
					(FORMS[0][1]([first]).messages as IDataObject[])[0],
				],
			},
		],
		[
			'claude-4.5-sonnet',
			{
				instruction: 'Be brief.',
				messages: [
					{ role: 'user', content: 'Hi' },
					{ role: 'assistant', content: 'Hello' },
					(FORMS[1][1]([first]).messages as IDataObject[])[0],
				],
			},
		],
		[
			'gemini-2.5-flash',
			{
				messages: {
					system_instruction: { parts: { text: 'Be brief.' } },
					contents: [
						{ role: 'user', parts: [{ text: 'Hi' }] },
						{ role: 'model', parts: [{ text: 'Hello' }] },
						((FORMS[2][1]([first]).messages as IDataObject).contents as IDataObject[])[0],
					],
				},
			},
		],
	])('%s gets system prompt, conversation, prompt and image', async (slug, sent) => {
		const parameters = ask({ model: model(slug), systemPrompt: 'Be brief.' }, options);
		const { hints } = succeed(await runNode({ parameters, items: [item] }));
		expect(body()).toEqual(sent);
		expect(hints).toEqual([]);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		['a prompt', {}, {}],
		['a conversation', { prompt: 'x' }, { conversation: CONVERSATION }],
	])('%s beside messages of your own fails before anything is sent', async (_what, more, given) => {
		const row = { name: 'messages', type: 'json', jsonValue: '[{"role":"user","content":"x"}]' };
		const parameters = ask(more, { ...given, additionalParameters: { values: [row] } });
		const { failed } = await runNode({ parameters });
		const message = expect.stringContaining('messages');
		expect(failed).toMatchObject([{ kind: 'badInput', message }]);
		expect(emulator.calls).toEqual([]);
	});
});
