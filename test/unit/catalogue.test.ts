import {
	catalogue,
	expectedLatencyMs,
	findModel,
	promptParameter,
	type CatalogueParameter,
	type Modality,
} from '../../nodes/shared/catalogue';
import { describeParameter, fieldLabel } from '../../nodes/shared/catalogue/describe';

const everyParameter = catalogue.flatMap((model) =>
	model.parameters.map((parameter) => ({ where: `${model.slug}.${parameter.name}`, parameter })),
);

function parameterOf(slug: string, name: string): CatalogueParameter | undefined {
	return findModel(slug)?.parameters.find((parameter) => parameter.name === name);
}

describe('the catalogue', () => {
	it.each<Modality>(['image', 'imageEdit', 'video', 'audio', 'text'])(
		'has 25 %s models',
		(wanted) => {
			expect(catalogue.filter(({ modality }) => modality === wanted)).toHaveLength(25);
		},
	);

	it('names every model once, with a title', () => {
		const slugs = catalogue.map(({ slug }) => slug);
		expect(new Set(slugs).size).toBe(slugs.length);
		expect(catalogue.filter(({ title }) => title.trim() === '')).toEqual([]);
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

	it('has parameters of every model', () => {
		expect(catalogue.filter(({ parameters }) => parameters.length === 0)).toEqual([]);
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

	it.each(['kling-3-pro-image2video', 'kling-3-standard-text2video', 'wan-2.5-i2v'])(
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

describe('promptParameter', () => {
	it.each([
		['flux-2-pro', 'prompt'],
		['gpt-5.5', 'prompt'],
		['tts-eleven-labs', 'prompt'],
		['runway-gen4-turbo', 'promptText'],
		['gemini-2.5-flash-tts', 'text'],
		['gemini-3.1-flash-tts', 'text'],
		['sound-generation', 'text'],
		// Known by analogy only, none of the three, not in the list, not a model but a property of Object.
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

describe('expectedLatencyMs', () => {
	it('is in milliseconds', () => {
		expect(expectedLatencyMs('sora-2-pro')).toBe(400_427);
		expect(expectedLatencyMs('bg-removal-v2')).toBe(696);
	});

	it('is undefined where nothing is known', () => {
		expect(expectedLatencyMs('seedance-2.5')).toBeUndefined();
		expect(expectedLatencyMs('my-endpoint')).toBeUndefined();
	});
});

describe('describeParameter', () => {
	it.each<[string, CatalogueParameter]>([
		['text', { name: 'style', type: 'string' }],
		['JSON', { name: 'messages', type: 'json' }],
		['file list · required', { name: 'images', type: 'file', list: true, required: true }],
		[
			'number · 6, 10 · default 6 · required · seconds',
			{ name: 'n', type: 'number', choices: [6, 10], default: 6, required: true, note: 'seconds' },
		],
		['boolean · default false', { name: 'crop', type: 'boolean', default: false }],
		['number · default 0', { name: 'seed', type: 'number', default: 0 }],
	])('gives %s', (label, parameter) => {
		expect(describeParameter(parameter)).toBe(label);
	});

	it('stays short enough for a picker', () => {
		for (const { where, parameter } of everyParameter) {
			expect({ where, short: describeParameter(parameter).length <= 120 }).toEqual({
				where,
				short: true,
			});
		}
	});
});

describe('fieldLabel', () => {
	it.each<[string, CatalogueParameter]>([
		['style', { name: 'style', type: 'string' }],
		[
			'steps (required, 1 to 50, default 4)',
			{ name: 'steps', type: 'number', required: true, min: 1, max: 50, default: 4 },
		],
		['length (at least 0.5 s)', { name: 'length', type: 'number', min: 0.5, unit: 's' }],
		['duration (s)', { name: 'duration', type: 'number', choices: [5, 10], default: 5, unit: 's' }],
		['refine', { name: 'refine', type: 'boolean', default: true }],
		[
			'image_urls (required, URLs or binary fields)',
			{ name: 'image_urls', type: 'file', list: true, required: true },
		],
		['palette (JSON, an object)', { name: 'palette', type: 'json', note: 'an object' }],
		['messages (JSON list)', { name: 'messages', type: 'json', list: true }],
	])('gives %s', (label, parameter) => {
		expect(fieldLabel(parameter)).toBe(label);
	});

	it('stays short, with its bracket closed', () => {
		const label = fieldLabel({ name: 'style', type: 'string', note: 'x'.repeat(500) });
		expect(label.length).toBeLessThanOrEqual(140);
		expect(label).toMatch(/…\)$/);
	});
});
