import models from './models.json';
import type { CatalogueModel } from './types';

export type {
	CatalogueModel,
	CatalogueParameter,
	CatalogueParameterType,
	Kind,
	ModelMetadata,
} from './types';

/** Every built-in model, in the service's order. `npm run catalogue` makes the file and checks it whole. */
export const catalogue = models as readonly CatalogueModel[];

const modelsBySlug = new Map(catalogue.map((model) => [model.slug, model]));

/**
 * The built-in model of an exact slug, or undefined: dedicated endpoints, fine-tunes and newer models are not in the list and are as good.
 */
export function findModel(slug: string): CatalogueModel | undefined {
	return modelsBySlug.get(slug);
}
