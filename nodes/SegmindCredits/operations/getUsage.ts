import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import {
	periodFields,
	hintAtUnreadable,
	readPeriod,
	readRequests,
} from '../../shared/output/historyRequests';
import type { Session } from '../../shared/run/session';
import { usageOf, type UsageGroup } from '../usage';

export const description: INodeProperties[] = showForOperation('getUsage', [
	...periodFields,
	{
		displayName: 'Group By',
		name: 'groupBy',
		type: 'options',
		options: [
			{ name: 'Day and Model', value: 'dayAndModel' },
			{ name: 'Model', value: 'model' },
			{ name: 'Total', value: 'total' },
		],
		default: 'dayAndModel',
		description: 'How to group the totals',
	},
]);

/** GET {endpointAdminUrl}/inference-request/request-history, page by page (docs/service.md S260). The pages are read once per run for the same dates. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const { context } = session;
	const period = readPeriod(session, itemIndex);
	const groupBy = context.getNodeParameter('groupBy', itemIndex, 'dayAndModel') as UsageGroup;
	const { requests, unreadable } = await session.memoize(
		`usage ${period.from} ${period.to}`,
		async () => await readRequests(session.client, period),
	);
	hintAtUnreadable(session, itemIndex, unreadable);
	const dayFormat = new Intl.DateTimeFormat('en-CA', { timeZone: context.getTimezone() });
	const usage = usageOf(requests, groupBy, (at) => dayFormat.format(at));
	return usage.map((sum) => ({ json: { ...sum } }));
}
