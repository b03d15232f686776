import type { ILoadOptionsFunctions, INodeListSearchResult, INodeProperties } from 'n8n-workflow';

import { findModel } from '../shared/catalogue';
import { findModels } from '../shared/catalogue/listSearch';
import { filesNotice, parametersFormField, parametersNotice } from '../shared/descriptions/inputs';
import { readInputs } from '../shared/inputs/readInputs';
import { textIn } from '../shared/inputs/values';
import type { Presentation } from '../shared/output/finishedRequest';
import type { Generation } from '../shared/request/rules/submission';
import { readAnswerInOneCall, readWaitForCompletion } from '../shared/run/options';
import type { Session } from '../shared/run/session';
import { joinUrl, pathSegment } from '../shared/service/origins';
import { TASKS, forTask, taskOf, type Task } from './tasks';

/** The models of the task that the node is set to; all where that is not told. Never throws. */
export async function searchModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const task = taskOf(
		this.getCurrentNodeParameter('resource'),
		this.getCurrentNodeParameter('operation'),
	);
	return await findModels(this, filter, task?.makes && [task.makes]);
}

/** The picker of one task: its own default, and a list of the models that do it. */
function modelField(task: Task): INodeProperties {
	return {
		displayName: 'Model',
		name: 'model',
		type: 'resourceLocator',
		// With `__rl` an untouched default follows a change of Resource (docs/n8n.md N271).
		default: {
			__rl: true,
			mode: 'list',
			value: task.model.slug,
			cachedResultName: task.model.name,
		},
		required: true,
		description:
			'The model to use, with the average price and time of a request where they are published. A fine-tuned model or endpoint that is not in the list runs by its slug.',
		displayOptions: forTask(task),
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
						message: 'If the list takes long, type the slug of the model under By Slug',
						timeout: 4_000,
					},
				},
			},
			{
				displayName: 'By Slug',
				// n8n would relabel a mode called `id` (docs/n8n.md N206).
				name: 'slug',
				type: 'string',
				placeholder: 'e.g. nano-banana-pro',
				hint: 'The last part of the address of the model page, exactly as written there',
			},
		],
	};
}

function promptField(task: Task): INodeProperties {
	return {
		displayName: 'Prompt',
		name: 'prompt',
		type: 'string',
		typeOptions: { rows: 4 },
		default: '',
		placeholder: `e.g. ${task.example}`,
		description:
			'What to generate, edit, say or answer. Leave empty for models that take none, such as one that removes a background.',
		displayOptions: forTask(task),
	};
}

function filesField(task: Task): INodeProperties {
	const { displayName, displayOptions } = filesNotice;
	return {
		...filesNotice,
		displayName: `${displayName}${task.usesImage ? "; without any, the item's only image is used" : ''}`,
		displayOptions: { ...displayOptions, show: { ...displayOptions?.show, ...forTask(task).show } },
	};
}

/** The fields that each task has of its own. */
export const taskFields: INodeProperties[] = TASKS.flatMap((task) => [
	modelField(task),
	promptField(task),
	filesField(task),
]);

/** The form, or what stands in its place. */
export const formFields: INodeProperties[] = [parametersFormField, parametersNotice];

function usesImage({ context }: Session, itemIndex: number): boolean {
	const [resource, operation] = ['resource', 'operation'].map((name) =>
		context.getNodeParameter(name, itemIndex, ''),
	);
	return taskOf(resource, operation)?.usesImage === true;
}

/** Reads what an item asks for. @throws SegmindFailure naming the parameter, before any call */
export function readGeneration(
	session: Session,
	itemIndex: number,
	presentation: Presentation,
): Generation {
	const { context, client } = session;
	const isOneCall = readAnswerInOneCall(context, itemIndex);
	const slug = textIn(context.getNodeParameter('model', itemIndex, '', { extractValue: true }));
	const path = `/${isOneCall ? 'v1' : 'v2'}/${pathSegment(slug, 'Model')}`;
	return {
		itemIndex,
		responds: isOneCall ? 'output' : 'reference',
		url: joinUrl(client.urls.baseUrl, path),
		subject: `model '${slug}'`,
		slug,
		label: { model: slug },
		isWorkflow: false,
		publishedCost: findModel(slug)?.cost,
		// One call answers with the output itself: there is nothing to come back for.
		waits: isOneCall || readWaitForCompletion(context, itemIndex),
		inputs: readInputs(session, itemIndex, { slug, usesImage: usesImage(session, itemIndex) }),
		presentation,
	};
}
