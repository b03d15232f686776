/** The body that is sent for the form of a model's parameters. */
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	ResourceMapperField,
} from 'n8n-workflow';

import { Segmind } from '../../../nodes/Segmind/Segmind.node';
import { parametersOf } from '../../../dev/engine/version';
import { nodeOf } from '../../../dev/engine/node';
import { fieldById, loadForm, PAINTER, UNREACHABLE, useForms } from '../../helpers/forms';
import {
	EACH_PROMPT,
	fileRow,
	model,
	numberRow,
	prompts,
	rows,
	submitParams,
	textRow,
} from '../../helpers/inference';
import { fileItem, runNode, succeed } from '../../helpers/runNode';
import { storedForm, visibleFields } from '../../helpers/modelForm';

const { emulator, serveList, runWithForm } = useForms();
describe('the body that is sent', () => {
	let fields: ResourceMapperField[];
	beforeAll(async () => void ({ fields } = await loadForm((await serveList([PAINTER])).url)));
	/** Runs the node with these values in the form. */
	const send = async (
		value: IDataObject | null,
		more?: INodeParameters,
		items?: INodeExecutionData[],
	) => await runWithForm('painter-9', storedForm(fields, value as IDataObject), more, items);

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
				seed: '={{ $json.seed ?? "" }}',
				palette: '={{ null }}',
			},
		],
	])('a form that is %s adds nothing to the body', async (_name, value) => {
		expect((await send(value)).body).toEqual({});
	});

	test('sends typed values unchanged', async () => {
		const value = {
			steps: 5,
			style: 'ink',
			size: 1024,
			reference: 'https://example.com/a.png',
			references: '["https://example.com/a,b.png", "https://example.com/c.png"]',
			refine: false,
			palette: '{"a": [1]}',
			tags: '["x", 1]',
			seed: -1,
		};
		const { body } = succeed(await send(value, { prompt: 'a fox' }));
		expect(body).toEqual({
			prompt: 'a fox',
			...value,
			references: ['https://example.com/a,b.png', 'https://example.com/c.png'],
			palette: { a: [1] },
			tags: ['x', 1],
		});
	});

	test('expressions are converted to the type of the field, with a value for each item', async () => {
		const value = {
			steps: '={{ "7" }}',
			style: '={{ 3 }}',
			size: '={{ $json.size }}',
			refine: '={{ "True" }}',
			palette: '={{ ({ b: 2 }) }}',
			tags: '={{ ["y"] }}',
			references: '={{ ["https://example.com/d.png"] }}',
		};
		const parameters = submitParams({
			prompt: EACH_PROMPT,
			parameters: storedForm(withSlug(fields, 'nano-banana-pro'), value) as INodeParameters,
		});
		const items = prompts(2).map(({ json }, at) => ({ json: { ...json, size: String(at) } }));
		await runNode({ emulator, parameters, items });
		const bodies = emulator.callsOf('submit').map(({ body }) => body);
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

	test('a text or an object that is not JSON, or no list, is sent as it is', async () => {
		const items = [{ json: { style: { a: 1 }, palette: 'red', tags: 'a,b' } }];
		const names = ['style', 'palette', 'tags'];
		const value = names.map((name) => [name, `={{ $json.${name} }}`]);
		const { body } = await send(Object.fromEntries(value), {}, items);
		expect(body).toEqual(items[0].json);
	});

	/** Sends a value of a field, which an expression returns. */
	const sendOne = async (name: string, value: unknown) =>
		await send({ [name]: '={{ $json.value }}' }, {}, [{ json: { value } as IDataObject }]);

	test.each<[string, unknown, unknown]>([
		['steps', 12.5, 12.5],
		['steps', '12.5', 12.5],
		['steps', ' 7 ', 7],
		['steps', '-1', -1],
		['steps', '1e3', 1000],
		['steps', '.5', 0.5],
		['steps', 99, 99],
		['steps', '9007199254740991', 9007199254740991],
		['refine', true, true],
		['refine', ' TRUE ', true],
		['refine', 'False', false],
		['refine', 1, true],
		['refine', '0', false],
	])('%s: %j is sent as %j', async (name, value, sent) => {
		expect(succeed(await sendOne(name, value)).body).toEqual({ [name]: sent });
	});

	test.each<[string, unknown]>([
		...[
			'12,5',
			'1,024',
			'1 024',
			'12.5 s',
			'many',
			'0x10',
			'1_000',
			'NaN',
			'Infinity',
			'1e999',
			'12345678901234567890',
			'9'.repeat(400),
		].map((text): [string, unknown] => ['steps', text]),
		['steps', true],
		['steps', { a: 1 }],
		['steps', [5]],
		...['yes', 'on', 'maybe', '2', 'null'].map((text): [string, unknown] => ['refine', text]),
		['refine', 2],
		['refine', [true]],
		['refine', {}],
	])(
		'%s: %j fails before any call, and the error names the field and the way out',
		async (name, value) => {
			const { failed } = await sendOne(name, value);
			expect(failed).toMatchObject([
				{
					kind: 'badInput',
					charge: 'none',
					message: expect.stringMatching(RegExp(name, 'i')),
					description: expect.stringMatching(/Additional Parameters.*type Text/),
				},
			]);
			expect(emulator.calls).toEqual([]);
		},
	);

	test.each(['12,5', true])('the way out sends %j as a text', async (value) => {
		const additionalParameters = rows(textRow('steps', `={{ ${JSON.stringify(value)} }}`));
		const { body } = succeed(await send({ steps: '' }, { additionalParameters }));
		expect(body).toEqual({ steps: String(value) });
	});

	test.each<[string, unknown, unknown]>([
		['style', 'ink', 'ink'],
		['style', ' ink\n', 'ink'],
		['size', '512', 512],
		['size', ' 512 ', 512],
		['size', 1024, 1024],
	])('%s: %j is the choice %j', async (name, value, sent) => {
		const { body, hints } = succeed(await sendOne(name, value));
		expect(body).toEqual({ [name]: sent });
		expect(hints).toEqual([]);
	});

	test.each<[string, unknown, unknown, string]>([
		['style', 'Ink', 'Ink', 'oil, ink'],
		['style', 3, '3', 'oil, ink'],
		['size', 'large', 'large', '512, 1024'],
		['size', '2048', 2048, '512, 1024'],
		['size', '0x200', '0x200', '512, 1024'],
	])(
		'%s: %j is no choice and is sent as %j, with a hint that names the choices',
		async (name, value, sent, choices) => {
			const { body, hints } = succeed(await sendOne(name, value));
			expect(body).toEqual({ [name]: sent });
			expect(hints).toEqual([expect.stringContaining(choices)]);
			expect(hints[0]).toMatch(RegExp(name, 'i'));
		},
	);

	test('values of several items that are no choice make one hint, which names the items', async () => {
		const items = ['Gold', 'ink', 'Sepia'].map((style) => ({ json: { style } }));
		const form = storedForm(withSlug(fields, 'nano-banana-pro'), { style: '={{ $json.style }}' });
		const parameters = submitParams({ parameters: form as INodeParameters });
		const { hints } = succeed(await runNode({ emulator, parameters, items }));
		expect(hints).toEqual([expect.stringMatching(/\b1, 3\b.*\boil, ink\b/)]);
	});

	test.each(['steps', 'refine', 'style', 'size', 'palette', 'tags', 'seed', 'reference'])(
		'%s: spaces are left out like an empty field',
		async (name) => {
			expect(succeed(await sendOne(name, ' \n')).body).toEqual({});
		},
	);

	test.each<[unknown, unknown]>([
		[' \n', undefined],
		['AAAA0001', ['AAAA0001']],
		['AAAA0001\r\nBBBB0002\n', ['AAAA0001', 'BBBB0002']],
		['AAAA0001, BBBB0002,', ['AAAA0001', 'BBBB0002']],
		['a red fox, a dog', ['a red fox, a dog']],
		['a red fox\na dog, too', ['a red fox', 'a dog, too']],
		['["a b", "c"]', ['a b', 'c']],
		[['a, b'], ['a, b']],
		[12, ['12']],
		[',', [',']],
	])('a list of texts: %j is sent as %j', async (value, sent) => {
		const { fields: ideogram } = await loadForm(UNREACHABLE, 'ideogram-3');
		expect(fieldById(ideogram, 'style_codes').type).toBe('string');
		const form = storedForm(ideogram, { style_codes: '={{ $json.value }}' });
		const items = [{ json: { value } as IDataObject }];
		for (const stored of [form, storedForm([], { style_codes: '={{ $json.value }}' })]) {
			emulator.reset();
			const { body } = succeed(await runWithForm('ideogram-3', stored, {}, items));
			expect(body).toEqual({ style_codes: sent });
		}
	});

	test('without a stored schema, the built-in types apply; for an unknown model nothing is converted', async () => {
		const values = storedForm([], { duration: '={{ 5 }}', cfg_scale: '={{ "0.5" }}' });
		const known = await runWithForm('kling-2.6', values);
		expect(known.body).toEqual({ duration: '5', cfg_scale: 0.5 });
		emulator.reset();
		const unknown = await runWithForm('my-endpoint', storedForm([], { steps: '={{ "5" }}' }));
		expect(unknown.body).toEqual({ steps: '5' });
	});

	const row = { additionalParameters: rows(numberRow('steps', 2)) };
	test.each<[string, IDataObject, INodeParameters, string]>([
		['a name given in the form and in a row', { steps: 1 }, row, 'steps'],
		['a prompt given in the form and in Prompt', { prompt: 'b' }, { prompt: 'a' }, 'prompt'],
		['a file field with a name that no binary field has', { reference: 'nope' }, {}, 'Reference'],
		['a file field with a number', { reference: '={{ 5 }}' }, {}, 'Reference'],
		['a file list with one unknown name', { references: 'data, nope' }, {}, 'References'],
	])(
		'%s: fails before any call, and the error names the field',
		async (_name, value, more, field) => {
			const item = fileItem({ data: { bytes: Buffer.from('x') } });
			const { error } = await send(value, more, [item]);
			expect(error?.context?.failedItems).toMatchObject([{ kind: 'badInput' }]);
			expect(error?.message).toContain(field);
			expect(emulator.calls).toEqual([]);
		},
	);

	test('a field that is empty for this item does not conflict with a row of the same name', async () => {
		const { body } = await send({ steps: '={{ $json.none ?? null }}' }, row);
		expect(body).toEqual({ steps: 2 });
	});

	test('binary fields of the form and of rows, and data URLs, are uploaded in one request', async () => {
		const item = fileItem({
			data: { bytes: Buffer.from('one') },
			second: { bytes: Buffer.from('two'), mimeType: 'image/webp' },
		});
		const value = {
			reference: 'data',
			references: 'second, https://example.com/a.png\ndata:image/gif;base64,R0lG,data',
		};
		const mask = { additionalParameters: rows(fileRow('mask', 'second')) };
		const { body } = succeed(await send(value, mask, [item]));
		expect(emulator.callsOf('upload')).toHaveLength(1);
		const first = body?.reference as string;
		const second = body?.mask as string;
		const [, , third] = body?.references as string[];
		for (const url of [first, second, third]) expect(url).toMatch(/^http/);
		expect(new Set([first, second, third]).size).toBe(3);
		expect(body).toEqual({
			reference: first,
			references: [second, 'https://example.com/a.png', third, first],
			mask: second,
		});
	});

	test('a tool converts text to the type of the parameter, and leaves out empty values', async () => {
		const server = await serveList([PAINTER]);
		const { fields: ofTool } = await loadForm(server.url, PAINTER.slug, { asTool: true });
		const value = {
			steps: '={{ "6" }}',
			style: 'ink',
			refine: '={{ "true" }}',
			size: '={{ "512" }}',
			tags: '["a"]',
			reference: '={{ "" }}',
		};
		const form = storedForm(ofTool, value);
		const { body } = await runWithForm('painter-9', form, {}, undefined, true);
		expect(body).toEqual({ steps: 6, style: 'ink', refine: true, size: 512, tags: ['a'] });
	});
});

