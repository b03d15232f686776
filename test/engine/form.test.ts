/** The form of a model's parameters: what it shows, and what n8n stores of it. */
import type { INode } from 'n8n-workflow';

import { isShown } from '../../dev/engine/version';
import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { byId, form, PAINTER, shownAs, UNREACHABLE, useForms } from '../helpers/forms';
import { model } from '../helpers/inference';
import { search } from '../helpers/runNode';
import { typed, visible } from '../helpers/modelForm';

const { emulator, list, sent } = useForms();

describe('the form', () => {
	test('a model that is only in the list has every parameter, required ones first, with type, choices, range and the mark for the price', async () => {
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

	test('choices come from the list, the type stays the built-in one, and parameters that only the catalogue has come last', async () => {
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

	test('shows the catalogue if the list is out of reach or empty', async () => {
		const wanted = [
			'Duration (e.g. 8 seconds): number',
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
		['a model that takes a prompt only', 'plain-1', /only a prompt.*Additional Parameters/],
		['no model yet', '', /Choose a model/],
		['an expression that n8n did not evaluate', '={{ $json.model }}', /Additional Parameters/],
	])('%s: a notice and no field', async (_name, slug, notice) => {
		const plain = { slug: 'plain-1', parameters: { prompt: { type: 'str' } } };
		expect(await form((await list([PAINTER, plain])).url, slug)).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringMatching(notice),
		});
	});

	test('the model list leaves out hidden and retired parameters, the form does not', async () => {
		const { url } = await list([
			PAINTER,
			{ ...PAINTER, slug: 'hidden-1', is_visible: 'false' },
			{ ...PAINTER, slug: 'old-1', is_depreciated: 1 },
			{ ...PAINTER, slug: '={{ 1 }}' },
		]);
		const { results } = await search({
			emulator: emulator.it,
			method: 'searchModels',
			parameters: { resource: 'model', operation: 'run', model: model('painter-9') },
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
	test('if the list is out of reach, the form is the stored one for the same model, and from the catalogue for another', async () => {
		const { fields } = await form((await list([PAINTER])).url);
		const stored = typed(fields, { steps: 5 });
		expect(await form(UNREACHABLE, PAINTER.slug, { parameters: stored })).toEqual({ fields });
		expect(
			visible(await form(UNREACHABLE, 'imagen-4', { parameters: stored })).map(({ id }) => id),
		).toEqual(['negative_prompt', 'aspect_ratio']);
		expect((await form(UNREACHABLE, 'painter-8', { parameters: stored })).fields).toEqual([]);
	});

	test('a field stays if the list drops or hides it, and goes if the user removes it', async () => {
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
		const again = await form(url, PAINTER.slug, { parameters: typed(onForm, { tags: '["a"]' }) });
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

	test('a stored value that is no longer a choice stays selectable, also in a field that had none; the value of an expression does not', async () => {
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

	test('an advanced field that has a value, or was on the form, stays on it', async () => {
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

test('two names for the same parameter: only the required one has a field', async () => {
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

test('a stored label stays if the list changes the name of the parameter', async () => {
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

test('the notice about files is above a form that has a field for them, and names the image that is used', async () => {
	const { description } = new Segmind();
	const noticesOf = async (slug: string, resource: string, operation: string) => {
		const { fields } = await form(UNREACHABLE, slug);
		const parameters = { resource, operation, model: model(slug), parameters: typed(fields, {}) };
		const node = { typeVersion: 1, parameters } as unknown as INode;
		return description.properties
			.filter((property) => property.name === 'filesNotice' && isShown(description, node, property))
			.map(({ displayName }) => displayName.includes('exactly one image'));
	};
	expect(await noticesOf('veo-3.1', 'model', 'run')).toEqual([false]);
	expect(await noticesOf('p-image-edit', 'image', 'edit')).toEqual([true]);
	expect(await noticesOf('seedance-2.0-mini', 'video', 'generate')).toEqual([true]);
	expect(await noticesOf('gpt-5.4-mini', 'text', 'generate')).toEqual([]);
	expect(await noticesOf('tts-eleven-labs', 'audio', 'generate')).toEqual([]);
});
