import { fieldTitle } from './labels';
import type { CatalogueParameter } from './types';

/**
 * Returns the required parameters that weren't sent, such as `Images (image_urls)`. They explain a rejection and never prevent a request, because
 * the model may have changed since they were published.
 */
export function missingParameters(
	known: readonly CatalogueParameter[],
	sentNames: readonly string[],
): string[] {
	return known
		.filter(({ name, required }) => required && !sentNames.includes(name))
		.map((parameter) => `${fieldTitle(parameter)} (${parameter.name})`);
}
