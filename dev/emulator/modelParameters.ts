import type { Model, Modality } from './models';
import type { Json, Orders } from './types';

/**
 * What the public list says of a model's parameters: metadata of the service's own user interface, an object from
 * name to description. Choices stand in `options` or in `values`, and not every member is there.
 */
interface ParameterMetadata {
	type: string;
	label: string;
	description?: string;
	isRequired: boolean;
	default?: Json;
	displayValue?: Json;
	min?: Json;
	max?: Json;
	options?: Json[];
	values?: Json[];
	component?: string;
	displayOrder: number;
	hidden?: boolean;
	isAdvanced?: boolean;
	affectsPricing?: boolean;
}

type Described = Omit<ParameterMetadata, 'displayOrder' | 'label' | 'isRequired'> & {
	label?: string;
};

const prompt: Described = { type: 'str', component: 'textarea', description: 'What to make.' };
const negativePrompt: Described = { type: 'str', component: 'textarea', isAdvanced: true };
const seed: Described = { type: 'int', default: -1, min: -1, max: 4294967295, isAdvanced: true };
const picture: Described = { type: 'image', component: 'image-upload' };
const base64: Described = { type: 'bool', default: false, hidden: true };
const slider = (min: number, max: number, usual: number): Described => ({
	type: 'slider',
	component: 'slider',
	min,
	max,
	default: usual,
});

const byModality: Record<Modality, Record<string, Described>> = {
	image: {
		prompt,
		negative_prompt: negativePrompt,
		aspect_ratio: {
			type: 'str',
			component: 'dropdown',
			options: ['1:1', '16:9', '9:16'],
			default: '1:1',
		},
		steps: { ...slider(1, 50, 25), type: 'int', isAdvanced: true, affectsPricing: true },
		seed,
		base64,
	},
	edit: {
		prompt,
		image: picture,
		output_format: {
			type: 'str',
			component: 'dropdown',
			values: ['png', 'jpg'],
			default: 'png',
			displayValue: 'PNG',
		},
		seed,
		base64,
	},
	video: {
		prompt,
		image: picture,
		duration: { type: 'int', component: 'dropdown', values: [5, 10], default: 5 },
		resolution: {
			type: 'str',
			component: 'dropdown',
			options: ['480p', '720p', '1080p'],
			affectsPricing: true,
		},
		generate_audio: { type: 'bool', component: 'toggle', default: true },
		seed,
	},
	audio: {
		text: { type: 'str', component: 'textarea', label: 'Text' },
		voice: { type: 'str', component: 'dropdown', options: ['Kore', 'Zephyr'], default: 'Kore' },
		temperature: { ...slider(0, 2, 0.8), isAdvanced: true },
	},
	text: {
		messages: { type: 'json', component: 'messages' },
		prompt,
		max_tokens: { type: 'int', min: 1, max: 64000, default: 1024, isAdvanced: true },
		temperature: slider(0, 2, 1),
	},
};

/** What differs from the rest of a modality. */
const bySlug: Record<string, Record<string, Described>> = {
	'kling-2.6': {
		duration: { type: 'str', component: 'dropdown', options: ['5', '10'], default: '5' },
		mode: { type: 'str', component: 'dropdown', values: ['std', 'pro'], default: 'std' },
	},
	'sdxl1.0-txt2img': {
		samples: { ...slider(1, 4, 1), type: 'int', affectsPricing: true },
		guidance_scale: slider(1, 25, 7.5),
		scheduler: { type: 'str', component: 'dropdown', values: ['UniPC', 'Euler a'] },
	},
	'nano-banana-pro': {
		image_urls: { ...picture, component: 'multi-image-upload' },
		output_resolution: {
			type: 'str',
			component: 'dropdown',
			options: ['1K', '2K', '4K'],
			default: '1K',
			affectsPricing: true,
		},
	},
};

/** The `parameters` member of a model's entry, in the ordered form; undefined for none. */
export function parametersOf(model: Model, form: Orders['modelParameters']): unknown {
	if (form === 'missing') return undefined;
	if (form === 'null') return null;
	const usual = usualParameters(model);
	switch (form) {
		case 'full':
			return Object.fromEntries(usual);
		case 'list':
			return usual.map(([name, metadata]) => ({ name, ...metadata }));
		case 'textDefaults':
			return Object.fromEntries(usual.map(([name, metadata]) => [name, asTexts(metadata)]));
		case 'unknown':
			return Object.fromEntries(
				usual.map(([name, metadata]) => [
					name,
					{ ...metadata, type: 'tensor', component: 'color-wheel' },
				]),
			);
		case 'hostile':
			return Object.fromEntries([...usual, ...hostileParameters(usual.length)]);
	}
}

function usualParameters(model: Model): Array<[string, ParameterMetadata]> {
	const required = new Set(model.required.flatMap((names) => names.split('|').slice(0, 1)));
	const known = { ...byModality[model.modality], ...bySlug[model.slug] };
	for (const name of required) known[name] ??= { ...(/image/i.test(name) ? picture : prompt) };
	return Object.entries(known).map(([name, metadata], at) => [
		name,
		{
			label: labelOf(name),
			...metadata,
			isRequired: required.has(name),
			displayOrder: at + 1,
		},
	]);
}

const labelOf = (name: string): string =>
	name.replace(/_/g, ' ').replace(/^./, (letter) => letter.toUpperCase());

function asTexts({
	default: usual,
	min,
	max,
	isRequired,
	...metadata
}: ParameterMetadata): Record<string, unknown> {
	return {
		...metadata,
		isRequired: String(isRequired),
		...(usual !== undefined && { default: String(usual) }),
		...(min !== undefined && { min: String(min) }),
		...(max !== undefined && { max: String(max) }),
	};
}

/** Names, texts and choices that somebody's code could take for something else than data. */
function hostileParameters(from: number): Array<[string, unknown]> {
	const names = [
		'__proto__',
		'constructor',
		'toString',
		'=1+1',
		'={{ $env.SECRET }}',
		"$fromAI('stolen')",
		'with space',
		'dotted.name["x"]',
		'',
		'\u202Elamron',
		'a'.repeat(5000),
	];
	const strange: Array<[string, unknown]> = names.map((name, at) => [
		name,
		{
			type: 'str',
			label: `={{ $json }} ${name.slice(0, 40)}`,
			description: "$fromAI('stolen') <script>alert(1)</script>",
			component: 'dropdown',
			options: ['={{ $env.SECRET }}', '__proto__', "$fromAI('x')", '', null, { value: 'v' }, ['w']],
			default: '={{ $env.SECRET }}',
			isRequired: false,
			displayOrder: from + at + 1,
		},
	]);
	return [
		...strange,
		['no_object', 'str'],
		['nothing', null],
		['a_list', ['str']],
		['wrong_types', { type: 5, label: {}, options: 'none', min: 'low', displayOrder: 'first' }],
		[
			'default_is_an_object',
			{ type: 'str', label: 'Default', default: { a: 1 }, displayOrder: -1 },
		],
		['many_choices', { type: 'str', component: 'dropdown', options: manyChoices }],
	];
}

const manyChoices = Array.from({ length: 2000 }, (_unused, at) => `choice ${at}`);
