import builtIn from './models.json';
import type { CatalogueModel } from './types';

export type { CatalogueModel, CatalogueParameter, CatalogueParameterType } from './types';

/** Every built-in model, in the service's order. `npm run catalogue` generates the file, and a test checks it. */
export const catalogue = builtIn.models as readonly CatalogueModel[];

/** The month of the built-in prices, such as `August 2026`. */
export const PRICES_MONTH = builtIn.month;

const modelsBySlug = new Map(catalogue.map((model) => [model.slug, model]));

/**
 * Finds the built-in model with exactly this slug. Undefined for dedicated endpoints, fine-tuned and newer models, which work as well.
 */
export function findModel(slug: string): CatalogueModel | undefined {
	return modelsBySlug.get(slug);
}
