import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { betweenFields, readBetween, requestsBetween } from '../../shared/output/historyRequests';
import type { Session } from '../../shared/run/session';
import { usageOf } from '../usage';

export const description: INodeProperties[] = forOperation('getUsage', betweenFields);

/** GET {endpointAdminUrl}/inference-request/request-history, page after page (docs/service.md S260). Once a run for the same dates. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const between = readBetween(session, itemIndex);
	const days = new Intl.DateTimeFormat('en-CA', { timeZone: session.context.getTimezone() });
	const usage = await session.memoize(`usage ${between.from} ${between.to}`, async () =>
		usageOf(await requestsBetween(session.client, between), (at) => days.format(at)),
	);
	return usage.map((sum) => ({ json: { ...sum } }));
}
