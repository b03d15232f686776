/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ResourceMapperField } from 'n8n-workflow';

import { ROOT } from '../../dev/base/project';
import { parametersOf } from '../../dev/emulator/modelParameters';
import { models } from '../../dev/emulator/models';
import { catalogueText, makeCatalogue, type Corrections } from '../../dev/catalogue/make';
import { promptParameter } from '../../nodes/shared/catalogue/prompt';
import { formOf, readStoredForm } from '../../nodes/shared/catalogue/form';
import { findKind } from '../../nodes/shared/catalogue/kinds';
import { mergedMetadata } from '../../nodes/shared/catalogue/modelList';
import { catalogueModel } from '../../dev/catalogue/schema';
import {
	catalogue,
	findModel,
	type CatalogueParameter,
	type Kind,
} from '../../nodes/shared/catalogue';
import { fieldLabel } from '../../nodes/shared/catalogue/describe';

const publicList = new Map(
	models
		.filter(({ unlisted }) => !unlisted)
		.map((model) => [
			model.slug,
			{ slug: model.slug, is_depreciated: false, parameters: parametersOf(model, 'full') },
		]),
);

const everyParameter = catalogue.flatMap((model) =>
	model.parameters.map((parameter) => ({ where: `${model.slug}.${parameter.name}`, parameter })),
);

function parameterOf(slug: string, name: string): CatalogueParameter | undefined {
	return findModel(slug)?.parameters.find((parameter) => parameter.name === name);
}

describe('the catalogue', () => {
	it.each<Kind>(['image', 'imageEdit', 'video', 'audio', 'text'])('has 25 %s models', (wanted) => {
		expect(catalogue.filter(({ kind }) => kind === wanted)).toHaveLength(25);
	});

	it('is what the command makes of its sources, and fits the schema', () => {
		const read = (file: string) => readFileSync(join(ROOT, 'dev/catalogue', file), 'utf8');
		const made = makeCatalogue(
			read('llms.txt'),
			JSON.parse(read('list.json')),
			JSON.parse(read('corrections.json')) as Corrections,
		);
		expect(readFileSync(join(ROOT, 'nodes/shared/catalogue/models.json'), 'utf8')).toBe(
			catalogueText(made),
		);
		expect(catalogue.map((model) => catalogueModel.parse(model))).toEqual(catalogue);
	});

	it('names every model once', () => {
		const slugs = catalogue.map(({ slug }) => slug);
		expect(new Set(slugs).size).toBe(slugs.length);
	});

	it('has slugs that are one path segment as they stand', () => {
		for (const { slug } of catalogue) expect(encodeURIComponent(slug)).toBe(slug);
	});

	it('has positive costs, and latencies in seconds', () => {
		for (const { cost = 0.01, latencySeconds = 1 } of catalogue) {
			expect(cost).toBeGreaterThan(0);
			expect(cost).toBeLessThan(10);
			expect(latencySeconds).toBeGreaterThan(0.1);
			expect(latencySeconds).toBeLessThan(1000);
		}
	});

	it('has ranges that are ranges, around their default', () => {
		for (const { where, parameter } of everyParameter) {
			const { min = -Infinity, max = Infinity, default: fallback } = parameter;
			expect({ where, ordered: min < max }).toEqual({ where, ordered: true });
			if (typeof fallback !== 'number') continue;
			expect({ where, inside: fallback >= min && fallback <= max }).toEqual({
				where,
				inside: true,
			});
		}
	});

	it('leaves the latency out where none is published', () => {
		const unknown = catalogue.filter(({ latencySeconds }) => latencySeconds === undefined);
		expect(unknown.map(({ slug }) => slug)).toEqual([
			'seedance-2.5',
			'ltx-2.5-pro',
			'flux-3-text-to-video',
			'glm-5.2',
		]);
	});

	it('names a parameter once a model', () => {
		for (const { slug, parameters } of catalogue) {
			const names = parameters.map(({ name }) => name);
			expect({ slug, names }).toEqual({ slug, names: [...new Set(names)] });
		}
	});

	it('has choices and defaults of the type the parameter declares', () => {
		for (const { where, parameter } of everyParameter) {
			const { choices = [], default: fallback, type } = parameter;
			const values = fallback === undefined ? choices : [...choices, fallback];
			expect({ where, wrong: values.filter((value) => typeof value !== type) }).toEqual({
				where,
				wrong: [],
			});
		}
	});

	it('has every default among the choices, and no empty or doubled choice', () => {
		for (const { where, parameter } of everyParameter) {
			if (parameter.choices === undefined) continue;
			expect({ where, choices: parameter.choices }).toEqual({
				where,
				choices: [...new Set(parameter.choices)],
			});
			expect(parameter.choices.length).toBeGreaterThan(1);
			if (typeof parameter.default === 'boolean' || parameter.default === undefined) continue;
			expect(parameter.choices).toContain(parameter.default);
		}
	});
});

