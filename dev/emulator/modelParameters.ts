import type { Model } from './models';
import { parameters } from './ownModels.json';
import { listed, type Described } from './publicList';

const prompt: Described = { type: 'str', component: 'textarea', description: 'What to make.' };
const picture: Described = { type: 'image', component: 'image-upload' };
const sound: Described = { type: 'audio' };
/** Parameters of models that the snapshot does not describe. */
const own: Record<string, Record<string, Described>> = parameters;

/** The `parameters` member of a model's entry. */
export function parametersOf(model: Model): Record<string, Described> {
	const required = new Set(model.required.flatMap((names) => names.split('|').slice(0, 1)));
	const known = { ...listed.get(model.slug), ...own[model.slug] };
	for (const name of required) known[name] ??= { ...usual(name) };
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

function usual(name: string): Described {
	if (/image|img|mask/i.test(name)) return picture;
	return /audio/i.test(name) ? sound : prompt;
}

const labelOf = (name: string): string =>
	name.replace(/_/g, ' ').replace(/^./, (letter) => letter.toUpperCase());
