import list from '../catalogue/list.json';

/**
 * What the public list says of a model's parameters: metadata of the service's own user interface, an object from
 * name to description. Choices stand in `options` or in `values`, and not every member is there.
 */
export interface ParameterMetadata {
	type: string;
	label: string;
	description?: string;
	isRequired: boolean;
	default?: unknown;
	displayValue?: unknown;
	min?: unknown;
	max?: unknown;
	options?: unknown[];
	values?: unknown[];
	component?: string;
	displayOrder: number;
	hidden?: boolean;
	isAdvanced?: boolean;
	affectsPricing?: boolean;
}

export type Described = Omit<ParameterMetadata, 'displayOrder' | 'label' | 'isRequired'> & {
	label?: string;
	isRequired?: boolean;
};

type PublicList = Record<string, Array<{ slug: string; parameters: Record<string, Described> }>>;

/** What the snapshot of the list says of each model. */
export const listed = new Map<string, Record<string, Described>>(
	Object.values(list as unknown as PublicList)[0].map(({ slug, parameters }) => [slug, parameters]),
);
