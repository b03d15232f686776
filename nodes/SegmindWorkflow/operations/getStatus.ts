import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { requestField } from '../../shared/descriptions/requests';
import { getStatus } from '../../shared/request/operations/getStatus';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = showForOperation('getStatus', [requestField]);

/** GET {poll_url} or {status_url} (docs/service.md S154). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await getStatus(session, itemIndex);
}
