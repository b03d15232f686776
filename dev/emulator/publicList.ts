import list from '../catalogue/list.json';

/**
 * What the public list says of a model's parameters: metadata of the service's own user interface, an object from
 * name to description. Choices stand in `options` or in `values`, and not every member is there.
 */
export interface Described {
	type: string;
	isRequired?: boolean;
	options?: unknown[];
	values?: unknown[];
	[member: string]: unknown;
}

type PublicList = Record<string, Array<{ slug: string; parameters: Record<string, Described> }>>;

/** What the snapshot of the list says of each model. */
export const listed = new Map<string, Record<string, Described>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);
