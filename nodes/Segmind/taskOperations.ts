import type { IDisplayOptions } from 'n8n-workflow';

import { TASK_RESOURCES, TASKS, type Task } from '../shared/catalogue/tasks';
import type { ItemWork } from '../shared/items/runItems';
import { resultOutput } from '../shared/descriptions/outputs';
import type { Operation, Operations } from '../shared/items/operations';

/** Returns the operations of all tasks by resource. All of them have the same work. */
export function taskOperations(execute: ItemWork): Record<string, Operations> {
	const rowsOf = (resource: Task['resource']) =>
		TASKS.filter((task) => task.resource === resource).map((task): [string, Operation] => {
			const { operation, name, action, description, makes } = task;
			const output = OUTPUTS[makes ?? 'any'];
			return [operation, { name, action, description, output, execute }];
		});
	return Object.fromEntries(
		TASK_RESOURCES.map((resource) => [resource, Object.fromEntries(rowsOf(resource))]),
	);
}

const FILE_OUTPUT = resultOutput('url');
const TEXT_OUTPUT = resultOutput('text');
/** The output of a task by the kind of its models. */
const OUTPUTS = {
	image: FILE_OUTPUT,
	imageEdit: FILE_OUTPUT,
	video: FILE_OUTPUT,
	audio: FILE_OUTPUT,
	text: TEXT_OUTPUT,
	transcript: TEXT_OUTPUT,
	any: resultOutput('url', 'text'),
};

/** Returns the name of a task in the editor, such as `Image: Edit`. */
export function titleOf({ resource, name }: Task): string {
	return `${RESOURCE_NAMES[resource]}: ${name}`;
}

/** Shows fields for one task only. */
export function showForTask({ resource, operation }: Task): IDisplayOptions {
	return { show: { resource: [resource], operation: [operation] } };
}

/** The names of the resources in the editor, the default first. */
export const RESOURCE_NAMES: Record<Task['resource'] | 'request', string> = {
	image: 'Image',
	model: 'Any Model',
	audio: 'Audio',
	request: 'Request',
	text: 'Text',
	video: 'Video',
};
