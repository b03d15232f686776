/** The form of a model's parameters: what it shows, what n8n stores of it, and what is sent for it. */
import { randomUUID } from 'node:crypto';

import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	ResourceMapperField,
} from 'n8n-workflow';
import { NodeHelpers } from 'n8n-workflow';

import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { parametersOf } from '../../dev/engine/version';
import { nodeOf } from '../../dev/engine/node';
import { fileItem, runNode, search } from '../helpers/runNode';
import { listServer, modelForm, typed, visible } from './modelForm';
import { useEmulator } from '../helpers/emulator';
import { EACH_PROMPT, model, prompts, rows, submitting } from '../helpers/inference';

const emulator = useEmulator();
const UNREACHABLE = 'http://127.0.0.1:9';

const servers: Array<{ close(): Promise<void> }> = [];
afterEach(async () => {
	for (const server of servers.splice(0)) await server.close();
});
async function list(models: unknown) {
	const server = await listServer(models);
	servers.push(server);
	return server;
}

/** Parameters as the service's list writes them. */
const PAINTER = {
	slug: 'painter-9',
	title: 'Painter 9',
	type: 'textToImage',
	is_visible: true,
	parameters: {
		prompt: { type: 'str', label: 'Prompt', isRequired: true, displayOrder: 1 },
		seed: { type: 'int', default: '-1', displayOrder: 9, isAdvanced: true },
		steps: { type: 'slider', default: '4', min: '1', max: '50', displayOrder: 2 },
		style: {
			type: 'str',
			component: 'dropdown',
			options: [
				{ label: 'Oil', value: 'oil' },
				{ label: 'Ink', value: 'ink' },
			],
			default: 'oil',
			displayOrder: 3,
			affectsPricing: true,
		},
		size: { type: 'int', values: ['512', '1024'], isRequired: true, displayOrder: 4 },
		reference: { type: 'image', displayOrder: 5 },
		references: { type: 'image[]', displayOrder: 6 },
		refine: { type: 'bool', default: 'false', displayOrder: 7 },
		palette: { type: 'dict', displayOrder: 8 },
		tags: { type: 'array', displayOrder: 8 },
		internal: { type: 'str', hidden: true },
	},
};
const form = async (
	listUrl: string,
	slug = PAINTER.slug,
	more: Partial<Parameters<typeof modelForm>[0]> = {},
) => await modelForm({ listUrl, slug, ...more });
const shownAs = (fields: ResourceMapperField[]) =>
	fields.map(({ displayName, type }) => `${displayName}: ${type}`);
const byId = (fields: ResourceMapperField[], id: string) =>
	fields.find((field) => field.id === id) as ResourceMapperField;

