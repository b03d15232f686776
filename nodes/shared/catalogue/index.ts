import { audioModels } from './audioModels';
import { imageEditModels } from './imageEditModels';
import { imageModels } from './imageModels';
import { textModels } from './textModels';
import type { CatalogueModel, CatalogueParameter, CatalogueParameterType } from './types';
import { videoModels } from './videoModels';

export type { CatalogueModel, CatalogueParameter, CatalogueParameterType, Modality } from './types';

/** Every built-in model, by modality, in the order of service-facts section 20. */
export const catalogue: readonly CatalogueModel[] = [
	...imageModels,
	...imageEditModels,
	...videoModels,
	...audioModels,
	...textModels,
];

const modelsBySlug = new Map(catalogue.map((model) => [model.slug, model]));

/**
 * The model of an exact slug (section 20), or undefined: dedicated endpoints, fine-tunes and newer
 * models are not in the list (section 15) and are as good.
 */
export function findModel(slug: string): CatalogueModel | undefined {
	return modelsBySlug.get(slug);
}

/**
 * The name under which the model takes what the user typed as the prompt: `prompt`, except where
 * the catalogue knows only `text` or `promptText` (trap "Names not common", section 19.1).
 */
export function promptParameter(slug: string): string {
	const names = findModel(slug)?.parameters.map(({ name }) => name) ?? [];
	return ['prompt', 'text', 'promptText'].find((name) => names.includes(name)) ?? 'prompt';
}

/** The published average time of a request in milliseconds (section 20), undefined when unknown. */
export function expectedLatencyMs(slug: string): number | undefined {
	const seconds = findModel(slug)?.latencySeconds;
	return seconds === undefined ? undefined : Math.round(seconds * 1000);
}

const TYPE_WORDS: Record<CatalogueParameterType, string> = {
	string: 'text',
	number: 'number',
	boolean: 'boolean',
	json: 'JSON',
	file: 'file',
};

/**
 * One line for a picker, in the order type, choices, default, required, note:
 * `text · 5, 10 · required · not a number`. A type is called as in the row's field Type.
 */
export function describeParameter(parameter: CatalogueParameter): string {
	return [
		parameter.list ? `${TYPE_WORDS[parameter.type]} list` : TYPE_WORDS[parameter.type],
		parameter.choices?.join(', '),
		parameter.default === undefined ? undefined : `default ${parameter.default}`,
		parameter.required && 'required',
		parameter.note,
	]
		.filter(Boolean)
		.join(' · ');
}
