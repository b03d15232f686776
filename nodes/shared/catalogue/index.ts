import { audioModels } from './audioModels';
import { imageEditModels } from './imageEditModels';
import { imageModels } from './imageModels';
import { textModels } from './textModels';
import type { CatalogueModel } from './types';
import { videoModels } from './videoModels';

export type {
	CatalogueModel,
	CatalogueParameter,
	CatalogueParameterType,
	Modality,
	ModelMetadata,
} from './types';

/** Every built-in model, by modality, the most used first. */
export const catalogue: readonly CatalogueModel[] = [
	...imageModels,
	...imageEditModels,
	...videoModels,
	...audioModels,
	...textModels,
];

const modelsBySlug = new Map(catalogue.map((model) => [model.slug, model]));

/**
 * The built-in model of an exact slug, or undefined: dedicated endpoints, fine-tunes and newer models are not in the list and are as good.
 */
export function findModel(slug: string): CatalogueModel | undefined {
	return modelsBySlug.get(slug);
}

/**
 * The name under which the model takes what the user typed as the prompt: `prompt`, except where the catalogue knows for certain that it
 * is `text` or `promptText`. Built-in knowledge only, so that the same workflow sends the same in every process.
 */
export function promptParameter(slug: string): string {
	const model = findModel(slug);
	const names = model?.byAnalogy ? [] : (model?.parameters.map(({ name }) => name) ?? []);
	return ['prompt', 'text', 'promptText'].find((name) => names.includes(name)) ?? 'prompt';
}

/** The published average time of a request in milliseconds, undefined when unknown. */
export function expectedLatencyMs(slug: string): number | undefined {
	const seconds = findModel(slug)?.latencySeconds;
	return seconds === undefined ? undefined : Math.round(seconds * 1000);
}