describe('the form', () => {
	test('a model of the list alone: every parameter, required ones first, with type, choices, range and what changes the price', async () => {
		const fields = visible(await form((await list([PAINTER])).url));
		expect(shownAs(fields)).toEqual([
			'Size: options',
			'Steps (1–50): number',
			'Style $: options',
			'Reference (file): string',
			'References (files): string',
			'Refine: options',
			'Palette: object',
			'Tags: array',
			'Seed: number',
		]);
		expect(byId(fields, 'style').options).toEqual([
			{ name: "Model's Default (oil)", value: '' },
			{ name: 'oil', value: 'oil' },
			{ name: 'ink', value: 'ink' },
		]);
		expect(byId(fields, 'size')).toMatchObject({
			required: true,
			options: [{ value: 512 }, { value: 1024 }],
		});
		expect(byId(fields, 'refine').options).toEqual([
			{ name: "Model's Default (false)", value: '' },
			{ name: 'True', value: true },
			{ name: 'False', value: false },
		]);
		expect(fields.filter(({ removed }) => removed).map(({ id }) => id)).toEqual([
			'palette',
			'tags',
			'seed',
		]);
		expect(fields.every((field) => !('defaultValue' in field))).toBe(true);
	});

	test('the list over the catalogue: its choices win, the built-in type stays, what only the catalogue knows comes last', async () => {
		const { url } = await list([
			{
				slug: 'kling-2.6',
				parameters: { duration: { type: 'int', values: [5, 10, 15] }, camera: { type: 'str' } },
			},
		]);
		const fields = visible(await form(url, 'kling-2.6'));
		expect(byId(fields, 'duration').options).toMatchObject([
			{ value: '' },
			{ value: '5' },
			{ value: '10' },
			{ value: '15' },
		]);
		expect(fields.map(({ id }) => id)).toEqual([
			'duration',
			'camera',
			'negative_prompt',
			'cfg_scale',
			'mode',
			'aspect_ratio',
			'generate_audio',
			'image',
		]);
	});

	test('the catalogue when the list is out of reach or empty', async () => {
		const wanted = [
			'Duration (e.g. 8): number',
			'Resolution: options',
			'Aspect Ratio: options',
			'Generate Audio: options',
			'Negative Prompt: string',
			'Image (file): string',
		];
		for (const url of [
			UNREACHABLE,
			(await list(undefined)).url,
			(await list([])).url,
			(await list('<html>')).url,
		])
			expect(shownAs(visible(await form(url, 'veo-3.1')))).toEqual(wanted);
	});

	test.each([
		['a slug that nobody knows', 'my-endpoint-7', /not known.*Additional Parameters/],
		['a model that takes a prompt only', 'plain-1', /a prompt only.*Additional Parameters/],
		['no model yet', '', /Choose a model/],
		['an expression that n8n did not evaluate', '={{ $json.model }}', /Additional Parameters/],
	])('%s: a notice and no field', async (_name, slug, notice) => {
		const plain = { slug: 'plain-1', parameters: { prompt: { type: 'str' } } };
		expect(await form((await list([PAINTER, plain])).url, slug)).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringMatching(notice),
		});
	});

	test('the list is looked up once, without a key, for forms and pickers', async () => {
		const server = await list([PAINTER]);
		await Promise.all([form(server.url), form(server.url)]);
		await form(server.url, 'veo-3.1');
		await search({
			emulator: emulator.it,
			method: 'searchModels',
			credential: { endpointAdminUrl: server.url },
		});
		expect(server.calls.filter((call) => !call.includes('/endpoint/'))).toEqual([
			'GET /inference-model-information/list',
		]);
	});

	test('the picker leaves out what is not visible or retired, the form does not', async () => {
		const { url } = await list([
			PAINTER,
			{ ...PAINTER, slug: 'hidden-1', is_visible: 'false' },
			{ ...PAINTER, slug: 'old-1', is_depreciated: 1 },
			{ ...PAINTER, slug: '={{ 1 }}' },
		]);
		const { results } = await search({
			emulator: emulator.it,
			method: 'searchModels',
			parameters: { resource: 'model', operation: 'run' },
			credential: { endpointAdminUrl: url },
		});
		expect(results.map(({ value }) => value)).toEqual(['painter-9']);
		expect(visible(await form(url, 'hidden-1'))).toHaveLength(9);
	});

	test('as a tool: plain names, and text instead of dropdowns', async () => {
		const { url } = await list([PAINTER]);
		expect(shownAs(visible(await form(url, PAINTER.slug, { asTool: true })))).toEqual([
			'size: number',
			'steps: number',
			'style: string',
			'reference: string',
			'references: string',
			'refine: string',
			'palette: object',
			'tags: array',
			'seed: number',
		]);
	});
});

