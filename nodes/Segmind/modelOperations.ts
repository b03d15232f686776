import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { CatalogueParameter } from '../shared/catalogue';
import { findModels } from '../shared/catalogue/modelPicker';
import {
	choiceField,
	collectionField,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields, readItemLimit } from '../shared/descriptions/limit';
import type { Operations } from '../shared/items/operations';
import { dropUndefined } from '../shared/output/outputFields';
import type { Item } from '../shared/run/item';
import { TASKS } from '../shared/catalogue/tasks';
import { titleOf } from './taskOperations';

/** The tasks by the value of the field Task. The one that runs any model lists them all. */
const TASKS_BY_VALUE = new Map(
	TASKS.map((task) => [task.makes ? `${task.resource}.${task.operation}` : 'any', task]),
);

const taskChoices = [...TASKS_BY_VALUE]
	.map(([value, task]): [string, string] => [value, task.makes ? titleOf(task) : 'Any'])
	.sort(([, one], [, other]) => one.localeCompare(other));

/** The operations of Any Model that run none. */
export const models: Operations = {
	/** GET {endpointAdminUrl}/inference-model-information/list (docs/service.md S280) and the list of prices (S284), at most once in five minutes. */
	getMany: {
		name: 'Get Many',
		description: 'List models with their average cost and time, at no charge',
		action: 'Get many models',
		fields: [
			choiceField('task', 'Task', 'The task that the models perform', taskChoices, 'any'),
			textField(
				'search',
				'Search',
				'Words that the name, the slug or what the model does must contain, as in the list of Model. Leave it empty for all models.',
				{ placeholder: 'e.g. lip sync' },
			),
			...limitFields,
			collectionField('options', 'Options', 'Add Option', [
				switchField(
					'includeParameters',
					'Include Parameters',
					'Whether to include the parameters of each model, in a field named <code>parameters</code>',
				),
			]),
		],
		output: {
			name: 'string',
			slug: 'string',
			makes: 'string',
			average_cost: 'number',
			average_seconds: 'number',
		},
		execute: getManyModels,
	},
};

async function getManyModels(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const task = parameters.choice('task', [...TASKS_BY_VALUE.keys()]);
	const search = parameters.text('search');
	const hasParameters = parameters.isOn('options.includeParameters');
	const limit = readItemLimit(parameters);
	const found = await findModels(run.context, search, TASKS_BY_VALUE.get(task) ?? {});
	return found.slice(0, limit).map((model) => {
		const { slug, title, kind, cost, latencySeconds, parameters: known } = model;
		const json = {
			name: title,
			slug,
			makes: kind,
			average_cost: cost,
			average_seconds: latencySeconds,
			parameters: hasParameters ? known.flatMap(parameterItem) : undefined,
		};
		return { json: dropUndefined(json) };
	});
}

/** Returns what a workflow needs to fill in a parameter; nothing for a hidden one. */
function parameterItem({ hidden, ...parameter }: CatalogueParameter): IDataObject[] {
	if (hidden) return [];
	const { name, type, list, choices, default: value, min, max } = parameter;
	const required = parameter.required === true || undefined;
	return [dropUndefined({ name, type, list, required, choices, default: value, min, max })];
}
