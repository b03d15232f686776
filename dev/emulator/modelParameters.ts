import type { Model } from './models';
import { listed, type Described, type ParameterMetadata } from './publicList';

const prompt: Described = { type: 'str', component: 'textarea', description: 'What to make.' };
const picture: Described = { type: 'image', component: 'image-upload' };
const slider = (min: number, max: number, usual: number): Described => ({
	type: 'slider',
	component: 'slider',
	min,
	max,
	default: usual,
});

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

/** The `parameters` member of a model's entry. */
export function parametersOf(model: Model): Record<string, ParameterMetadata> {
	const required = new Set(model.required.flatMap((names) => names.split('|').slice(0, 1)));
	const known = { ...listed.get(model.slug), ...own[model.slug] };
	for (const name of required) known[name] ??= { ...(/image/i.test(name) ? picture : prompt) };
	return Object.fromEntries(
		Object.entries(known).map(([name, metadata], at) => [
			name,
			{
				label: labelOf(name),
				...((metadata.options ?? metadata.values) && { component: 'dropdown' }),
				...metadata,
				isRequired: metadata.isRequired === true || required.has(name),
				displayOrder: at + 1,
			},
		]),
	);
}

const labelOf = (name: string): string =>
	name.replace(/_/g, ' ').replace(/^./, (letter) => letter.toUpperCase());