describe('nothing that was typed is lost', () => {
	test('a list out of reach: the stored form of the same model, for another one the catalogue', async () => {
		const { fields } = await form((await list([PAINTER])).url);
		const stored = typed(fields, { steps: 5 });
		expect(await form(UNREACHABLE, PAINTER.slug, { parameters: stored })).toEqual({ fields });
		expect(
			visible(await form(UNREACHABLE, 'imagen-4', { parameters: stored })).map(({ id }) => id),
		).toEqual(['negative_prompt', 'aspect_ratio']);
		expect((await form(UNREACHABLE, 'painter-8', { parameters: stored })).fields).toEqual([]);
	});

	test('a model that left the list keeps its stored form', async () => {
		const { fields } = await form((await list([PAINTER])).url);
		expect(
			await form((await list([{ slug: 'other' }])).url, PAINTER.slug, {
				parameters: typed(fields, {}),
			}),
		).toEqual({ fields });
	});

	test('a field stays when the list drops or hides it, one that was removed goes', async () => {
		const { fields } = await form((await list([PAINTER])).url);
		const { size, reference, references, refine, palette, tags, seed } = PAINTER.parameters;
		const less = { size, reference, references, refine, palette, seed };
		const { url } = await list([
			{ ...PAINTER, parameters: { ...less, tags: { ...tags, hidden: true } } },
		]);
		// The editor hands over nothing for an expression that comes out undefined: it cannot be told from an empty field.
		const onForm = fields.map((field) =>
			field.id === 'style' ? { ...field, removed: true } : field,
		);
		const again = await form(url, PAINTER.slug, {
			parameters: typed(onForm, { tags: '["a"]' }),
		});
		expect(visible(again).map(({ id }) => id)).toEqual([
			'size',
			'reference',
			'references',
			'refine',
			'palette',
			'tags',
			'seed',
			'steps',
		]);
		expect(byId(again.fields, 'steps')).toEqual(byId(fields, 'steps'));
		const { body } = await sent('painter-9', typed(again.fields, { steps: '={{ "7" }}' }));
		expect(body).toEqual({ steps: 7 });
	});

	test('a value that is no choice any more stays a choice, also of a field that had none; what an expression gives is none', async () => {
		const parameters = {
			style: { type: 'str', options: ['pencil'] },
			size: { type: 'int', options: [1] },
			steps: { type: 'int', options: [4, 8] },
		};
		const { fields } = await form((await list([PAINTER])).url);
		const { url } = await list([{ ...PAINTER, parameters }]);
		const again = await form(url, PAINTER.slug, {
			// The editor hands an expression over with the value it has for the item at hand.
			parameters: typed(fields, { style: 'oil', size: 77, steps: 5 }),
		});
		expect(byId(again.fields, 'style').options).toContainEqual({ name: 'oil', value: 'oil' });
		expect(byId(again.fields, 'size').options?.map(({ value }) => value)).toEqual(['', 1]);
		expect(byId(again.fields, 'steps').options?.map(({ value }) => value)).toEqual(['', 4, 8, 5]);
		const raw = await form(url, PAINTER.slug, {
			parameters: typed(fields, { steps: '={{ $json.steps }}' }),
		});
		expect(byId(raw.fields, 'steps').options?.map(({ value }) => value)).toEqual(['', 4, 8]);
	});

	test('a field whose expression failed stays', async () => {
		const { fields } = await form((await list([PAINTER])).url);
		const { url } = await list([{ ...PAINTER, parameters: { tags: PAINTER.parameters.tags } }]);
		const emptied = fields.map((field) => ({ ...field, removed: field.display }));
		const again = await form(url, PAINTER.slug, { parameters: typed(emptied, { steps: null }) });
		expect(visible(again).map(({ id }) => id)).toEqual(['tags', 'steps']);
	});

	test('an advanced field that has a value, or that was on the form, is not put away', async () => {
		const { url } = await list([PAINTER]);
		const { fields } = await form(url);
		const onForm = { ...byId(fields, 'seed'), removed: undefined };
		for (const parameters of [typed(fields, { seed: 1 }), typed([...fields, onForm], {})])
			expect(
				byId((await form(url, PAINTER.slug, { parameters })).fields, 'seed').removed,
			).toBeUndefined();
		const untouched = await form(url, PAINTER.slug, { parameters: typed(fields, {}) });
		expect(byId(untouched.fields, 'seed').removed).toBe(true);
	});
});

