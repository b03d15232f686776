/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** The built-in catalogue matches the service's pages, and the forms of its models fit the editor. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ResourceMapperField } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { parametersOf } from '../../dev/emulator/modelParameters';
import { models } from '../../dev/emulator/models';
import { priceListText } from '../../dev/emulator/routes/prices';
import { catalogueText, makeCatalogue, type Corrections } from '../../dev/catalogue/make';
import { formOf, readStoredForm } from '../../nodes/shared/catalogue/form';
import { findKind } from '../../nodes/shared/catalogue/kinds';
import { mergeParameters } from '../../nodes/shared/catalogue/modelList';
import { catalogueModel, modelPages } from '../../dev/catalogue/schema';
import { monthOf } from '../../dev/catalogue/snapshot';
import { withTaskTable } from '../../dev/catalogue/taskTable';
import { readPriceList } from '../../nodes/shared/catalogue/priceList';
import {
	catalogue,
	findModel,
	type CatalogueModel,
	type CatalogueParameter,
} from '../../nodes/shared/catalogue';
import { fieldLabel } from '../../nodes/shared/catalogue/labels';
import { expectLinear } from '../helpers/processorTime';

const listed = models.filter(({ unlisted }) => !unlisted);
const publicList = new Map(
	listed.map((model) => {
		const parameters = parametersOf(model);
		return [model.slug, { slug: model.slug, is_depreciated: false, parameters }];
	}),
);

const everyParameter = catalogue.flatMap((model) =>
	model.parameters.map((parameter) => ({ where: `${model.slug}.${parameter.name}`, parameter })),
);
/** Returns the names of the parameters for which a condition is true. */
const parametersWhere = (condition: (parameter: CatalogueParameter) => boolean) =>
	everyParameter.filter(({ parameter }) => condition(parameter)).map(({ where }) => where);

const read = (file: string) => readFileSync(join(ROOT, 'dev/catalogue', file), 'utf8');
const priceList = readPriceList(read('llms.txt')) ?? new Map<string, never>();
const pages = modelPages.parse(JSON.parse(read('pages.json')));

describe('the catalogue', () => {
	it('is the output of `npm run catalogue`, and matches the schema', () => {
		const made = makeCatalogue(
			priceList,
			JSON.parse(read('list.json')),
			pages,
			JSON.parse(read('corrections.json')) as Corrections,
		);
		const text = readFileSync(join(ROOT, 'nodes/shared/catalogue/models.json'), 'utf8');
		expect(text).toBe(catalogueText(made, monthOf(read('llms.txt'))));
		expect(catalogue.map((model) => catalogueModel.parse(model))).toEqual(catalogue);
	});

	it('is also in the table of tasks in docs/nodes.md, as `npm run catalogue` writes it', () => {
		const page = readFileSync(join(ROOT, 'docs/nodes.md'), 'utf8');
		expect(withTaskTable(page, catalogue)).toBe(page);
	});

	it('names every model and every parameter once, and every slug is one path segment', () => {
		const slugs = catalogue.map(({ slug }) => slug);
		expect(new Set(slugs).size).toBe(slugs.length);
		const names = everyParameter.map(({ where }) => where);
		expect(new Set(names).size).toBe(names.length);
		for (const slug of slugs) expect(encodeURIComponent(slug)).toBe(slug);
	});

	it('has ranges, choices and defaults that fit each other and the type', () => {
		const isInRange = ({ min = -Infinity, max = Infinity, default: value }: CatalogueParameter) =>
			min < max && !(typeof value === 'number' && (value < min || value > max));
		const isOfType = ({ choices = [], default: value, type }: CatalogueParameter) =>
			[...choices, ...(value === undefined ? [] : [value])].every((one) => typeof one === type);
		const isChoice = ({ choices, default: value }: CatalogueParameter) =>
			choices === undefined ||
			(choices.length > 1 &&
				new Set(choices).size === choices.length &&
				(value === undefined || typeof value === 'boolean' || choices.includes(value)));
		for (const fits of [isInRange, isOfType, isChoice])
			expect(parametersWhere((parameter) => !fits(parameter))).toEqual([]);
	});

	it('has the type file exactly for the parameters that are named after media', () => {
		const media =
			/^(image|image_\d|image_urls?|image_input|input_(image|audio|video|reference)(_\d)?|mask|(first|last)_frame(_\w+)?|start_image_url|(source|target|person|character_reference)_image|garment_images|(human|garm)_img|promptImage|reference_(images|videos|audios?)|audio|(audio|video|source)_url|style_reference_images)$/;
		expect(parametersWhere(({ name, type }) => (type === 'file') !== media.test(name))).toEqual([]);
	});

	it('names only models that the emulator runs', () => {
		const emulated = new Set(models.map(({ slug }) => slug));
		expect(catalogue.map(({ slug }) => slug).filter((slug) => !emulated.has(slug))).toEqual([]);
	});

	it('accepts only the exact spelling of a slug', () => {
		expect(findModel('orpheus-3b-0.1')?.title).toBe('3B Orpheus TTS (0.1)');
		expect(findModel('Orpheus-3b-0.1')).toBeUndefined();
	});
});

