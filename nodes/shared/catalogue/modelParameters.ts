import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { readChosenModel } from './chosenModel';
import { formOf, readStoredForm, storedFormOf } from './form';
import { listModels, mergeMetadata } from './modelList';
import { findNearestSlugs } from './nearest';

const CHOOSE_FIRST = 'Choose a model to see its parameters here.';
const UNKNOWN =
	'The parameters of this model are not known. Add them by name under Options > Additional Parameters.';
const PROMPT_ONLY =
	'As far as the node knows, this model takes only a prompt. Add other parameters by name under Options > Additional Parameters.';

/**
 * The form of the chosen model. While the service's list is unreachable, it's the form that the workflow has stored for the model, because n8n deletes
 * values whose field is missing; otherwise the built-in form. Never throws.
 */
export async function modelParameters(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const slug = readChosenModel(this);
	if (slug === '') return { fields: [], emptyFieldsNotice: CHOOSE_FIRST };
	// n8n then hides the form and shows a notice.
	if (slug.startsWith('=')) return { fields: [], emptyFieldsNotice: UNKNOWN };
	const stored = readStoredForm(storedParameter(this));
	const isStoredFor = stored.slug === slug && stored.fields.length > 0;
	const list = await listModels(this);
	const metadata = mergeMetadata(slug, list);
	if (isStoredFor && (list === undefined || metadata.source === 'none'))
		return storedFormOf(stored);
	const form = formOf(metadata, {
		slug,
		isTool: this.getNode().type.endsWith('Tool'),
		stored,
	});
	if (form.fields.length > 0) return form;
	if (metadata.source !== 'none') return { fields: [], emptyFieldsNotice: PROMPT_ONLY };
	const near = list?.has(slug) ? [] : findNearestSlugs(slug, list?.keys() ?? []);
	const similar = near.length > 0 ? ` Models with a similar slug: ${near.join(', ')}.` : '';
	return { fields: [], emptyFieldsNotice: `${UNKNOWN}${similar}` };
}

function storedParameter(context: ILoadOptionsFunctions): unknown {
	try {
		return context.getCurrentNodeParameter('parameters');
	} catch (error) {
		context.logger.debug(`Segmind: no form is stored yet (${(error as Error).message})`);
		return undefined;
	}
}
