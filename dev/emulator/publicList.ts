import list from '../catalogue/list.json';

/** What the public list says about a parameter of a model. It is metadata of the service's own user interface: choices are in `options` or in `values`, and any member may be missing. */
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

/** The parameters of each model in the snapshot of the list, by slug. */
export const listedMetadata = new Map<string, Record<string, ParameterMetadata>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);