/** What is sent for a form; the emulator takes any model of its own. */
async function sent(
	slug: string,
	parameters: IDataObject | undefined,
	{ additionalParameters, ...more }: INodeParameters = {},
	items?: INodeExecutionData[],
	asTool = false,
) {
	emulator.it.fault({ on: 'submit', do: { body: { request_id: randomUUID() } } });
	const all = submitting(
		{
			model: model(slug),
			prompt: '',
			...(parameters && { parameters }),
			...more,
		} as INodeParameters,
		{ ...(additionalParameters && { additionalParameters }) } as IDataObject,
	);
	const { error, hints } = await runNode({ emulator: emulator.it, parameters: all, items, asTool });
	return { error, hints, body: emulator.it.callsOf('submit')[0]?.body as IDataObject | undefined };
}

describe('what is sent', () => {
	let fields: ResourceMapperField[];
	beforeAll(async () => {
		const server = await listServer([PAINTER]);
		({ fields } = await form(server.url));
		await server.close();
	});

	test.each([
		['untouched', null],
		['opened', {}],
		[
			'emptied',
			{
				steps: '',
				style: '',
				size: null,
				reference: '',
				tags: null,
				refine: '',
				seed: '={{ undefined }}',
				palette: '={{ null }}',
			},
		],
	])('a form that is %s sends nothing', async (_name, value) => {
		expect((await sent('painter-9', typed(fields, value as IDataObject))).body).toEqual({});
	});

	test('a node saved before there was a form sends what it did', async () => {
		expect(
			(
				await sent('imagen-4', undefined, {
					prompt: 'a',
					additionalParameters: rows({ name: 'seed', type: 'number', numberValue: 1 }),
				})
			).body,
		).toEqual({ prompt: 'a', seed: 1 });
	});

	test('values as they were typed', async () => {
		const value = {
			steps: 5,
			style: 'ink',
			size: 1024,
			reference: 'https://example.com/a.png',
			references: 'https://example.com/a,b.png, https://example.com/c.png',
			refine: false,
			palette: '{"a": [1]}',
			tags: '["x", 1]',
			seed: -1,
		};
		const { body, error } = await sent('painter-9', typed(fields, value), { prompt: 'a fox' });
		expect(error).toBeUndefined();
		expect(body).toEqual({
			prompt: 'a fox',
			...value,
			references: ['https://example.com/a,b.png', 'https://example.com/c.png'],
			palette: { a: [1] },
			tags: ['x', 1],
		});
	});

	test('expressions take the type of the field, and each item its own value', async () => {
		const value = {
			steps: '={{ "7" }}',
			style: '={{ 3 }}',
			size: '={{ $json.size }}',
			refine: '={{ "True" }}',
			palette: '={{ ({ b: 2 }) }}',
			tags: '={{ ["y"] }}',
			references: '={{ ["https://example.com/d.png"] }}',
		};
		const parameters = submitting({
			prompt: EACH_PROMPT,
			parameters: typed(withSlug(fields, 'nano-banana-pro'), value) as INodeParameters,
		});
		const items = prompts(2).map(({ json }, at) => ({ json: { ...json, size: String(at) } }));
		await runNode({ emulator: emulator.it, parameters, items });
		const bodies = emulator.it.callsOf('submit').map(({ body }) => body);
		expect(bodies).toHaveLength(2);
		for (const at of [0, 1])
			expect(bodies).toContainEqual({
				prompt: `prompt ${at}`,
				steps: 7,
				style: '3',
				size: at,
				refine: true,
				palette: { b: 2 },
				tags: ['y'],
				references: ['https://example.com/d.png'],
			});
	});

	test('what does not convert is sent as it is, and so is what is no choice', async () => {
		const value = {
			steps: '={{ "many" }}',
			style: '={{ "charcoal" }}',
			size: '={{ "0x10" }}',
			refine: '={{ "maybe" }}',
			palette: '={{ "red" }}',
			tags: '={{ "a,b" }}',
			seed: '={{ "12345678901234567890" }}',
		};
		const { body } = await sent('painter-9', typed(fields, value));
		expect(body).toEqual({
			steps: 'many',
			style: 'charcoal',
			size: '0x10',
			refine: 'maybe',
			palette: 'red',
			tags: 'a,b',
			seed: '12345678901234567890',
		});
	});

	test('text stays text where the model wants it: "5" on Kling', async () => {
		const { fields: kling } = await form(UNREACHABLE, 'kling-2.6');
		expect((await sent('kling-2.6', typed(kling, { duration: '={{ 5 }}' }))).body).toEqual({
			duration: '5',
		});
	});

	test('without a stored schema the built-in types serve; for an unknown model nothing is converted', async () => {
		expect(
			(await sent('kling-2.6', typed([], { duration: '={{ 5 }}', cfg_scale: '={{ "0.5" }}' })))
				.body,
		).toEqual({ duration: '5', cfg_scale: 0.5 });
		emulator.it.reset();
		expect((await sent('my-endpoint', typed([], { steps: '={{ "5" }}' }))).body).toEqual({
			steps: '5',
		});
	});

	test.each<[string, IDataObject, INodeParameters, string, RegExp]>([
		[
			'the form and a row',
			{ steps: 1 },
			{ additionalParameters: rows({ name: 'steps', type: 'number', numberValue: 2 }) },
			"Input 'steps' is given twice",
			/form and in a row/,
		],
		[
			'the form and Prompt',
			{ prompt: 'b' },
			{ prompt: 'a' },
			"Input 'prompt' is given twice",
			/clear Prompt/,
		],
		[
			'a name that breaks paths',
			{ 'a"]': 1 },
			{},
			`Parameter 'a"]' has a name`,
			/Additional Parameters/,
		],
		[
			'a file that is none',
			{ reference: 'nope' },
			{},
			"Parameter 'reference' is 'nope', which is neither",
			/https:/,
		],
		[
			'a file that is a number',
			{ reference: '={{ 5 }}' },
			{},
			"Parameter 'reference' is 5, not a file",
			/URL/,
		],
		[
			'one of several files',
			{ references: 'data, nope' },
			{},
			"Parameter 'references' is 'nope'",
			/https:/,
		],
	])('%s: refused by name before any call', async (_name, value, more, message, advice) => {
		const { error } = await sent('painter-9', typed(fields, value), more, [
			fileItem({ data: { bytes: Buffer.from('x') } }),
		]);
		expect(error?.message).toContain(message);
		expect(error?.description).toMatch(advice);
		expect(error?.description).toContain('Nothing was sent');
		expect(emulator.it.calls).toEqual([]);
	});

	test('a field that is empty for this item does not clash with a row', async () => {
		const { body } = await sent('painter-9', typed(fields, { steps: '={{ $json.none }}' }), {
			additionalParameters: rows({ name: 'steps', type: 'number', numberValue: 2 }),
		});
		expect(body).toEqual({ steps: 2 });
	});

	test('binary fields are uploaded in one request with those of rows; data URLs go as they are', async () => {
		const item = fileItem({
			data: { bytes: Buffer.from('one') },
			second: { bytes: Buffer.from('two'), mimeType: 'image/webp' },
		});
		const value = {
			reference: 'data',
			references: 'second, https://example.com/a.png, data:image/gif;base64,R0lG,data',
		};
		const { body, error } = await sent(
			'painter-9',
			typed(fields, value),
			{ additionalParameters: rows({ name: 'mask', type: 'file', binaryFields: 'second' }) },
			[item],
		);
		expect(error).toBeUndefined();
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
		const first = body?.reference as string;
		const second = body?.mask as string;
		expect(first).toMatch(/^http/);
		expect(body).toEqual({
			reference: first,
			references: [second, 'https://example.com/a.png', 'data:image/gif;base64,R0lG', first],
			mask: second,
		});
	});

	test('a tool sends its text in the type of the model, and leaves out what is empty', async () => {
		const server = await list([PAINTER]);
		const { fields: ofTool } = await form(server.url, PAINTER.slug, { asTool: true });
		const value = {
			steps: '={{ "6" }}',
			style: 'ink',
			refine: '={{ "true" }}',
			size: '={{ "512" }}',
			tags: '["a"]',
			reference: '={{ "" }}',
		};
		expect((await sent('painter-9', typed(ofTool, value), {}, undefined, true)).body).toEqual({
			steps: 6,
			style: 'ink',
			refine: true,
			size: 512,
			tags: ['a'],
		});
	});
});

