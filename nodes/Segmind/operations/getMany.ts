import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { limitFields, limited, readLimit } from '../../shared/descriptions/limit';
import { textIn } from '../../shared/inputs/values';
import {
	betweenFields,
	historyItem,
	historyStatus,
	readBetween,
	requestsBetween,
} from '../../shared/output/historyRequests';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = forResourceOperation('request', 'getMany', [
	...betweenFields,
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
				description: 'Only requests of the model or workflow with this slug',
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
				description: 'Only requests with this status',
			},
		],
	},
]);

/** GET {endpointAdminUrl}/inference-request/request-history, page after page, the newest first (docs/service.md S260). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const { context, client } = session;
	const between = readBetween(session, itemIndex);
	const filter = (name: string) =>
		textIn(context.getNodeParameter(`filters.${name}`, itemIndex, ''));
	const [model, status] = [filter('model'), filter('status')];
	const found = await requestsBetween(
		client,
		between,
		(row) =>
			(model === '' || row.model_name === model) &&
			(status === '' || historyStatus(row) === status),
		readLimit(session, itemIndex),
	);
	return limited(session, itemIndex, [...found]).map(([id, rows]) => ({
		json: historyItem(id, rows),
	}));
}
