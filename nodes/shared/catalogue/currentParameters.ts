import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { isObject } from '../service/schemas';
import { slugIn } from './slug';

/** Reads a parameter of the open panel; of a model, its slug. Undefined if n8n can't read it yet. Expressions aren't evaluated. */
export function readCurrentParameter(context: ILoadOptionsFunctions, name: string): unknown {
	try {
		return context.getCurrentNodeParameter(name, { extractValue: true });
	} catch (error) {
		context.logger.debug(`Segmind: ${name} is not readable yet (${(error as Error).message})`);
		return undefined;
	}
}

/** Reads the slug that is chosen in the panel: '' if none is, or the text of an expression. `ownAddress`: the credential's address for calls. */
export function readChosenModel(context: ILoadOptionsFunctions, ownAddress: string): string {
	const model = readCurrentParameter(context, 'model');
	const slug = isObject(model) ? model.value : model;
	return typeof slug === 'string' ? slugIn(slug, ownAddress) : '';
}
