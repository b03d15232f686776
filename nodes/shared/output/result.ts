import type { IDataObject } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { isObject } from '../service/schemas';
import type { InlineFile } from './inlineFiles';

/** The result of a completed request, as it arrived. */
export interface Result {
	kind: 'completed';
	/** From its request (v2, workflows), from the request history, or from the response to a v1 call. */
	from: 'request' | 'history' | 'oneCall';
	/** The members of the response. A v1 response that is a text or a list is the member `output`. */
	body: Record<string, unknown>;
	/** Whether the response wasn't declared as JSON (v1), so that a model may have written all of `body`. */
	isText?: boolean;
	/** Values of the headers of a v1 response, under their output names. */
	headers: IDataObject;
	/** Files that came as bytes instead of JSON (v1). */
	files: InlineFile[];
}

export function resultOfRequest(body: Record<string, unknown>): Result {
	return { kind: 'completed', from: 'request', body, headers: {}, files: [] };
}

export function resultOfHistory(body: Record<string, unknown>): Result {
	return { kind: 'completed', from: 'history', body, headers: {}, files: [] };
}

/** Returns what a result says about its request in the headers of a v1 response, else in its metrics, else in its members. */
export function reportedFact(
	{ body, headers }: Result,
	name: 'cost' | 'remaining_credits' | 'seed',
): unknown {
	const metrics = isObject(body.metrics) ? body.metrics : {};
	return [headers, metrics, body].find((source) => Object.hasOwn(source, name))?.[name];
}

/** Returns the reported cost of a result in USD. */
export function reportedCost(result: Result): number | undefined {
	return numberIn(reportedFact(result, 'cost'));
}