/** The same fields, stored as if they were the form of model `slug`: the hidden field has the slug as its display name. */
function withSlug(fields: ResourceMapperField[], slug: string): ResourceMapperField[] {
	return fields.map((field) => (field.display ? field : { ...field, displayName: slug }));
}

describe('the form', () => {
	const nodeType = new Segmind();
	const isFormKept = (more: INodeParameters) => {
		const form = storedForm([], { steps: 1 }) as never;
		const parameters = { resource: 'model', operation: 'run', parameters: form, ...more };
		const node = nodeOf({ parameters }, nodeType);
		return 'parameters' in parametersOf(nodeType.description, node, false);
	};

	test('is kept for a chosen model, but not for an expression or other operations', () => {
		expect(isFormKept({ model: model('veo-3.1') })).toBe(true);
		expect(isFormKept({})).toBe(true);
		expect(isFormKept({ model: model('={{ $json.model }}') })).toBe(false);
		expect(isFormKept({ model: '={{ $json.model }}' })).toBe(false);
		expect(isFormKept({ resource: 'request', operation: 'getStatus' })).toBe(false);
	});

	test('is not sent if the model comes from an expression', async () => {
		const form = storedForm([], { aspect_ratio: '1:1' });
		const { body } = await runWithForm('={{ "imagen-4" }}', form, { prompt: 'a' });
		expect(body).toEqual({ prompt: 'a' });
	});
});

