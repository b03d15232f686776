import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { cut } from '../shared/base/text';
import { isSameModel, slugIn } from '../shared/catalogue/slug';
import {
	choiceField,
	collectionField,
	switchField,
	textField,
} from '../shared/descriptions/fields';
import { limitFields, readItemLimit } from '../shared/descriptions/limit';
import type { Operations } from '../shared/items/operations';
import { periodFields, readPeriod } from '../shared/inputs/period';
import { resultOutput, STATUS_OUTPUT } from '../shared/descriptions/outputs';
import { getResultFields, requestField } from '../shared/descriptions/requestFields';
import { dropUndefined } from '../shared/output/outputFields';
import { hintAtUnreadable, historyItem } from '../shared/output/historyItem';
import { getResult } from '../shared/request/operations/getResult';
import { getStatus } from '../shared/request/operations/getStatus';
import type { Item } from '../shared/run/item';
import { readRequests } from '../shared/service/historyRequests';

/** The statuses of a request in the history. */
const STATUSES = ['COMPLETED', 'FAILED', 'PROCESSING'] as const;

/** The operations of the resource Request. */
export const requests: Operations = {
	/** GET {status_url} until the request has ended, then GET {response_url}. */
	getResult: {
		name: 'Get Result',
		description: 'Wait for an earlier request and get its result, at no charge',
		action: 'Get the result of a request',
		fields: getResultFields,
		output: resultOutput('url', 'text'),
		execute: async (item) => await getResult(item, 'model'),
	},
	/** GET {status_url}. */
	getStatus: {
		name: 'Get Status',
		description: 'Check whether a request has finished',
		action: 'Get the status of a request',
		fields: [requestField],
		output: STATUS_OUTPUT,
		execute: getStatus,
	},
	getMany: {
		name: 'Get Many',
		description:
			"List the requests of the account, with model, status, cost and file. This reads the request history, which isn't officially documented.",
		action: 'Get many requests',
		fields: [
			...periodFields,
			...limitFields,
			collectionField('filters', 'Filters', 'Add Filter', [
				textField(
					'model',
					'Model',
					'Return only requests to this model or workflow: its slug, or the URL of its page',
					{ placeholder: 'e.g. nano-banana' },
				),
				choiceField(
					'status',
					'Status',
					'Return only requests with this status',
					[
						['COMPLETED', 'Completed'],
						['FAILED', 'Failed'],
						['PROCESSING', 'Unfinished'],
					],
					'COMPLETED',
				),
			]),
			collectionField('options', 'Options', 'Add Option', [
				switchField(
					'includeRequestBody',
					'Include Request Body',
					'Whether to include everything that was sent with each request, in a field named <code>request_body</code>',
				),
			]),
		],
		output: {
			url: 'string',
			request_id: 'string',
			status: 'string',
			model: 'string',
			cost: 'number',
			latency_ms: 'number',
			created_at: 'string',
		},
		execute: getManyRequests,
	},
};

/** Longest prompt of a request in the output for an agent. */
const MAX_AGENT_PROMPT_CHARS = 200;

/** Keeps only the fields that an agent needs to recognize a request and get its result. */
function requestForAgent(json: IDataObject, includeBody: boolean): IDataObject {
	const { url, urls, prompt, request_id, status, model, cost, created_at, error_message } = json;
	return dropUndefined({
		url,
		urls,
		prompt: typeof prompt === 'string' ? cut(prompt, MAX_AGENT_PROMPT_CHARS) : undefined,
		request_id,
		status,
		model,
		cost,
		created_at,
		error_message,
		request_body: includeBody ? json.request_body : undefined,
	});
}

/** GET {endpointAdminUrl}/inference-request/request-history, page after page, newest first. */
async function getManyRequests(item: Item): Promise<INodeExecutionData[]> {
	const { run, parameters } = item;
	const period = readPeriod(item);
	const model = slugIn(parameters.text('filters.model'), run.client.urls.baseUrl);
	const status = parameters.optionalChoice('filters.status', STATUSES) ?? '';
	const includeBody = parameters.isOn('options.includeRequestBody');
	const maxRequests = readItemLimit(item.parameters);
	const { requests, unreadable } = await readRequests(run.client, period, {
		matches: (row) => model === '' || isSameModel(row.model_name ?? '', model),
		status,
		maxRequests,
	});
	hintAtUnreadable(item, unreadable);
	return [...requests].slice(0, maxRequests).map(([id, rows]) => {
		const json = historyItem(id, rows, includeBody);
		return { json: run.isTool ? requestForAgent(json, includeBody) : json };
	});
}