describe('parameter traps', () => {
	it.each([
		['kling-2.6', ['5', '10']],
		['kling-2.5-turbo', ['5', '10']],
		['sora-2', ['4', '8', '12']],
		['sora-2-pro', ['4', '8', '12']],
		['runway-gen4-turbo', ['5', '10']],
	])('%s takes its duration as text', (slug, choices) => {
		expect(parameterOf(slug, 'duration')).toMatchObject({ type: 'string', choices });
	});

	it.each(['kling-3-pro-image2video', 'wan-2.5-i2v'])(
		'%s takes its duration as text, of unknown values',
		(slug) => {
			const duration = parameterOf(slug, 'duration');
			expect(duration?.type).toBe('string');
			expect(duration?.choices).toBeUndefined();
		},
	);

	it.each([
		'seedance-2.0',
		'seedance-2.5',
		'seedance-1.5-pro',
		'seedance-pro',
		'veo-3.1',
		'hailuo-2.3',
	])('%s takes its duration as a number', (slug) => {
		expect(parameterOf(slug, 'duration')?.type).toBe('number');
	});

	it('takes skip_moderation as text on Seedance 1.x and as a boolean on 2.x', () => {
		expect(parameterOf('seedance-1.5-pro', 'skip_moderation')?.type).toBe('string');
		expect(parameterOf('seedance-pro', 'skip_moderation')?.type).toBe('string');
		expect(parameterOf('seedance-2.0', 'skip_moderation')?.type).toBe('boolean');
	});

	it('keeps the separators and case of each model', () => {
		expect(parameterOf('ideogram-3', 'aspect_ratio')?.note).toContain('16x9');
		expect(parameterOf('wan-2.2-i2v-flash', 'resolution')?.note).toContain('720P');
		expect(parameterOf('veo-3.1', 'resolution')?.choices).toEqual(['720p', '1080p']);
		expect(parameterOf('nano-banana-pro', 'output_resolution')?.choices).toEqual([
			'1K',
			'2K',
			'4K',
		]);
		expect(parameterOf('grok-imagine-image', 'resolution')?.choices).toEqual(['1k', '2k']);
	});

	it('takes media as files, as a list where the service wants an array', () => {
		expect(parameterOf('p-image-edit', 'image_urls')).toMatchObject({
			type: 'file',
			list: true,
			required: true,
		});
		expect(parameterOf('flux-2-pro', 'image_urls')?.required).toBe(false);
		expect(parameterOf('seedance-2.0', 'reference_audios')).toMatchObject({
			type: 'file',
			list: true,
		});
		expect(parameterOf('idm-vton', 'human_img')).toEqual({
			name: 'human_img',
			type: 'file',
			required: true,
		});
		expect(parameterOf('eleven-labs-transcript', 'audio_url')?.type).toBe('file');
		expect(parameterOf('ideogram-3', 'style_codes')).toMatchObject({ type: 'string', list: true });
	});

	it('types every parameter that is named after media as a file', () => {
		const media =
			/^(image|image_\d|image_urls?|image_input|input_(image|audio|reference)(_\d)?|mask|(first|last)_frame_\w+|start_image_url|(source|target)_image|(human|garm)_img|promptImage|reference_(images|videos|audios?)|audio_url|style_reference_images)$/;
		for (const { where, parameter } of everyParameter) {
			expect({ where, file: parameter.type === 'file' }).toEqual({
				where,
				file: media.test(parameter.name),
			});
		}
	});

	it('gives the system prompt its own parameter on Claude only', () => {
		const withInstruction = catalogue.filter(({ slug }) => parameterOf(slug, 'instruction'));
		expect(withInstruction.map(({ slug }) => slug)).toEqual([
			'claude-opus-4.7',
			'claude-4.5-sonnet',
			'claude-4-sonnet',
		]);
		expect(parameterOf('gpt-5.4', 'messages')).toMatchObject({ type: 'json', list: true });
	});
});

