import type { CatalogueParameter } from './types';

type Common = Pick<CatalogueParameter, 'required' | 'list' | 'note' | 'advanced'>;

interface Extras<Value> extends Common {
	readonly choices?: readonly Value[];
	readonly default?: Value;
}

// One builder a type, so that choices and defaults of another type don't compile.

export const text = (name: string, extras?: Extras<string>): CatalogueParameter => ({
	name,
	type: 'string',
	...extras,
});

export const number = (
	name: string,
	extras?: Extras<number> & Pick<CatalogueParameter, 'min' | 'max' | 'unit'>,
): CatalogueParameter => ({ name, type: 'number', ...extras });

export const flag = (
	name: string,
	extras?: Common & { readonly default?: boolean },
): CatalogueParameter => ({ name, type: 'boolean', ...extras });

export const json = (name: string, extras?: Common): CatalogueParameter => ({
	name,
	type: 'json',
	...extras,
});

export const file = (name: string, extras?: Common): CatalogueParameter => ({
	name,
	type: 'file',
	...extras,
});

/** A text parameter with its known values. */
export const choice = (
	name: string,
	choices: readonly string[],
	extras?: Extras<string>,
): CatalogueParameter => ({ name, type: 'string', choices, ...extras });

// Parameters that many models share.
export const prompt = text('prompt', { required: true });
export const negativePrompt = text('negative_prompt');
export const seed = number('seed');
export const aspectRatio = text('aspect_ratio', { note: 'e.g. 16:9' });
export const outputFormat = text('output_format', { note: 'e.g. png' });
export const safetyTolerance = number('safety_tolerance');
export const base64 = flag('base64', { advanced: true });
/** A media input where the model cannot do without. */
export const requiredImage = file('image', { required: true });
