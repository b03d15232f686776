import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { getResultFields } from '../../shared/descriptions/requests';
import { getResult } from '../../shared/request/operations/getResult';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = showForOperation('getResult', getResultFields);

/** GET {poll_url} or {status_url} until the run has ended, then GET {response_url} (docs/service.md S154). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await getResult(session, itemIndex, 'workflow');
}
