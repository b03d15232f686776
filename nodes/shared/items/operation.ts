import type { IExecuteFunctions } from 'n8n-workflow';

import { capitalize } from '../base/text';
import { wrongInput } from '../errors/failures';

/**
 * Returns the chosen operation of a node. If there is no such operation, for example because of an expression, the returned one fails for each item.
 * `names`: the parameters that choose the operation, the outer one first.
 */
export function operationOf<Work>(
	context: IExecuteFunctions,
	operations: object,
	names: string[] = ['operation'],
): Work {
	let found: unknown = operations;
	for (const name of names) {
		const value: unknown = context.getNodeParameter(name, 0);
		const isKnown = typeof value === 'string' && Object.hasOwn(found as object, value);
		if (!isKnown) return unknownOperation(name, value, Object.keys(found as object)) as Work;
		found = (found as Record<string, unknown>)[value];
	}
	return (found as { execute: Work }).execute;
}

function unknownOperation(name: string, value: unknown, choices: string[]) {
	const wanted = `one of ${choices.join(', ')}`;
	return async () => await Promise.reject(wrongInput(capitalize(name), value, wanted));
}
