/**
 * What is known of models: the built-in list, and what the service's own list adds to it. It offers (pickers, forms, the time a request is
 * expected to take) and explains a refusal; it never refuses a value.
 */

export type Modality = 'image' | 'imageEdit' | 'video' | 'audio' | 'text';

/** `file` is a media input: the wire takes a URL, a data URL or base64. */
export type CatalogueParameterType = 'string' | 'number' | 'boolean' | 'json' | 'file';

export interface CatalogueParameter {
	/** The service's own spelling; it goes to the wire as it stands. */
	readonly name: string;
	/** The JSON type the service takes, which is not always the one its page declares. */
	readonly type: CatalogueParameterType;
	/** `false`: the service's list marks it required, yet takes requests without it. */
	readonly required?: boolean;
	/** Values known to work. Newer ones may exist, so nothing is refused for missing here. */
	readonly choices?: ReadonlyArray<string | number>;
	readonly default?: string | number | boolean;
	/** Least and greatest value of a number, both included. */
	readonly min?: number;
	readonly max?: number;
	/** What a number counts, such as `seconds`. */
	readonly unit?: string;
	/** The parameter takes an array of `type`. */
	readonly list?: true;
	/** An example or a trap, short enough for a picker. */
	readonly note?: string;
	/** Rarely needed: behind "Add parameter" in the form. */
	readonly advanced?: true;
	/** Not for people: neither in the form nor in a picker. */
	readonly hidden?: true;
}

export interface CatalogueModel {
	/** Exact spelling, dots, underscores and capitals included: it is a path segment. */
	readonly slug: string;
	readonly title: string;
	readonly modality: Modality;
	/** Published average, USD per request. Absent when none is published. */
	readonly cost?: number;
	/** Published average, seconds. Absent when none is published. */
	readonly latencySeconds?: number;
	/** The main ones, not all. */
	readonly parameters: readonly CatalogueParameter[];
	/** The parameters are those that models of its kind share; its own page was not read. */
	readonly byAnalogy?: true;
}

/** What this process knows of a model's parameters, built in and looked up. */
export interface ModelMetadata {
	readonly parameters: readonly CatalogueParameter[];
	/**
	 * Who says so: the service's list (complete), the built-in catalogue (the main ones), models of its kind, or nobody, with no parameters.
	 */
	readonly source: 'list' | 'catalogue' | 'analogy' | 'none';
}