/** The stored form of another model. */
function withSlug(fields: ResourceMapperField[], slug: string): ResourceMapperField[] {
	return fields.map((field) => (field.display ? field : { ...field, displayName: slug }));
}

describe('shown where it can be', () => {
	const nodeType = new Segmind();
	const kept = (more: INodeParameters) => {
		const node = nodeOf(
			{
				parameters: {
					resource: 'model',
					operation: 'run',
					parameters: typed([], { steps: 1 }) as never,
					...more,
				},
			},
			nodeType,
		);
		return 'parameters' in parametersOf(nodeType.description, node, false);
	};

	test('for a chosen model; not for an expression or other operations', () => {
		expect(kept({ model: model('veo-3.1') })).toBe(true);
		expect(kept({})).toBe(true);
		expect(kept({ model: model('={{ $json.model }}') })).toBe(false);
		expect(kept({ model: '={{ $json.model }}' })).toBe(false);
		expect(kept({ resource: 'request', operation: 'getStatus' })).toBe(false);
	});

	test('a model given by an expression sends nothing of a form that was filled before', async () => {
		const { body } = await sent('={{ "imagen-4" }}', typed([], { aspect_ratio: '1:1' }), {
			prompt: 'a',
		});
		expect(body).toEqual({ prompt: 'a' });
	});
});

