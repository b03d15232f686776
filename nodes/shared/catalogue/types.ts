/**
 * What is known of models: the built-in list, and what the service's own list adds to it. It offers (pickers, forms, the time a request is
 * expected to take) and explains a refusal; it never refuses a value.
 */

/** What a model makes; `imageEdit` makes an image of an image, `transcript` the text of a recording. */
export type Kind = 'image' | 'imageEdit' | 'video' | 'audio' | 'text' | 'transcript';

/** `file` is a media input: the wire takes a URL, a data URL or base64. */
export type CatalogueParameterType = 'string' | 'number' | 'boolean' | 'json' | 'file';

export interface CatalogueParameter {
	/** The service's own spelling; it goes to the wire as it stands. */
	readonly name: string;
	/** What the service's own pages call it. */
	readonly label?: string;
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
	/** Another value costs something else. */
	readonly affectsPrice?: true;
	/** Rarely needed: behind "Add parameter" in the form. */
	readonly advanced?: true;
	/** Not for people: neither in the form nor in a picker. */
	readonly hidden?: true;
}

/** An entry of models.json; `npm run catalogue` and a test check them all. */
export interface CatalogueModel {
	/** Exact spelling, dots, underscores and capitals included: it is a path segment. */
	readonly slug: string;
	readonly title: string;
	readonly kind?: Kind;
	/** Published average, USD per request. Absent when none is published. */
	readonly cost?: number;
	/** Published average, seconds. Absent when none is published. */
	readonly latencySeconds?: number;
	/** A good choice for somebody who knows none: first in every list. */
	readonly wellKnown?: true;
	/** The main ones, not all; none when nobody has read which there are. */
	readonly parameters: readonly CatalogueParameter[];
}

/** What this process knows of a model's parameters, built in and looked up. */
export interface ModelMetadata {
	readonly parameters: readonly CatalogueParameter[];
	/** Who says so: the service's list (complete), the built-in catalogue (the main ones), or nobody, with no parameters. */
	readonly source: 'list' | 'catalogue' | 'none';
}
