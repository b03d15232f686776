import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { cut } from '../../shared/base/text';
import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { limitFields, limitEntries, readLimit } from '../../shared/descriptions/limit';
import { textIn } from '../../shared/inputs/values';
import { dropUndefined } from '../../shared/output/finishedItem';
import {
	periodFields,
	hintAtUnreadable,
	historyItem,
	historyStatus,
	readPeriod,
	readRequests,
} from '../../shared/output/historyRequests';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = showForResourceOperation('request', 'getMany', [
	...periodFields,
	...limitFields,
	{
		displayName: 'Filters',
		name: 'filters',
		type: 'collection',
		placeholder: 'Add filter',
		default: {},
		options: [
			{
				displayName: 'Model',
				name: 'model',
				type: 'string',
				default: '',
				placeholder: 'e.g. nano-banana',
				description: 'Return only requests to the model or workflow with this slug',
			},
			{
				displayName: 'Status',
				name: 'status',
				type: 'options',
				options: [
					{ name: 'Completed', value: 'COMPLETED' },
					{ name: 'Failed', value: 'FAILED' },
					{ name: 'Unfinished', value: 'PROCESSING' },
				],
				default: 'COMPLETED',
				description: 'Return only requests with this status',
			},
		],
	},
	{
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: [
			{
				displayName: 'Include Request Body',
				name: 'includeRequestBody',
				type: 'boolean',
				default: false,
				description:
					'Whether to include everything that was sent with each request, in a field named <code>request_body</code>',
			},
		],
	},
]);

/** Longest prompt of a request in the output for an agent. */
const MAX_AGENT_PROMPT_CHARS = 200;

/** Keeps only the fields that an agent needs to recognize a request and get its result. */
function forAgent(json: IDataObject, includeBody: boolean): IDataObject {
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

/** GET {endpointAdminUrl}/inference-request/request-history, page after page, newest first (docs/service.md S260). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const { context, client } = session;
	const period = readPeriod(session, itemIndex);
	const filter = (name: string) =>
		textIn(context.getNodeParameter(`filters.${name}`, itemIndex, ''));
	const [model, status] = [filter('model'), filter('status')];
	const { requests, unreadable } = await readRequests(
		client,
		period,
		(row) =>
			(model === '' || row.model_name === model) &&
			(status === '' || historyStatus(row) === status),
		readLimit(session, itemIndex),
	);
	hintAtUnreadable(session, itemIndex, unreadable);
	const includeBody =
		context.getNodeParameter('options.includeRequestBody', itemIndex, false) === true;
	return limitEntries(session, itemIndex, [...requests]).map(([id, rows]) => {
		const json = historyItem(id, rows, includeBody);
		return { json: session.isTool ? forAgent(json, includeBody) : json };
	});
}
