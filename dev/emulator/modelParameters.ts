import list from '../catalogue/list.json';
import type { Model } from './models';
import type { Orders } from './orders';

/**
 * What the public list says of a model's parameters: metadata of the service's own user interface, an object from
 * name to description. Choices stand in `options` or in `values`, and not every member is there.
 */
interface ParameterMetadata {
	type: string;
	label: string;
	description?: string;
	isRequired: boolean;
	default?: unknown;
	displayValue?: unknown;
	min?: unknown;
	max?: unknown;
	options?: unknown[];
	values?: unknown[];
	component?: string;
	displayOrder: number;
	hidden?: boolean;
	isAdvanced?: boolean;
	affectsPricing?: boolean;
}

type Described = Omit<ParameterMetadata, 'displayOrder' | 'label' | 'isRequired'> & {
	label?: string;
	isRequired?: boolean;
};

const prompt: Described = { type: 'str', component: 'textarea', description: 'What to make.' };
const picture: Described = { type: 'image', component: 'image-upload' };
const slider = (min: number, max: number, usual: number): Described => ({
	type: 'slider',
	component: 'slider',
	min,
	max,
	default: usual,
});

type PublicList = Record<string, Array<{ slug: string; parameters: Record<string, Described> }>>;

/** What the snapshot of the list says of each model. */
const listed = new Map<string, Record<string, Described>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);

/** Parameters of models that the snapshot does not describe. */
const own: Record<string, Record<string, Described>> = {
	'flux-dev': {
		prompt,
		negative_prompt: { type: 'str', component: 'textarea', isAdvanced: true },
		aspect_ratio: { type: 'str', options: ['1:1', '16:9', '9:16'], default: '1:1' },
		steps: { ...slider(1, 50, 25), type: 'int', isAdvanced: true, affectsPricing: true },
		seed: { type: 'int', default: -1, min: -1, max: 4294967295, isAdvanced: true },
		base64: { type: 'bool', default: false, hidden: true },
	},
	'z-image-turbo': {
		prompt,
		steps: slider(1, 20, 8),
		size: { type: 'str', values: ['512x512', '1024x1024'], default: '1024x1024' },
	},
	'sam3-image': { image: picture, prompt },
	'veo-3.1-fast': {
		prompt,
		image: picture,
		duration: { type: 'int', component: 'dropdown', values: [5, 10], default: 5 },
		resolution: { type: 'str', options: ['480p', '720p', '1080p'], affectsPricing: true },
		generate_audio: { type: 'bool', component: 'toggle', default: true },
		aspect_ratio: { type: 'str', options: ['16:9', '9:16'] },
		negative_prompt: { type: 'str', component: 'textarea' },
		seed: { type: 'int', default: -1, isAdvanced: true },
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
	const known = { ...listed.get(model.slug), ...own[model.slug] };
	for (const name of required) known[name] ??= { ...(/image/i.test(name) ? picture : prompt) };
	return Object.entries(known).map(([name, metadata], at) => [
		name,
		{
			label: labelOf(name),
			...((metadata.options ?? metadata.values) && { component: 'dropdown' }),
			...metadata,
			isRequired: metadata.isRequired === true || required.has(name),
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
