/**
 * What is known of models, from the built-in catalogue and the service's list. It fills pickers and forms, provides the usual time of a request and
 * explains a rejection. It prevents no request but one with a wrong number or boolean in its form.
 */

/** What a model makes; `imageEdit` makes an image from an image, `transcript` the text of a recording. */
export type Kind = 'image' | 'imageEdit' | 'video' | 'audio' | 'text' | 'transcript';

/** `file` is a media input: it's sent as a URL, a data URL or base64. */
export type CatalogueParameterType = 'string' | 'number' | 'boolean' | 'json' | 'file';

export interface CatalogueParameter {
	/** The service's own spelling, which is sent unchanged. */
	readonly name: string;
	/** Its label on the service's pages. */
	readonly label?: string;
	/** The JSON type that the service accepts, which isn't always the one that its page declares. */
	readonly type: CatalogueParameterType;
	/** `false` if the service's list marks it as required, but the service accepts requests without it. */
	readonly required?: boolean;
	/** Values that are known to work. Others are sent too, because newer values may exist. */
	readonly choices?: ReadonlyArray<string | number>;
	readonly default?: string | number | boolean;
	/** Smallest and largest value of a number, both allowed. */
	readonly min?: number;
	readonly max?: number;
	/** The unit of a number, such as `seconds`. */
	readonly unit?: string;
	/** Whether the parameter takes an array of `type`. */
	readonly list?: true;
	/** An example such as `e.g. 16:9`, or the most files in a list, such as `9 at most`. */
	readonly note?: string;
	/** Whether the price depends on the value. */
	readonly affectsPrice?: true;
	/** Rarely needed: under "Add parameter" in the form. */
	readonly advanced?: true;
	/** Neither in the form nor in a picker. */
	readonly hidden?: true;
}

/** An entry of models.json. `npm run catalogue` and a test check all of them. */
export interface CatalogueModel {
	/** The exact spelling, with dots, underscores and capitals: it's a path segment. */
	readonly slug: string;
	readonly title: string;
	readonly kind?: Kind;
	/** Published average, USD per request. Absent when none is published. */
	readonly cost?: number;
	/** Published average, seconds. Absent when none is published. */
	readonly latencySeconds?: number;
	/** The main parameters, not all; empty if unknown. */
	readonly parameters: readonly CatalogueParameter[];
}

/** A kind of file, as the type of such a file begins. */
export type FileKind = 'image/' | 'audio/' | 'video/';
