import models from './models.json';
import type { CatalogueModel } from './types';

export type { CatalogueModel, CatalogueParameter, CatalogueParameterType, Kind } from './types';

/** Every built-in model, in the service's order. `npm run catalogue` generates and checks the file. */
export const catalogue = models as readonly CatalogueModel[];

const modelsBySlug = new Map(catalogue.map((model) => [model.slug, model]));

/**
 * Finds the built-in model with exactly this slug. Undefined for dedicated endpoints, fine-tuned and newer models, which work as well.
 */
export function findModel(slug: string): CatalogueModel | undefined {
	return modelsBySlug.get(slug);
}
