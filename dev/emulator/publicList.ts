import list from '../catalogue/list.json';
import pages from '../catalogue/pages.json';
import { parameters } from './ownModels.json';

/** A parameter in the public list, as the service's own user interface needs it. Choices are in `options` or in `values`; any member may be missing. */
export interface ParameterMetadata {
	type: string;
	isRequired?: boolean;
	options?: unknown[];
	values?: unknown[];
	[member: string]: unknown;
}

type PublicList = Record<
	string,
	Array<{ slug: string; parameters: Record<string, ParameterMetadata> }>
>;

/** The parameters of each model in the snapshots of the list and of the models' pages, by slug. */
export const listedMetadata = new Map<string, Record<string, ParameterMetadata>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);
for (const { slug, parameters } of pages as unknown as PublicList[string])
	listedMetadata.set(slug, { ...listedMetadata.get(slug), ...parameters });

/** Parameters of models for tests of the form, instead of those in the snapshot. */
const ownParameters: Record<string, Record<string, ParameterMetadata>> = parameters;

/** Returns the parameters of a model by name, as far as they are known. */
export function metadataOf(slug: string): Record<string, ParameterMetadata | undefined> {
	return { ...(ownParameters[slug] ?? listedMetadata.get(slug)) };
}