describe('the prompt', () => {
	test('goes under the name that the list gives it, also where the list was never seen', async () => {
		const reader = (slug: string, parameters: object) => ({ slug, parameters });
		const { url } = await list([
			reader('speaker-1', { script: { type: 'str', isRequired: true }, pace: { type: 'int' } }),
			reader('chat-1', { messages: { type: 'json', isRequired: true }, heat: { type: 'float' } }),
		]);
		const speaker = await form(url, 'speaker-1');
		expect(visible(speaker).map(({ id }) => id)).toEqual(['pace']);
		const chat = await form(url, 'chat-1');
		expect(visible(chat).map(({ id }) => id)).toEqual(['heat']);
		const asked = async (slug: string, fields: ResourceMapperField[]) => {
			emulator.it.reset();
			return (await sent(slug, typed(fields, {}), { prompt: 'hello' })).body;
		};
		expect(await asked('speaker-1', speaker.fields)).toEqual({ script: 'hello' });
		expect(await asked('chat-1', chat.fields)).toEqual({
			messages: [{ role: 'user', content: 'hello' }],
		});
		// The form of another model says nothing of this one.
		expect(await asked('my-endpoint', speaker.fields)).toEqual({ prompt: 'hello' });
	});

	test('serves for messages, which are not required and not shown at first', async () => {
		const { fields } = await form(emulator.it.urls.admin, 'gpt-5.4-mini');
		expect(byId(fields, 'messages')).toMatchObject({ required: false, removed: true });
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});
});

