/** The form of a model's parameters: what it shows, and what n8n stores of it. */
import type { ResourceMapperField } from 'n8n-workflow';

import { fieldById, loadForm, PAINTER, labelsOf, UNREACHABLE, useForms } from '../../helpers/forms';
import { model } from '../../helpers/inference';
import { search } from '../../helpers/runNode';
import { storedForm, visibleFields } from '../../helpers/modelForm';

const { emulator, serveList, runWithForm } = useForms();
/** Returns the fields that a user sees or can add, for a model of this list. */
const fieldsFrom = async (models: unknown, slug = PAINTER.slug, asTool = false) =>
	visibleFields(await loadForm((await serveList(models)).url, slug, { asTool }));
const fieldIds = (fields: ResourceMapperField[]) => fields.map(({ id }) => id);
const choicesOf = (fields: ResourceMapperField[], id: string) =>
	fieldById(fields, id).options?.map(({ value }) => value);

describe('the form', () => {
	test('a model that is only in the list has every parameter, required ones first, then a file, with type, choices, range and the mark for the price', async () => {
		const fields = await fieldsFrom([PAINTER]);
		expect(labelsOf(fields)).toEqual([
			'Size: options',
			'Reference (file): string',
			'Steps (1–50): number',
			'Style $: options',
			'References (files): string',
			'Refine: options',
			'Palette: object',
			'Tags: array',
			'Seed: number',
		]);
		expect(fieldById(fields, 'style').options).toEqual([
			{ name: "Model's Default (oil)", value: '' },
			{ name: 'oil', value: 'oil' },
			{ name: 'ink', value: 'ink' },
		]);
		expect(fieldById(fields, 'size')).toMatchObject({
			required: true,
			options: [{ value: 512 }, { value: 1024 }],
		});
		expect(fieldById(fields, 'refine').options).toEqual([
			{ name: "Model's Default (False)", value: '' },
			{ name: 'True', value: true },
			{ name: 'False', value: false },
		]);
		expect(fieldIds(fields.filter(({ removed }) => removed))).toEqual(['palette', 'tags', 'seed']);
		expect(fields.every((field) => !('defaultValue' in field))).toBe(true);
	});

	test('parameters and choices come from the list, and the type stays the built-in one', async () => {
		const duration = { type: 'int', values: [5, 10, 15] };
		const parameters = { duration, camera: { type: 'str' } };
		const fields = await fieldsFrom([{ slug: 'kling-2.6', parameters }], 'kling-2.6');
		expect(choicesOf(fields, 'duration')).toEqual(['', '5', '10', '15']);
		expect(fieldIds(fields)).toEqual(['duration', 'camera']);
	});

	test('an empty list of choices has no effect on another list', async () => {
		const parameters = { size: { type: 'int', options: [], values: ['512', '1024'] } };
		const fields = await fieldsFrom([{ slug: 'sizes-1', parameters }], 'sizes-1');
		expect(choicesOf(fields, 'size')).toEqual(['', 512, 1024]);
	});

	test('shows six fields at first, one of them for a file, even if more are required', async () => {
		const required = { type: 'str', isRequired: true };
		const texts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, required]);
		const parameters = { ...Object.fromEntries(texts), photo: { ...required, type: 'image' } };
		const fields = await fieldsFrom([{ slug: 'seven-1', parameters }], 'seven-1');
		const first = fieldIds(fields.filter(({ removed }) => !removed));
		expect(first).toHaveLength(6);
		expect(first).toContain('photo');
	});

	test('a parameter of another shape than usual is a text field', async () => {
		const parameters = { mood: 'happy', pace: { type: { of: 'int' }, options: 'a,b' }, era: null };
		const models = [
			{ slug: 'odd-1', parameters },
			{ slug: 'odd-2', parameters: [] },
		];
		const fields = await fieldsFrom(models, 'odd-1');
		expect(labelsOf(fields)).toEqual(['Mood: string', 'Pace: string', 'Era: string']);
		expect(await fieldsFrom(models, 'odd-2')).toEqual([]);
	});

	test('shows the catalogue if the list is out of reach or empty', async () => {
		const expected = [
			'Image (file): string',
			'Duration (e.g. 8 seconds) $: number',
			'Resolution $: options',
			'Aspect Ratio: options',
			'Generate Audio: options',
			'Negative Prompt: string',
		];
		expect(labelsOf(visibleFields(await loadForm(UNREACHABLE, 'veo-3.1')))).toEqual(expected);
		for (const models of [undefined, [], '<html>'])
			expect(labelsOf(await fieldsFrom(models, 'veo-3.1'))).toEqual(expected);
	});

	test.each([
		['a slug that nobody knows', 'my-endpoint-7', /not known.*Additional Parameters/],
		['a model that takes a prompt only', 'plain-1', /only a prompt.*Additional Parameters/],
		['no model yet', '', /Choose a model/],
		['an expression that n8n did not evaluate', '={{ $json.model }}', /Additional Parameters/],
	])('%s: a notice and no field', async (_name, slug, notice) => {
		const plain = { slug: 'plain-1', parameters: { prompt: { type: 'str' } } };
		expect(await loadForm((await serveList([PAINTER, plain])).url, slug)).toEqual({
			fields: [],
			emptyFieldsNotice: expect.stringMatching(notice),
		});
	});

	test('the model list leaves out hidden and retired models, the form does not', async () => {
		const { url } = await serveList([
			PAINTER,
			{ ...PAINTER, slug: 'hidden-1', is_visible: false },
			{ ...PAINTER, slug: 'old-1', is_depreciated: true },
			{ ...PAINTER, slug: '={{ 1 }}' },
		]);
		const { results } = await search({
			emulator,
			method: 'searchModels',
			parameters: { resource: 'model', operation: 'run', model: model('painter-9') },
			credential: { endpointAdminUrl: url },
		});
		expect(results.map(({ value }) => value)).toEqual(['painter-9']);
		expect(visibleFields(await loadForm(url, 'hidden-1'))).toHaveLength(9);
	});

	test('as a tool: plain names, and text instead of dropdowns', async () => {
		expect(labelsOf(await fieldsFrom([PAINTER], PAINTER.slug, true))).toEqual([
			'size: number',
			'reference: string',
			'steps: number',
			'style: string',
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
		const { fields } = await loadForm((await serveList([PAINTER])).url);
		const stored = storedForm(fields, { steps: 5 });
		expect(await loadForm(UNREACHABLE, PAINTER.slug, { parameters: stored })).toEqual({ fields });
		const other = visibleFields(await loadForm(UNREACHABLE, 'imagen-4', { parameters: stored }));
		expect(fieldIds(other)).toEqual(['negative_prompt', 'aspect_ratio']);
		expect((await loadForm(UNREACHABLE, 'painter-8', { parameters: stored })).fields).toEqual([]);
	});

	test.each([
		['is out of reach, also for a model of the catalogue', 'kling-2.6', undefined],
		['no longer has the model', PAINTER.slug, [{ ...PAINTER, slug: 'painter-8' }]],
	])('if the list %s, even empty fields stay', async (_name, slug, laterList) => {
		const { fields } = await loadForm((await serveList([{ ...PAINTER, slug }])).url, slug);
		const parameters = storedForm(fields, {});
		const { url } = await serveList(laterList);
		expect(await loadForm(url, slug, { parameters })).toEqual({ fields });
	});

	test('a field stays if the list drops or hides it, and goes if the user removes it', async () => {
		const { fields } = await loadForm((await serveList([PAINTER])).url);
		const { size, reference, references, refine, palette, tags, seed } = PAINTER.parameters;
		const less = { size, reference, references, refine, palette, seed };
		const { url } = await serveList([
			{ ...PAINTER, parameters: { ...less, tags: { ...tags, hidden: true } } },
		]);
		// For an expression that resolves to undefined, the editor passes nothing, so it looks like an empty field.
		const onForm = fields.map((field) =>
			field.id === 'style' ? { ...field, removed: true } : field,
		);
		const again = await loadForm(url, PAINTER.slug, {
			parameters: storedForm(onForm, { tags: '["a"]' }),
		});
		expect(fieldIds(visibleFields(again))).toEqual([
			...['size', 'reference', 'references', 'refine', 'palette', 'tags', 'seed', 'steps'],
		]);
		expect(fieldById(again.fields, 'steps')).toEqual(fieldById(fields, 'steps'));
		const form = storedForm(again.fields, { steps: '={{ "7" }}' });
		const { body } = await runWithForm('painter-9', form);
		expect(body).toEqual({ steps: 7 });
	});

	test('a stored value that is no longer a choice stays selectable, also in a field that had none; the value of an expression does not', async () => {
		const parameters = {
			style: { type: 'str', options: ['pencil'] },
			size: { type: 'int', options: [1] },
			steps: { type: 'int', options: [4, 8] },
		};
		const { fields } = await loadForm((await serveList([PAINTER])).url);
		const { url } = await serveList([{ ...PAINTER, parameters }]);
		const again = await loadForm(url, PAINTER.slug, {
			// The editor passes the value that an expression has for the current item.
			parameters: storedForm(fields, { style: 'oil', size: 77, steps: 5 }),
		});
		expect(fieldById(again.fields, 'style').options).toContainEqual({ name: 'oil', value: 'oil' });
		expect(choicesOf(again.fields, 'size')).toEqual(['', 1]);
		expect(choicesOf(again.fields, 'steps')).toEqual(['', 4, 8, 5]);
		const raw = await loadForm(url, PAINTER.slug, {
			parameters: storedForm(fields, { steps: '={{ $json.steps }}' }),
		});
		expect(choicesOf(raw.fields, 'steps')).toEqual(['', 4, 8]);
	});

	test('an advanced field that has a value, or was on the form, stays on it', async () => {
		const { url } = await serveList([PAINTER]);
		const { fields } = await loadForm(url);
		const onForm = { ...fieldById(fields, 'seed'), removed: undefined };
		for (const parameters of [storedForm(fields, { seed: 1 }), storedForm([...fields, onForm], {})])
			expect(
				fieldById((await loadForm(url, PAINTER.slug, { parameters })).fields, 'seed').removed,
			).toBeUndefined();
		const untouched = await loadForm(url, PAINTER.slug, { parameters: storedForm(fields, {}) });
		expect(fieldById(untouched.fields, 'seed').removed).toBe(true);
	});
});

test('a stored label stays if the list changes the name of the parameter', async () => {
	const labelled = async (label: string) => {
		const parameters = { steps: { type: 'int', label, min: 1, max: 50 } };
		return (await serveList([{ slug: 'painter-9', parameters }])).url;
	};
	const { fields } = await loadForm(await labelled('Rounds'));
	expect(fieldById(fields, 'steps').displayName).toBe('Rounds (1–50)');
	const parameters = storedForm(fields, {});
	const again = await loadForm(await labelled('Turns'), 'painter-9', { parameters });
	expect(again.fields).toEqual(fields);
	expect((await loadForm(await labelled('Turns'))).fields).not.toEqual(fields);
});
