import type { INodeParameters, IPollFunctions } from 'n8n-workflow';

import { shown } from '../shared/base/redact';
import { CAUSES } from '../shared/errors/errorTable';
import { failureOf } from '../shared/errors/failures';
import { textIn } from '../shared/inputs/values';
import { isObject } from '../shared/service/schemas';

/** A workflow that runs a model when any request of the account finishes would start itself for ever, and each round is charged. */

/** Operations of the node Segmind that send no request. */
const READS = 'request';

/**
 * Checks the nodes after the trigger. It can't see agent tools, sub-workflows and loops across workflows (docs/triggers.md).
 * @throws SegmindFailure if one of them may start the workflow again, and the option Allow Self-Start is off
 */
export function assertNoSelfStart(context: IPollFunctions): void {
	const watches =
		textIn(context.getNodeParameter('event')) === 'requestFinished' &&
		context.getNodeParameter('watch', 'account') === 'account';
	if (!watches || context.getNodeParameter('options.allowSelfStart', false) === true) return;
	const watched = textIn(context.getNodeParameter('model', '', { extractValue: true }));
	const following = context.getChildNodes(context.getNode().name, { includeNodeParameters: true });
	const starter = following.find(
		({ type, disabled, parameters = {} }) => !disabled && mayRun(watched, type, parameters),
	);
	if (starter) throw failureOf('badInput', CAUSES.selfStart, { node: shown(starter.name) });
}

/** True for a node that may run the watched model or workflow; `watched` is empty if all of them are watched. */
function mayRun(watched: string, type: string, parameters: INodeParameters): boolean {
	const run = runBy(type.split('.').pop() ?? '', parameters);
	if (run === undefined) return false;
	// The model of another item may be any.
	const isUnknown = run === '' || run.startsWith('=');
	return watched === '' || isUnknown || run.toLowerCase() === watched.toLowerCase();
}

/** The model or workflow that a node runs, as it is written there; undefined if it runs none. */
function runBy(type: string, parameters: INodeParameters): string | undefined {
	const { resource, operation = 'run', model, slug } = parameters;
	if (type === 'segmind' && resource !== READS)
		return textIn(isObject(model) && 'value' in model ? model.value : model);
	return type === 'segmindWorkflow' && operation === 'run' ? textIn(slug) : undefined;
}
