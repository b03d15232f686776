import type {
	ILoadOptionsFunctions,
	INodeListSearchResult,
	INodeProperties,
	ResourceMapperFields,
} from 'n8n-workflow';

import { findModel, PRICES_MONTH } from '../shared/catalogue';
import { readChosenModel, readCurrentParameter } from '../shared/catalogue/currentParameters';
import { formOf, readStoredForm, resourceFields } from '../shared/catalogue/form';
import { credentialOf, listModels, mergeParameters } from '../shared/catalogue/modelList';
import { nameWithAverages, searchModelsFor } from '../shared/catalogue/modelPicker';
import { pageUrlOf } from '../shared/catalogue/slug';
import { textField } from '../shared/descriptions/fields';
import {
	imagesField,
	outputFormatFields,
	parametersFormField,
	parametersNotice,
} from '../shared/descriptions/inputs';
import { FILE_WORDS } from '../shared/inputs/ownFile';
import { TASKS, findTask, type Task } from '../shared/catalogue/tasks';
import { showForTask } from './taskOperations';

/** Lists the models of the chosen task; a search also finds models of other tasks. Never throws. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const task = findTask(
		this.getCurrentNodeParameter('resource'),
		this.getCurrentNodeParameter('operation'),
	);
	return await searchModelsFor(this, filter, task);
}

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

/** Returns the model picker of a task, with the task's default model and list of models. */
function modelField(task: Task): INodeProperties {
	const { defaultModel: slug } = task;
	const model = findModel(slug);
	return {
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		// With `__rl`, an unchanged default follows a change of Resource (docs/n8n.md N271).
		default: {
			__rl: true,
			mode: 'list',
			value: slug,
			cachedResultName: model && nameWithAverages(model),
			cachedResultUrl: pageUrlOf(slug),
		},
		required: true,
		description: `The model to use, with Segmind's average price and time of a request: today's in the list, those of ${PRICES_MONTH} for the default. A longer or larger result ($) costs more. The list shows the default first, then the other models by price, and last those without a published price. To run a fine-tuned model or an endpoint of yours, choose By Slug.`,
		// Below Prompt, n8n would show it only while that is no expression.
		hint: filesHint(task),
		displayOptions: showForTask(task),
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				placeholder: 'Choose a model',
				typeOptions: {
					searchListMethod: 'searchModels',
					searchable: true,
					skipCredentialsCheckInRLC: true,
					slowLoadNotice: {
						message:
							'If the list takes long to load, choose By Slug and type the slug of the model',
						timeout: 4_000,
					},
				},
			},
			{
				displayName: 'By Slug',
				// n8n would relabel a mode called `id`.
				name: 'slug',
				type: 'string',
				placeholder: 'e.g. nano-banana-pro',
				hint: "The last part of the model page's URL, or the whole URL of its page or its calls",
			},
		],
	};
}

/** Says what to enter for a file, above the form, which has no room for it (docs/n8n.md N191). Undefined for tasks whose models hardly take files. */
function filesHint({ makes, uses }: Task): string | undefined {
	if (makes === 'audio' || makes === 'text') return undefined;
	const own = uses ? `; without one, the item's only ${FILE_WORDS[uses]} is sent` : '';
	return `To send a file, enter its URL or binary field's name, usually <code>data</code> (in an agent's tool, only its URL)${own}`;
}

function promptField(task: Task): INodeProperties {
	return {
		displayName: task.promptLabel ?? 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: `e.g. ${task.example}`,
		description:
			'What to generate, edit, say or answer. Leave it empty for models that take no prompt, such as background removers.',
		displayOptions: showForTask(task),
	};
}

function questionField(question: string): INodeProperties {
	const description = 'What to find out about the images, or how to describe them';
	const more = { default: question, typeOptions: { rows: 4 } };
	return textField('prompt', 'Prompt', description, more);
}

const systemPromptField: INodeProperties = {
	displayName: 'System Prompt',
	name: 'systemPrompt',
	type: 'string',
	typeOptions: { rows: 2 },
	default: '',
	placeholder: 'e.g. You are a friendly copywriter. Answer in two sentences.',
	description: 'Instructions that the model follows when it answers the prompt',
};

/** Returns the fields of a task for language models: a question about images, or a system prompt, and the form of the answer. */
function languageFields(task: Task): INodeProperties[] {
	const own = task.question ? [questionField(task.question), imagesField] : [systemPromptField];
	return [...own, ...outputFormatFields].map((field) => ({
		...field,
		displayOptions: { show: { ...showForTask(task).show, ...field.displayOptions?.show } },
	}));
}

/** The fields of all tasks. */
export const taskFields: INodeProperties[] = TASKS.flatMap((task) => [
	modelField(task),
	...(task.example === undefined ? [] : [promptField(task)]),
	...(task.makes === 'text' ? languageFields(task) : []),
]);

/** The form, or the notice instead of it. */
export const formFields: INodeProperties[] = [parametersFormField, parametersNotice];
