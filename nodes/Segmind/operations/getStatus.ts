import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { requestField } from '../../shared/descriptions/requests';
import { getStatus } from '../../shared/request/operations/getStatus';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = showForResourceOperation('request', 'getStatus', [
	requestField,
]);

/** GET {status_url} (docs/service.md S94). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await getStatus(session, itemIndex);
}
