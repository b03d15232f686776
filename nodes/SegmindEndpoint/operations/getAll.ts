import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { limitFields, limitEntries } from '../../shared/descriptions/limit';
import { listedItems } from '../../shared/output/managedItems';
import { readManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { ENDPOINT_HEADERS, endpointUrl, readEnvironment } from '../environment';

export const description: INodeProperties[] = showForOperation('getAll', limitFields);

/** GET {endpointAdminUrl}/endpoint/list (docs/service.md S320). One call per run and environment. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const environment = readEnvironment(session, itemIndex);
	const subject = 'the list of endpoints';
	const response = await session.memoize(
		`endpoints ${environment}`,
		async () =>
			await readManaged(
				session,
				{
					method: 'GET',
					url: endpointUrl(session, environment, '/endpoint/list'),
					headers: ENDPOINT_HEADERS,
				},
				subject,
			),
	);
	return limitEntries(session, itemIndex, listedItems(session.client, response, subject));
}
