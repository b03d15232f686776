import type { Model } from './models';
import { metadataOf, type ParameterMetadata } from './publicList';

const prompt: ParameterMetadata = {
	type: 'str',
	component: 'textarea',
	description: 'What to make.',
};
const picture: ParameterMetadata = { type: 'image', component: 'image-upload' };
const sound: ParameterMetadata = { type: 'audio' };

/** Returns the member `parameters` of a model's entry in the list. */
export function parametersOf(model: Model): Record<string, ParameterMetadata> {
	const required = new Set(model.required.flatMap((names) => names.split('|').slice(0, 1)));
	const byName = metadataOf(model.slug) as Record<string, ParameterMetadata>;
	for (const name of required) byName[name] ??= { ...guessParameter(name) };
	return Object.fromEntries(
		Object.entries(byName).map(([name, metadata], at) => [
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

function guessParameter(name: string): ParameterMetadata {
	if (/image|img|mask/i.test(name)) return picture;
	return /audio/i.test(name) ? sound : prompt;
}

const labelOf = (name: string): string =>
	name.replace(/_/g, ' ').replace(/^./, (letter) => letter.toUpperCase());