describe('the prompt', () => {
	test('is sent under the name that the list gave it when the form was loaded, even if the run itself never read that list', async () => {
		const listedModel = (slug: string, parameters: object) => ({ slug, parameters });
		const { url } = await serveList([
			listedModel('speaker-1', {
				script: { type: 'str', isRequired: true },
				pace: { type: 'int' },
			}),
			listedModel('chat-1', {
				messages: { type: 'json', isRequired: true },
				heat: { type: 'float' },
			}),
		]);
		const speaker = await loadForm(url, 'speaker-1');
		expect(visibleFields(speaker).map(({ id }) => id)).toEqual(['pace']);
		const chat = await loadForm(url, 'chat-1');
		expect(visibleFields(chat).map(({ id }) => id)).toEqual(['heat']);
		const bodyFor = async (slug: string, fields: ResourceMapperField[]) => {
			emulator.reset();
			return (await runWithForm(slug, storedForm(fields, {}), { prompt: 'hello' })).body;
		};
		expect(await bodyFor('speaker-1', speaker.fields)).toEqual({ script: 'hello' });
		expect(await bodyFor('chat-1', chat.fields)).toEqual({
			messages: [{ role: 'user', content: 'hello' }],
		});
		// The form of another model says nothing about this one.
		expect(await bodyFor('my-endpoint', speaker.fields)).toEqual({ prompt: 'hello' });
	});

	test('replaces messages, which are then not required and not shown at first', async () => {
		const { fields } = await loadForm(emulator.urls.admin, 'gpt-5.4-mini');
		expect(fieldById(fields, 'messages')).toMatchObject({ required: false, removed: true });
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});
});