test('a correction for something that no source has is rejected', () => {
	const none: Corrections = { kinds: {}, parameters: {} };
	for (const wrong of [{ parameters: { painter: { width: {} } } }, { kinds: { nobody: 'text' } }])
		expect(() =>
			makeCatalogue(new Map(), { models: [] }, [], { ...none, ...wrong } as Corrections),
		).toThrow();
});

it.each([
	['Text-to-Image Generation', 'image'],
	['Image-to-Image Transformation', 'imageEdit'],
	['imageTOImage', 'imageEdit'],
	['Image Inpainting', 'imageEdit'],
	['Image-to-Video Generation', 'video'],
	['Text-to-Video Generation', 'video'],
	['videoToVideo', 'video'],
	['Text-to-Audio Generation', 'audio'],
	['Video-to-Audio Generation', 'audio'],
	['audioToAudio', 'audio'],
	['Audio-to-Text (Transcription)', 'transcript'],
	['Text Generation (LLM)', 'text'],
	['textToText', 'text'],
	['Image-to-Text (Vision)', undefined],
	['videoToText', undefined],
	['imageTo3d', undefined],
	['textToEmbed', undefined],
	['voice', undefined],
	['constructor', undefined],
	['', undefined],
])('models of the modality %p make the kind %p', (modality, kind) => {
	expect(findKind(modality)).toBe(kind);
});