describe('making the catalogue', () => {
	const list = {
		models: [
			{
				slug: 'painter',
				title: 'Painter',
				type: 'imageTOImage',
				parameters: { length: { type: 'int', options: [5, 10], isRequired: true } },
			},
		],
	};
	const none: Corrections = { wellKnown: [], parameters: {} };

	it('takes price and time from a line, kind from its heading, and leaves out what is not said', () => {
		const text =
			'# Models\n## Video\n- [One](https://a.b/models/one): $1.25, 3.5s\n- [Two](/models/two): free\nplain\n';
		expect(makeCatalogue(text, [], none)).toEqual([
			{ slug: 'one', title: 'One', kind: 'video', cost: 1.25, latencySeconds: 3.5, parameters: [] },
			{ slug: 'two', title: 'Two', kind: 'video', parameters: [] },
		]);
	});

	it('corrects the list: another type on the wire, and what is not required', () => {
		const parameters = { painter: { length: { type: 'str', required: false, note: 'text' } } };
		expect(makeCatalogue('', list, { wellKnown: ['painter'], parameters })).toEqual([
			{
				slug: 'painter',
				title: 'Painter',
				kind: 'imageEdit',
				wellKnown: true,
				parameters: [
					{ name: 'length', type: 'string', choices: ['5', '10'], required: false, note: 'text' },
				],
			},
		]);
	});

	it('refuses a correction of what no source has', () => {
		const parameters = { painter: { width: { unit: 'px' } } };
		expect(() => makeCatalogue('', list, { ...none, parameters })).toThrow('painter.width');
		expect(() => makeCatalogue('', list, { ...none, wellKnown: ['nobody'] })).toThrow('nobody');
	});
});

describe('findKind', () => {
	it.each([
		['textToImage', 'image'],
		['imageTOImage', 'imageEdit'],
		['textToVideo', 'video'],
		['image-to-video', 'video'],
		['textToSpeech', 'audio'],
		['Audio', 'audio'],
		['speech_to_text', 'text'],
		['textToText', 'text'],
		['imageTo3D', undefined],
		['', undefined],
	])('%s is %s', (words, kind) => {
		expect(findKind(words)).toBe(kind);
	});
});

describe('promptParameter', () => {
	it.each([
		['flux-2-pro', 'prompt'],
		['gpt-5.5', 'prompt'],
		['tts-eleven-labs', 'prompt'],
		['runway-gen4-turbo', 'promptText'],
		['gemini-2.5-flash-tts', 'text'],
		['gemini-3.1-flash-tts', 'text'],
		['sound-generation', 'text'],
		// Not read, none of the three, not in the list, not a model but a property of Object.
		['chatterbox-turbo-tts', 'prompt'],
		['recraft-v3', 'prompt'],
		['ace-step-music', 'prompt'],
		['my-endpoint', 'prompt'],
		['constructor', 'prompt'],
	])('of %s is %s', (slug, name) => {
		expect(promptParameter(slug)).toBe(name);
	});
});

describe('findModel', () => {
	it('takes the exact spelling only', () => {
		expect(findModel('orpheus-3b-0.1')?.title).toBe('3B Orpheus TTS (0.1)');
		expect(findModel('Orpheus-3b-0.1')).toBeUndefined();
		expect(findModel('')).toBeUndefined();
	});
});

