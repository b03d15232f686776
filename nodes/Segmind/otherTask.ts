/** Says that a built-in model isn't in the list of the chosen task: a hint of the node if the model is fixed, of the run if an expression sets it. */
import type { NodeHint } from 'n8n-workflow';

import { groupByKey } from '../shared/base/group';
import { catalogue, findModel, type CatalogueModel } from '../shared/catalogue';
import { doesTask } from '../shared/catalogue/modelPicker';
import { TASKS, type Task } from '../shared/catalogue/tasks';
import { CHOSEN_SLUG } from '../shared/descriptions/inputs';
import { say, whole } from '../shared/errors/say';
import type { Item } from '../shared/run/item';
import { titleOf } from './taskOperations';

/** Whether a task may list a model. An image model whose parameters aren't known may edit images, too. */
function mayDo(task: Task, model: CatalogueModel): boolean {
	const { kind, parameters } = model;
	const mayEdit = kind === 'image' && parameters.length === 0;
	return doesTask(task, model) || (mayEdit && task.makes === 'imageEdit');
}

/** Returns the values of the resource and the operation of each task that may list a model, such as `["image.edit","model.run"]`. */
function operationsFor(model: CatalogueModel): string {
	const tasks = TASKS.filter((task) => mayDo(task, model));
	return JSON.stringify(tasks.map(({ resource, operation }) => `${resource}.${operation}`));
}

/** Says what to choose instead, such as `Choose Image: Edit, or another model.` The task that runs any model is named only if no other one lists the model. */
function adviceFor(model: CatalogueModel): string {
	const tasks = TASKS.filter((task) => doesTask(task, model));
	const own = tasks.filter(({ makes }) => makes !== undefined);
	const titles = (own.length > 0 ? own : tasks).map(titleOf);
	return `Choose ${titles.join(' or ')}, or another model.`;
}

/** The text of a node's hint is fixed, so there is one for each set of operations. */
export const otherTaskHints: NodeHint[] = [
	...groupByKey(catalogue.map((model) => [operationsFor(model), model])),
].map(([operations, models]) => ({
	message: `The chosen model isn't in the list of this operation. ${adviceFor(models[0])}`,
	type: 'warning',
	location: 'ndv',
	whenToDisplay: 'always',
	displayCondition: `={{ ${JSON.stringify(models.map(({ slug }) => slug))}.includes(${CHOSEN_SLUG}) && !${operations}.includes($parameter.resource + "." + $parameter.operation) }}`,
}));

/** Adds the hint about a model that an expression sets. */
export function addOtherTaskHint(
	{ run, index, parameters }: Item,
	task: Task | undefined,
	slug: string,
): void {
	const model = parameters.isExpression('model') ? findModel(slug) : undefined;
	if (!task || !model || mayDo(task, model)) return;
	const text = say`model '${slug}' isn't in the list of this operation. ${whole(adviceFor(model))}`;
	run.events.addHint({ item: index, text });
}
