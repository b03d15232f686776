import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { jsonOf } from '../service/responses';
import { unusableFailure } from '../service/responseErrors';
import type { Client } from '../service/client';
import type { HttpResponse } from '../service/http';
import { isObject, listIn } from '../service/schemas';
import { renameError } from './outputFields';

/**
 * Makes the items of a list response whose shape isn't published: from an array, or from the first list of objects inside an object, at most two levels
 * deep. A response without such a list becomes one item, and an empty list becomes none.
 * @throws SegmindFailure if the response is neither a list nor an object
 */
export function listedItems(
	client: Client,
	response: HttpResponse,
	subject: string,
): INodeExecutionData[] {
	const body = jsonOf(response);
	if (!Array.isArray(body) && !isObject(body))
		throw unusableFailure(client, response, { purpose: 'manage', subject });
	const list = listIn(body);
	if (list === undefined) return [{ json: renameError(body as Record<string, unknown>) }];
	return list.map((entry) => ({
		json: isObject(entry) ? renameError(entry) : { value: entry as IDataObject['value'] },
	}));
}

/**
 * Makes the item of a response whose shape isn't published: `known` fields first, then the response. `done` names a member, such as `deleted`, that is true
 * unless the response contains an error. The item never has only a `message`, because n8n would take that for a failed item (docs/n8n.md N133).
 */
export function managedItem(
	known: IDataObject,
	done: string,
	response: HttpResponse | undefined,
): INodeExecutionData {
	if (!response) return { json: { ...known, [done]: true } };
	const body = jsonOf(response);
	const hasFailed =
		isObject(body) &&
		(Boolean(body.error) || [false, 'false', 'False'].includes(body.success as string));
	const text = response.body.toString('utf8').trim();
	const shown = text === '' ? {} : { response: (body ?? text) as IDataObject['response'] };
	const members = isObject(body) ? renameError(body) : shown;
	return { json: { ...known, ...(hasFailed ? {} : { [done]: true }), ...members } };
}

/** Whether the service itself made a response: JSON, plain text or nothing, but not a gateway's page. */
export function isServiceResponse(response: HttpResponse): boolean {
	return jsonOf(response) !== undefined || !/^\s*</.test(response.body.toString('utf8', 0, 1_000));
}
