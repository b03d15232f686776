import type { IDisplayOptions, INodeProperties } from 'n8n-workflow';

import { TASK_RESOURCES, TASKS, type Task } from '../shared/catalogue/tasks';
import type { ItemWork } from '../shared/items/runItems';
import { resultOutput } from '../shared/descriptions/requestFields';
import type { Operation, Operations } from '../shared/descriptions/operations';

/** Returns the operations of all tasks by resource. All of them have the same work. */
export function taskOperations(execute: ItemWork): Record<string, Operations> {
	const rowsOf = (resource: Task['resource']) =>
		TASKS.filter((task) => task.resource === resource).map((task): [string, Operation] => {
			const { operation, name, action, description, makes } = task;
			return [operation, { name, action, description, output: OUTPUTS[makes ?? 'any'], execute }];
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

const RESOURCE_NAMES: Record<Task['resource'] | 'request', string> = {
	model: 'Any Model',
	audio: 'Audio',
	image: 'Image',
	request: 'Request',
	text: 'Text',
	video: 'Video',
};

export const resourceField: INodeProperties = {
	displayName: 'Resource',
	name: 'resource',
	type: 'options',
	noDataExpression: true,
	options: Object.entries(RESOURCE_NAMES).map(([value, name]) => ({ name, value })),
	default: 'image',
};

/** Returns the Operation dropdown of each resource. `models`: the operations of Any Model that run none. */
export function operationFields(models: Operations): INodeProperties[] {
	return TASK_RESOURCES.map((resource) => {
		const tasks = TASKS.filter((task) => task.resource === resource);
		const [{ operation: first }] = tasks;
		const choices = [
			...tasks.map((task) => ({ ...task, value: task.operation })),
			...Object.entries(resource === 'model' ? models : {}).map(([value, row]) => ({
				...row,
				value,
			})),
		];
		return {
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: choices
				.map(({ name, value, description, action }) => ({ name, value, description, action }))
				.sort((one, other) => one.name.localeCompare(other.name)),
			default: first,
		};
	});
}
