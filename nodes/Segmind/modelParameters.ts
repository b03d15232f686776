import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { readChosenModel, readCurrentParameter } from '../shared/catalogue/currentParameters';
import { formOf, readStoredForm, resourceFields } from '../shared/catalogue/form';
import { credentialOf, listModels, mergeParameters } from '../shared/catalogue/modelList';

const CHOOSE_FIRST_NOTICE = 'Choose a model to see its parameters here.';
const UNKNOWN_NOTICE =
	'The parameters of this model are not known. Add them by name under Options > Additional Parameters.';
const PROMPT_ONLY_NOTICE =
	'As far as the node knows, this model takes only a prompt. Add other parameters by name under Options > Additional Parameters.';

/**
 * Returns the form of the chosen model: from the service's list, or from the built-in catalogue if the list has no parameters of the model. If the list
 * is unreachable or neither knows the model, returns the form that the workflow has stored for this model, because n8n deletes values whose field is
 * missing. Never throws.
 */
export async function modelParameters(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	const { baseUrl } = await credentialOf(this);
	const slug = readChosenModel(this, baseUrl);
	if (slug === '') return { fields: [], emptyFieldsNotice: CHOOSE_FIRST_NOTICE };
	// An expression sets the model, so its parameters can't be known. n8n hides the form and shows `parametersNotice` instead.
	if (slug.startsWith('=')) return { fields: [], emptyFieldsNotice: UNKNOWN_NOTICE };
	const stored = readStoredForm(readCurrentParameter(this, 'parameters'));
	const isStoredFor = stored.slug === slug && stored.fields.length > 0;
	const list = await listModels(this);
	const parameters = mergeParameters(slug, list);
	if (isStoredFor && (list === undefined || parameters.length === 0)) return resourceFields(stored);
	const form = formOf(parameters, { slug, isTool: this.getNode().type.endsWith('Tool'), stored });
	if (form.fields.length > 0) return form;
	const emptyFieldsNotice = parameters.length > 0 ? PROMPT_ONLY_NOTICE : UNKNOWN_NOTICE;
	return { fields: [], emptyFieldsNotice };
}
