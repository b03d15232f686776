import type { ILoadOptionsFunctions } from 'n8n-workflow';

import { isObject } from '../service/schemas';
import { slugIn } from './slug';

/** Reads the slug that is chosen in the panel: '' if none is, or the text of an expression, which n8n hasn't evaluated. Never throws. */
export function readChosenModel(context: ILoadOptionsFunctions): string {
	try {
		const model = context.getCurrentNodeParameter('model', { extractValue: true }) as unknown;
		const slug = isObject(model) ? model.value : model;
		return typeof slug === 'string' ? slugIn(slug) : '';
	} catch (error) {
		context.logger.debug(`Segmind: the model is not readable yet (${(error as Error).message})`);
		return '';
	}
}
