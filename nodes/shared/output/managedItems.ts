import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { jsonOf } from '../service/responses';
import { unusableFailure } from '../service/responseErrors';
import type { Client } from '../service/client';
import type { HttpResponse } from '../service/http';
import { isObject, listIn } from '../service/schemas';
import { renameError } from './finishedItem';

/**
 * The items of a list response of unpublished shape: an array, or the first list of objects inside an object, at most two levels deep. A response
 * without such a list is one item itself, unless it's an empty list.
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
 * A response of unpublished shape as an item: what is known already, then the response. `done` names the action, such as `deleted`, and is true
 * unless the response contains an error. There is never only a `message`, which n8n would take for a failed item (docs/n8n.md N133).
 */
export function managedItem(
	known: IDataObject,
	done: string,
	response: HttpResponse,
): INodeExecutionData {
	const body = jsonOf(response);
	const members = isObject(body) ? renameError(body) : undefined;
	const failed = isObject(body) && (Boolean(body.error) || isFalse(body.success));
	const text = response.body.toString('utf8').trim();
	return {
		json: {
			...known,
			...(failed ? {} : { [done]: true }),
			...(members ?? (text === '' ? {} : { response: (body ?? text) as IDataObject['response'] })),
		},
	};
}

function isFalse(value: unknown): boolean {
	return value === false || (typeof value === 'string' && /^false$/i.test(value));
}

/** Whether the service itself made a response: JSON, a plain text or nothing, but not a gateway's page. */
export function isServiceResponse(response: HttpResponse): boolean {
	return jsonOf(response) !== undefined || !/^\s*</.test(response.body.toString('utf8', 0, 1_000));
}
