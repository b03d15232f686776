import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';

import { findModel } from '../shared/catalogue';
import { arrangedItems, readArrangement } from '../shared/output/arrangement';
import { OPTION_SETS, optionsField } from '../shared/descriptions/optionFields';
import { simplifyField, waitForCompletionField } from '../shared/descriptions/requestFields';
import { generate, readPresentation } from '../shared/request/operations/generate';
import { readOptions } from '../shared/run/readOptions';
import type { Item } from '../shared/run/item';
import { formFields, readModelSubmission, taskFields, readTask } from './modelFields';
import { TASK_RESOURCES } from '../shared/catalogue/tasks';

export const generateFields: INodeProperties[] = [
	// These fields have display options for one resource each, which updateDisplayOptions would overwrite.
	...taskFields,
	...updateDisplayOptions(
		{ show: { resource: [...TASK_RESOURCES] }, hide: { operation: ['getMany'] } },
		[
			...formFields,
			// One call responds with the output itself, so there is nothing to wait for.
			...updateDisplayOptions({ hide: { '/options.answerInOneCall': [true] } }, [
				waitForCompletionField,
			]),
			simplifyField,
			optionsField(OPTION_SETS.model),
		],
	),
];

/** Sends POST {baseUrl}/v2/{model} and polls until the request has ended, or sends POST {baseUrl}/v1/{model} (docs/service.md S60, S80). */
export async function generateItem(item: Item): Promise<INodeExecutionData[]> {
	const options = readOptions(item);
	const presentation = readPresentation(item, options);
	const task = readTask(item);
	const arrangement = readArrangement(item, task?.keepsFiles);
	const submission = await readModelSubmission(item, options, presentation);
	const output = await generate(item.run, submission);
	return arrangedItems(item, output, arrangement, findModel(submission.slug)?.kind ?? task?.makes);
}
