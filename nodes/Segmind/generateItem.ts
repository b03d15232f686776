import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { findModel } from '../shared/catalogue';
import { slugIn } from '../shared/catalogue/slug';
import { TASK_RESOURCES, findTask } from '../shared/catalogue/tasks';
import {
	MAKING_OPTIONS,
	optionsField,
	readOption,
	REQUEST_OPTIONS,
	RUN_OPTIONS,
} from '../shared/descriptions/options';
import { wrongInput } from '../shared/errors/failures';
import { generate } from '../shared/request/operations/generate';
import { readSubmission } from '../shared/request/submission';
import type { Item } from '../shared/run/item';
import { joinUrl, pathSegment } from '../shared/service/addresses';
import { formFields, taskFields } from './modelFields';
import { addOtherTaskHint } from './otherTask';

export const generateFields: INodeProperties[] = [
	// These fields have display options for one resource each, which updateDisplayOptions would overwrite.
	...taskFields,
	...updateDisplayOptions(
		{ show: { resource: [...TASK_RESOURCES] }, hide: { operation: ['getMany'] } },
		[
			...formFields,
			// One call responds with the output itself, so there is nothing to wait for.
			...updateDisplayOptions({ hide: { '/options.answerInOneCall': [true] } }, [
				RUN_OPTIONS.waitForCompletion.field,
			]),
			MAKING_OPTIONS.simplify.field,
			optionsField('model'),
		],
	),
];

/** Sends POST {baseUrl}/v2/{model} and polls until the request has ended, or sends POST {baseUrl}/v1/{model} (docs/service.md S60, S80). */
export async function generateItem(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const { baseUrl } = run.client.urls;
	const isInOneCall = readOption(parameters, REQUEST_OPTIONS.answerInOneCall);
	const slug = slugIn(parameters.text('model'), baseUrl);
	const path = `/${isInOneCall ? 'v1' : 'v2'}/${pathSegment(slug, parameters.label('model'))}`;
	const task = findTask(parameters.value('resource'), parameters.value('operation'));
	if (task?.question) assertLanguageModel(item, slug);
	const submission = await readSubmission(item, {
		url: joinUrl(baseUrl, path),
		slug,
		isWorkflow: false,
		responds: isInOneCall ? 'output' : 'reference',
		task,
	});
	addOtherTaskHint(item, task, slug);
	return await generate(item, submission);
}

/** @throws SegmindFailure for a built-in model of another kind. Of any other model, what is known depends on what this process has read by chance. */
function assertLanguageModel({ parameters }: Item, slug: string): void {
	const kind = findModel(slug)?.kind;
	if (kind === undefined || kind === 'text') return;
	const wanted = 'a language model that sees images, such as gpt-5.4-mini';
	throw wrongInput(parameters.label('model'), slug, wanted);
}
