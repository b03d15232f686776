/** Prevents endless, charged loops: a workflow that starts when any request of the account finishes and that runs a model would start itself forever. */
import type { INodeParameters, IPollFunctions } from 'n8n-workflow';

import { isSameModel, slugIn, workflowIn } from '../shared/catalogue/slug';
import { TASKS, type Task } from '../shared/catalogue/tasks';
import { failureFrom } from '../shared/errors/failures';
import { say } from '../shared/errors/say';
import { textIn } from '../shared/parameters/values';
import { isObject } from '../shared/service/schemas';

/**
 * Checks the nodes after the trigger. It doesn't find agent tools, sub-workflows and loops across triggers or workflows (docs/triggers.md).
 * @param watched slug of the watched model or workflow; '' if all of them are watched
 * @throws SegmindFailure if one of them may start the workflow again, and the option Allow Self-Start is off
 */
export function assertNoSelfStart(context: IPollFunctions, watched: string): void {
	if (context.getNodeParameter('options.allowSelfStart', false) === true) return;
	const following = context.getChildNodes(context.getNode().name, { includeNodeParameters: true });
	const starter = following.find(
		({ type, disabled, parameters = {} }) => !disabled && mayRun(watched, type, parameters),
	);
	if (!starter) return;
	throw failureFrom('badInput', {
		// When a workflow is published, n8n shows only the message.
		what: say`Set Model to another model, set Watch to Listed Requests, move the node '${starter.name}' to a workflow of its own, or turn on the option Allow Self-Start. That node sends requests that this trigger watches, so the workflow would start itself again and again`,
		charge: 'none',
		next: say`Segmind would charge for each run of that node.`,
	});
}

/** Whether a node may run the watched model or workflow. */
function mayRun(watched: string, type: string, parameters: INodeParameters): boolean {
	const run = slugRunBy(type.split('.').pop() ?? '', parameters);
	if (run === undefined) return false;
	// An expression may choose any model.
	return watched === '' || run === '' || run.startsWith('=') || isSameModel(run, watched);
}

/** Returns the model or workflow that a node runs, according to its raw parameters; undefined if it runs none. */
function slugRunBy(type: string, parameters: INodeParameters): string | undefined {
	const { resource, operation, model, slug } = parameters;
	if (type === 'segmind' && TASKS.some((task) => mayChoose(task, resource, operation)))
		return slugIn(textIn(isObject(model) && 'value' in model ? model.value : model));
	if (type === 'segmindWorkflow' && canBe(operation, 'run')) return workflowIn(textIn(slug));
	return undefined;
}

/** Whether raw parameters may choose a task. */
function mayChoose(task: Task, resource: unknown, operation: unknown): boolean {
	return canBe(resource, task.resource) && canBe(operation, task.operation);
}

/** Whether a raw parameter can have this value. n8n takes the `=` off the expression of a dropdown, so anything but a plain word can have any value. */
function canBe(given: unknown, value: string): boolean {
	const isPlainWord = typeof given === 'string' && /^\w+$/.test(given);
	return !isPlainWord || given === value;
}