describe('fieldLabel', () => {
	it.each<[string, CatalogueParameter]>([
		['Style', { name: 'style', type: 'string', note: 'a note', default: 'oil' }],
		['Steps (1–50)', { name: 'steps', type: 'number', required: true, min: 1, max: 50 }],
		['Length (≥ 0.5) $', { name: 'length', type: 'number', min: 0.5, affectsPrice: true }],
		['Cut (≤ 22)', { name: 'cut', type: 'number', max: 22 }],
		['Duration', { name: 'duration', type: 'number', choices: [5, 10], min: 5, max: 10 }],
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
		// The range gives way first, then the file, then the end of the name.
		[
			'Number of Frames a Second $',
			{
				name: 'frames',
				type: 'number',
				label: 'Number of Frames a Second',
				min: 1,
				max: 60,
				affectsPrice: true,
			},
		],
		['Style Reference Images', { name: 'style_reference_images', type: 'file', list: true }],
		['Apply Language Text Normali…', { name: 'apply_language_text_normalization', type: 'string' }],
	])('gives %s', (label, parameter) => {
		expect(fieldLabel(parameter)).toBe(label);
	});
});

describe.each([
	['as the catalogue has them', (slug: string) => mergedMetadata(slug, undefined)],
	['as the public list has them', (slug: string) => mergedMetadata(slug, publicList)],
])('the forms of all models, %s', (_where, metadataFor) => {
	const forms = catalogue.map(({ slug }) => ({
		slug,
		fields: formOf(metadataFor(slug), {
			slug,
			isTool: false,
			stored: readStoredForm(undefined),
		}).fields.filter(({ display }) => display),
	}));
	const wrong = (isWrong: (fields: ResourceMapperField[]) => boolean) =>
		forms.filter(({ fields }) => isWrong(fields)).map(({ slug }) => slug);

	it('have labels in Title Case that say no word twice', () => {
		const wordsOf = (label: string) => label.match(/[\p{L}\p{N}…]+/gu) ?? [];
		const doubled = (label: string) => {
			const words = wordsOf(label).map((word) => word.toLowerCase().replace(/s$/, ''));
			return new Set(words).size < words.length;
		};
		const inLowerCase = (label: string) =>
			wordsOf(label.replace(/\(.*\)/, '')).some((word) =>
				/^(?!(of|to|in|for|and)$)\p{Ll}/u.test(word),
			);
		const labels = forms.flatMap(({ slug, fields }) =>
			fields.map(({ displayName }) => `${slug}: ${displayName}`),
		);
		const labelIn = (entry: string) => entry.slice(entry.indexOf(': ') + 2);
		expect(labels.filter((entry) => doubled(labelIn(entry)))).toEqual([]);
		expect(labels.filter((entry) => inLowerCase(labelIn(entry)))).toEqual([]);
		expect(labels.filter((entry) => /UR[IL]s? \(file/i.test(labelIn(entry)))).toEqual([]);
	});

	it('have labels that the editor does not cut, no two of them the same', () => {
		expect(forms.filter(({ fields }) => fields.length > 0).length).toBeGreaterThan(75);
		expect(wrong((fields) => fields.some(({ displayName }) => displayName.length > 28))).toEqual(
			[],
		);
		expect(
			wrong((fields) => new Set(fields.map((field) => field.displayName)).size < fields.length),
		).toEqual([]);
	});

	it('show six fields at most, required ones first, and no JSON', () => {
		const shown = (fields: ResourceMapperField[]) => fields.filter(({ removed }) => !removed);
		expect(wrong((fields) => shown(fields).length > 6)).toEqual([]);
		expect(
			wrong((fields) => shown(fields).some(({ type }) => type === 'array' || type === 'object')),
		).toEqual([]);
		expect(
			wrong((fields) =>
				fields.some(({ required }, at) => required && !fields[at - 1]?.required && at > 0),
			),
		).toEqual([]);
		expect(wrong((fields) => fields.some(({ required, removed }) => required && removed))).toEqual(
			[],
		);
	});

	it('leave what the field Prompt is for to it, once', () => {
		const names = forms.flatMap(({ slug, fields }) =>
			fields
				.filter(({ id }) => ['prompt', 'text', 'promptText', 'script'].includes(id))
				.map(({ id }) => `${slug}.${id}`),
		);
		expect(names).toEqual([]);
	});
});
