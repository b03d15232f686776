import list from '../catalogue/list.json';

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

/** The parameters of each model in the snapshot of the list, by slug. */
export const listedMetadata = new Map<string, Record<string, ParameterMetadata>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);
