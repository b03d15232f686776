/** What is sent for the form of a model's parameters. */
import type { IDataObject, INodeParameters, ResourceMapperField } from 'n8n-workflow';

import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { parametersOf } from '../../dev/engine/version';
import { nodeOf } from '../../dev/engine/node';
import { NOTHING_SENT } from '../../nodes/shared/base/failure';
import { byId, form, PAINTER, UNREACHABLE, useForms } from '../helpers/forms';
import {
	EACH_PROMPT,
	fileRow,
	model,
	numberRow,
	prompts,
	rows,
	submitting,
} from '../helpers/inference';
import { fileItem, runNode } from '../helpers/runNode';
import { typed, visible } from '../helpers/modelForm';

const { emulator, list, sent } = useForms();

describe('what is sent', () => {
	let fields: ResourceMapperField[];
	beforeAll(async () => void ({ fields } = await form((await list([PAINTER])).url)));

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
	])('a form that is %s sends nothing', async (_name, value) => {
		expect((await sent('painter-9', typed(fields, value as IDataObject))).body).toEqual({});
	});

	test('values are sent as they were typed', async () => {
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

	test('a value that cannot be converted, or is not a choice, is sent as it is', async () => {
		const said = {
			steps: 'many',
			style: 'charcoal',
			size: '0x10',
			refine: 'maybe',
			palette: 'red',
			tags: 'a,b',
			seed: '12345678901234567890',
		};
		const value = Object.entries(said).map(([name, text]) => [name, `={{ "${text}" }}`]);
		const { body } = await sent('painter-9', typed(fields, Object.fromEntries(value)));
		expect(body).toEqual(said);
	});

	test('without a stored schema, the built-in types apply; for an unknown model nothing is converted', async () => {
		expect(
			(await sent('kling-2.6', typed([], { duration: '={{ 5 }}', cfg_scale: '={{ "0.5" }}' })))
				.body,
		).toEqual({ duration: '5', cfg_scale: 0.5 });
		emulator.it.reset();
		expect((await sent('my-endpoint', typed([], { steps: '={{ "5" }}' }))).body).toEqual({
			steps: '5',
		});
	});

	const row = { additionalParameters: rows(numberRow('steps', 2)) };
	test.each<[string, IDataObject, INodeParameters, string]>([
		['the form and a row', { steps: 1 }, row, "Input 'steps' is given twice"],
		['the form and Prompt', { prompt: 'b' }, { prompt: 'a' }, "Input 'prompt' is given twice"],
		['a name that breaks paths', { 'a"]': 1 }, {}, `Parameter 'a"]' can't be set in the form`],
		['no file', { reference: 'nope' }, {}, "Parameter 'reference' is 'nope', which is neither"],
		['a number', { reference: '={{ 5 }}' }, {}, "Parameter 'reference' is 5, not a file"],
		['one of several', { references: 'data, nope' }, {}, "Parameter 'references' is 'nope'"],
	])('%s: refused by name before any call', async (_name, value, more, message) => {
		const item = fileItem({ data: { bytes: Buffer.from('x') } });
		const { error } = await sent('painter-9', typed(fields, value), more, [item]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(NOTHING_SENT);
		expect(emulator.it.calls).toEqual([]);
	});

	test('a field that is empty for this item does not conflict with a row of the same name', async () => {
		const { body } = await sent(
			'painter-9',
			typed(fields, { steps: '={{ $json.none ?? null }}' }),
			{
				additionalParameters: rows(numberRow('steps', 2)),
			},
		);
		expect(body).toEqual({ steps: 2 });
	});

	test('binary fields of the form and of rows are uploaded in one request; data URLs are sent as they are', async () => {
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
			{ additionalParameters: rows(fileRow('mask', 'second')) },
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

	test('a tool converts text to the type of the parameter, and leaves out empty values', async () => {
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

describe('shown where possible', () => {
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

	test('with a model from an expression, an earlier form is not sent', async () => {
		const { body } = await sent('={{ "imagen-4" }}', typed([], { aspect_ratio: '1:1' }), {
			prompt: 'a',
		});
		expect(body).toEqual({ prompt: 'a' });
	});
});

describe('the prompt', () => {
	test('is sent under the name that the list gives it, also if this process never read the list', async () => {
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

	test('replaces messages, which are then not required and not shown at first', async () => {
		const { fields } = await form(emulator.it.urls.admin, 'gpt-5.4-mini');
		expect(byId(fields, 'messages')).toMatchObject({ required: false, removed: true });
		expect(fields.filter(({ required }) => required)).toEqual([]);
	});
});

test('a number out of its range is sent, and a hint says so in manual runs only', async () => {
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