describe('reading the list of prices', () => {
	const HEAD = '| Model | Slug | Avg Cost | Avg Latency |\n|---|---|---|---|';
	const rowOf = ({ title, slug, cost = 0, latencySeconds }: CatalogueModel) =>
		`| ${title} | ${slug} | $${cost} | ${latencySeconds ?? '-'}s |`;
	const rows = catalogue.filter(({ cost }) => cost !== undefined).map(rowOf);
	const textOf = (...lines: string[]) => [HEAD, ...lines].join('\n');
	const FEW = rows.slice(0, 49);

	it("reads every fact of the service's form, whose descriptions have line breaks", () => {
		const served = priceListText();
		expect(served).toMatch(/[^|]\n[^|\n#>]/);
		expect([...(readPriceList(served) ?? [])]).toEqual([...priceList]);
		expect(priceList.size).toBe(507);
	});

	it.each<[string, string, object]>([
		['columns in another order', '| $1.5 | Mine | 3s | mine |', { cost: 1.5, latencySeconds: 3 }],
		[
			'a line break in a cell',
			'| $1.5 | My\nmodel | 3s | mine |',
			{ title: 'My model', cost: 1.5 },
		],
		['a line break before a bar', '| $1.5 | Mine\n| 3s | mine |', { title: 'Mine', cost: 1.5 }],
		['CRLF', '| $1.5 | Mine | 3s | mine |\r', { cost: 1.5 }],
		['a bar as text', '| $1.5 | One \\| two | 3s | mine |', { cost: 1.5, latencySeconds: 3 }],
		['no time', '| $1.5 | Mine | - | mine |', { cost: 1.5, latencySeconds: undefined }],
		['no cost', '| - | Mine | 3s | mine |', { cost: undefined, latencySeconds: 3 }],
		['a negative cost', '| $-1 | Mine | 3s | mine |', { cost: undefined }],
		['a row that breaks off', '| $2 | Mine\n| $1.5 | Mine | 3s | mine |', { cost: 1.5 }],
	])('reads a row with %s', (_what, row, facts) => {
		const head = '| Avg Cost | Model | Avg Latency | Slug |\n|---|---|---|---|';
		const list = readPriceList([textOf(...rows), '## Other', head, row].join('\n'));
		expect(list?.get('mine')).toMatchObject(facts);
		expect(list?.size).toBe(rows.length + 1);
	});

	it.each<[string, string]>([
		['nothing', ''],
		['a web page', `<html>${'<p>| slug |</p>\n'.repeat(100)}</html>`],
		['49 prices', textOf(...FEW)],
		[
			'49 prices, and rows without one',
			textOf(...FEW, ...rows.map((row) => row.replace('$', '-'))),
		],
		['prices in another unit', textOf(...rows.map((row) => row.replace('$', '€')))],
	])('%s is no list of prices', (_what, text) => {
		expect(readPriceList(text)).toBeUndefined();
	});

	it.each<[string, (size: number) => string]>([
		['bars', (size) => '|'.repeat(10 * size)],
		['a wide header', (size) => `|slug${'|a'.repeat(3 * size)}|\n${'|b\n'.repeat(size)}`],
		['a row without an end', (size) => `${HEAD}\n| a${'\nb'.repeat(size)}`],
		['rows that break off', (size) => `${HEAD}\n${'| a | b\n'.repeat(size)}`],
	])('takes time in proportion to the size of %s', async (_what, make) => {
		await expectLinear(make, readPriceList, 10_000);
	});
});

const FRAMES: CatalogueParameter = {
	name: 'number_of_frames_a_second',
	type: 'number',
	max: 60,
	affectsPrice: true,
};
it.each<[string, CatalogueParameter]>([
	['Style', { name: 'style', type: 'string', note: 'a note', default: 'oil' }],
	['Steps (1–50)', { name: 'steps', type: 'number', required: true, min: 1, max: 50 }],
	['Length (≥ 0.5) $', { name: 'length', type: 'number', min: 0.5, affectsPrice: true }],
	['Cut (≤ 22)', { name: 'cut', type: 'number', max: 22 }],
	['Duration $', { name: 'duration', type: 'number', choices: [5, 10], min: 5, max: 10 }],
	['Resolution $', { name: 'resolution', type: 'string', choices: ['480p', '720p'] }],
	['Resolution', { name: 'resolution', type: 'string', choices: ['1024x1024', '512x1536'] }],
	['Image Width (512–2048 px)', { name: 'img_width', type: 'number', min: 512, max: 2048 }],
	['Steps (e.g. 25)', { name: 'num_inference_steps', type: 'number', note: 'e.g. 25' }],
	[
		'Number of Images (1–8)',
		{ name: 'num_images', label: 'num images', type: 'number', min: 1, max: 8 },
	],
	['Picture to Change (file)', { name: 'image', type: 'file', label: 'Picture to Change' }],
	['Images (files)', { name: 'image_urls', type: 'file', list: true }],
	['Reference Images (files)', { name: 'reference_images_urls', type: 'file', list: true }],
	['Aspect Ratio (e.g. 16:9)', { name: 'aspect_ratio', type: 'string', note: 'e.g. 16:9' }],
	['Length (e.g. 5) $', { name: 'length', type: 'string', note: 'e.g. "5"', affectsPrice: true }],
	['First Frame (file)', { name: 'first_frame', type: 'file', label: 'First frame url' }],
	['Audio File', { name: 'audio_file', type: 'file' }],
	['URL (file)', { name: 'url', type: 'file' }],
	['LoRA ID', { name: 'id', type: 'string', label: 'lora id' }],
	['Depth of Field', { name: 'depth_of_field', type: 'string' }],
	['Prompt Image (file)', { name: 'promptImage', type: 'file' }],
	['CFG Scale', { name: 'cfg_scale', type: 'number' }],
	['Palette', { name: 'palette', type: 'json' }],
	// A long label loses its range first, then "(file)", then the end of the name.
	['Number of Frames a Second $', FRAMES],
	['Voice 2 (second speaker)', { name: 'voice_2', type: 'string', choices: ['A', 'B'] }],
	['Style Reference Images', { name: 'style_reference_images', type: 'file', list: true }],
	['Apply Language Text Normali…', { name: 'apply_language_text_normalization', type: 'string' }],
])('the label %s describes the parameter %j', (label, parameter) => {
	expect(fieldLabel(parameter)).toBe(label);
});

/** Returns the words of a label, without numbers. */
const wordsOf = (label: string) => label.match(/[\p{N}…]*\p{L}[\p{L}\p{N}…]*/gu) ?? [];

it.each([
	['from the catalogue', undefined],
	['from the public list', publicList],
])('the forms of all models, made %s, fit the editor', (_source, list) => {
	const broken: Record<string, (fields: ResourceMapperField[], files: string[]) => boolean> = {
		'a label is cut': (fields) => fields.some(({ displayName }) => displayName.length > 28),
		'a label has a word twice': (fields) =>
			fields.some(({ displayName }) => {
				const words = wordsOf(displayName).map((word) => word.toLowerCase().replace(/s$/, ''));
				return new Set(words).size < words.length;
			}),
		'a label is not in Title Case': (fields) =>
			fields.some(({ displayName }) =>
				wordsOf(displayName.replace(/\(.*\)/, '')).some((word) =>
					/^(?!(of|to|in|for|and|per)$)\p{Ll}/u.test(word),
				),
			),
		'two labels are the same': (fields) =>
			new Set(fields.map(({ displayName }) => displayName)).size < fields.length,
		'more than six fields are shown': (fields) =>
			fields.filter(({ removed }) => !removed).length > 6,
		'no file field is shown': (fields, files) =>
			files.length > 0 && !fields.some(({ id, removed }) => !removed && files.includes(id)),
		'a JSON field is shown': (fields) =>
			fields.some(({ removed, type }) => !removed && (type === 'array' || type === 'object')),
		'a required field follows an optional one': (fields) =>
			fields.some(({ required }, at) => required && at > 0 && !fields[at - 1].required),
		'a required field is hidden': (fields) =>
			fields.some(({ required, removed }) => required && removed),
		'the prompt is one of the fields': (fields) =>
			fields.some(({ id }) =>
				['prompt', 'text', 'promptText', 'script', 'voice_script'].includes(id),
			),
	};
	let formsWithFields = 0;
	for (const { slug } of catalogue) {
		const request = { slug, isTool: false, stored: readStoredForm(undefined) };
		const parameters = mergeParameters(slug, list);
		const { fields } = formOf(parameters, request);
		const files = parameters.filter(({ type }) => type === 'file').map(({ name }) => name);
		const displayed = fields.filter(({ display }) => display);
		if (displayed.length > 0) formsWithFields++;
		for (const [what, isBroken] of Object.entries(broken))
			expect([slug, what, isBroken(displayed, files)]).toEqual([slug, what, false]);
	}
	expect(formsWithFields).toBeGreaterThan(110);
});