test('two names of one thing: one field, the required one', async () => {
	const { url } = await list([
		{
			slug: 'twice-1',
			parameters: {
				image: { type: 'image' },
				image_url: { type: 'str', isRequired: true },
				images: { type: 'image[]' },
			},
		},
		// Called image in the catalogue.
		{ slug: 'veo-3.1', parameters: { image_url: { type: 'str' } } },
	]);
	const ids = async (slug: string) => visible(await form(url, slug)).map(({ id }) => id);
	expect(await ids('twice-1')).toEqual(['image_url', 'images']);
	expect(await ids('veo-3.1')).not.toContain('image');
});

test('a label that is stored stays when the list calls the parameter otherwise', async () => {
	const labelled = async (label: string) => {
		const parameters = { steps: { type: 'int', label, min: 1, max: 50 } };
		return (await list([{ slug: 'painter-9', parameters }])).url;
	};
	const { fields } = await form(await labelled('Rounds'));
	expect(byId(fields, 'steps').displayName).toBe('Rounds (1–50)');
	const parameters = typed(fields, {});
	const again = await form(await labelled('Turns'), 'painter-9', { parameters });
	expect(again.fields).toEqual(fields);
	expect((await form(await labelled('Turns'))).fields).not.toEqual(fields);
});

test('an unknown slug: the notice names the listed ones like it', async () => {
	const { url } = await list([PAINTER, { slug: 'singer' }]);
	const { emptyFieldsNotice } = await form(url, 'painter9');
	expect(emptyFieldsNotice).toContain('painter-9');
	expect((await form(url, 'singer')).emptyFieldsNotice).not.toContain('painter-9');
});

test('a number out of its range is sent, and told in a manual run only', async () => {
	const { fields } = await form(UNREACHABLE, 'p-image');
	const parameters = submitting({
		model: model('p-image'),
		parameters: typed(fields, { width: 9999 }) as INodeParameters,
	});
	for (const [mode, told] of [
		['manual', true],
		['trigger', false],
	] as const) {
		emulator.it.reset();
		const { error, hints } = await runNode({ emulator: emulator.it, parameters, mode });
		expect(error).toBeUndefined();
		expect(emulator.it.callsOf('submit')[0].body).toMatchObject({ width: 9999 });
		expect(hints.some((hint) => /'width' is 9999.*1440/.test(hint))).toBe(told);
	}
});

const picture = { bytes: Buffer.from('p'), mimeType: 'image/png' };
const other = { bytes: Buffer.from('q'), mimeType: 'image/webp' };
const sound = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg' };
const FILE = expect.stringMatching(/^http/) as string;

describe('a file that is required and not given', () => {
	test.each<[string, string, Parameters<typeof fileItem>[0], INodeParameters, IDataObject]>([
		['the one that fits', 'esrgan', { voice: sound, photo: picture }, {}, { image: FILE }],
		['as a list', 'p-image-edit', { data: picture }, {}, { image_urls: [FILE] }],
		['a sound', 'eleven-labs-transcript', { a: picture, b: sound }, {}, { audio_url: FILE }],
		['two that fit', 'esrgan', { data: picture, data_1: other }, {}, {}],
		['none that fits', 'esrgan', { data: sound }, {}, {}],
		['two that are required', 'faceswap-v5', { data: picture }, {}, {}],
		['none that is required', 'veo-3.1', { data: picture }, {}, {}],
		['a model nobody knows', 'my-endpoint', { data: picture }, {}, {}],
		[
			'given in a row',
			'esrgan',
			{ data: picture },
			{
				additionalParameters: rows({
					name: 'image',
					type: 'string',
					stringValue: 'https://a.b/c.png',
				}),
			},
			{ image: 'https://a.b/c.png' },
		],
		[
			'used already',
			'faceswap-v5',
			{ data: picture },
			{ additionalParameters: rows({ name: 'source_image', type: 'file', binaryFields: 'data' }) },
			{ source_image: FILE },
		],
	])('%s', async (_name, slug, files, more, body) => {
		const result = await sent(slug, undefined, more, [fileItem(files)]);
		expect(result.error).toBeUndefined();
		expect(result.body).toEqual(body);
		const isTold = result.hints.some((hint) => hint.startsWith('No file was given'));
		expect(isTold).toBe(Object.keys(body).length > 0 && Object.keys(more).length === 0);
	});

	test('as the stored form says, also for a model that only the list knows', async () => {
		const parameters = { canvas: { type: 'image', isRequired: true }, tone: { type: 'str' } };
		const { fields } = await form(
			(await list([{ slug: 'retouch-1', parameters }])).url,
			'retouch-1',
		);
		const { body } = await sent('retouch-1', typed(fields, {}), {}, [fileItem({ data: picture })]);
		expect(body).toEqual({ canvas: FILE });
	});
});

