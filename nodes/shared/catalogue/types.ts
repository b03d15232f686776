/**
 * The built-in list of models (service-facts section 20): what pickers offer when the service's own
 * list can't be reached, and what a poll schedule expects of a model it has not seen finish yet.
 */

export type Modality = 'image' | 'imageEdit' | 'video' | 'audio' | 'text';

/** `file` is a media input: the wire takes a URL, a data URL or base64. */
export type CatalogueParameterType = 'string' | 'number' | 'boolean' | 'json' | 'file';

export interface CatalogueParameter {
	/** The service's own spelling; it goes to the wire as it stands. */
	readonly name: string;
	/** The JSON type the service takes, which is not always the one its page declares (19.1). */
	readonly type: CatalogueParameterType;
	readonly required?: true;
	/** Values known to work. Newer ones may exist, so nothing is refused for missing here. */
	readonly choices?: ReadonlyArray<string | number>;
	readonly default?: string | number | boolean;
	/** The parameter takes an array of `type`. */
	readonly list?: true;
	/** A range, an example or a trap, short enough for a picker. */
	readonly note?: string;
}

export interface CatalogueModel {
	/** Exact spelling, dots, underscores and capitals included: it is a path segment. */
	readonly slug: string;
	readonly title: string;
	readonly modality: Modality;
	/** Published average, USD a request. Absent when none is published. */
	readonly cost?: number;
	/** Published average, seconds. Absent when none is published. */
	readonly latencySeconds?: number;
	/** The main ones, not all. Empty means that they are not known, not that there are none. */
	readonly parameters: readonly CatalogueParameter[];
}
