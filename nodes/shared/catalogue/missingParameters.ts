import { fieldTitle } from './labels';
import type { CatalogueParameter } from './types';

/**
 * Returns the required parameters that a body doesn't contain, such as `Images (image_urls)`. They explain a rejection and never prevent a request, because
 * the model may have changed since they were published.
 */
export function missingParameters(
	known: readonly CatalogueParameter[],
	sentBody: Readonly<Record<string, unknown>>,
): string[] {
	return known
		.filter(({ name, required }) => required && (sentBody[name] ?? '') === '')
		.map((parameter) => `${fieldTitle(parameter)} (${parameter.name})`);
}