describe('an image that is neither required nor given', () => {
	const EDIT = { resource: 'image', operation: 'edit' };
	const VIDEO = { resource: 'video', operation: 'generate' };
	const row = (name: string, stringValue: string) => ({
		additionalParameters: rows({ name, type: 'string', stringValue }),
	});

	test.each<[string, INodeParameters, string, Parameters<typeof fileItem>[0], IDataObject]>([
		['a video', VIDEO, 'seedance-2.0-mini', { data: picture }, { first_frame_url: FILE }],
		['an edit', EDIT, 'seedream-4', { a: sound, b: picture }, { image_input: [FILE] }],
		['another task', { resource: 'image', operation: 'generate' }, 'nano-banana', { a: other }, {}],
		['Any Model', {}, 'seedance-2.0-mini', { data: picture }, {}],
		['a model without files', VIDEO, 'veo-3', { data: picture }, {}],
		['two images', VIDEO, 'seedance-2.0-mini', { a: picture, b: other }, {}],
		['no image', VIDEO, 'seedance-2.0-mini', { data: sound }, {}],
		[
			'a file is given',
			{ ...VIDEO, ...row('last_frame_url', 'https://a.b/c.png') },
			'seedance-2.0-mini',
			{ data: picture },
			{ last_frame_url: 'https://a.b/c.png' },
		],
		[
			'a file is given by a name that nobody knows',
			{
				...VIDEO,
				additionalParameters: rows({ name: 'style_image', type: 'file', binaryFields: 'data_1' }),
			},
			'seedance-2.0-mini',
			{ data: picture, data_1: sound },
			{ style_image: FILE },
		],
	])('%s', async (_name, more, slug, files, body) => {
		const result = await sent(slug, undefined, more, [fileItem(files)]);
		expect(result.error).toBeUndefined();
		expect(result.body).toEqual(body);
		const isTold = result.hints.some((hint) => hint.startsWith('No file was given'));
		expect(isTold).toBe(Object.keys(body).length > 0 && !('additionalParameters' in more));
	});
});

test('the notice on files stands above a form with a field for them, and names the image where it is used', async () => {
	const { description } = new Segmind();
	const noticesOf = async (slug: string, resource: string, operation: string) => {
		const { fields } = await form(UNREACHABLE, slug);
		const parameters = { resource, operation, model: model(slug), parameters: typed(fields, {}) };
		const values = parameters as unknown as INodeParameters;
		return description.properties
			.filter(({ name }) => name === 'filesNotice')
			.filter((notice) =>
				NodeHelpers.displayParameter(values, notice, { typeVersion: 1 }, description),
			)
			.map(({ displayName }) => displayName.includes("item's only image"));
	};
	expect(await noticesOf('veo-3.1', 'model', 'run')).toEqual([false]);
	expect(await noticesOf('p-image-edit', 'image', 'edit')).toEqual([true]);
	expect(await noticesOf('seedance-2.0-mini', 'video', 'generate')).toEqual([true]);
	expect(await noticesOf('gpt-5.4-mini', 'text', 'generate')).toEqual([]);
	expect(await noticesOf('tts-eleven-labs', 'audio', 'generate')).toEqual([]);
});
