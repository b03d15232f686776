import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { listedItems } from '../../shared/output/managedItems';
import { readManaged } from '../../shared/request/managedCalls';
import type { Session } from '../../shared/run/session';
import { endpointUrl, readEnvironment } from '../environment';

export const description: INodeProperties[] = forOperation('getAll', [
	optionsField(OPTION_SETS.free),
]);

/** GET {endpointAdminUrl}/endpoint/list (docs/service.md S320). One call a run and environment. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const environment = readEnvironment(session, itemIndex);
	const subject = 'the list of endpoints';
	const answer = await session.memoize(
		`endpoints ${environment}`,
		async () =>
			await readManaged(
				session,
				{ method: 'GET', url: endpointUrl(session, environment, '/endpoint/list') },
				subject,
			),
	);
	return listedItems(session.client, answer, subject);
}
