import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { getResultFields } from '../../shared/descriptions/requests';
import { getResult } from '../../shared/request/operations/getResult';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = showForResourceOperation(
	'request',
	'getResult',
	getResultFields,
);

/** GET {status_url} until the request has ended, then GET {response_url} (docs/service.md S94, S104). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await getResult(session, itemIndex, 'model');
}
