import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { requestField } from '../../shared/descriptions/requests';
import { reportStatus } from '../../shared/request/getResult';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = forOperation('getStatus', [
	requestField,
	optionsField(OPTION_SETS.getStatus),
]);

/** GET {status_url} (docs/service.md S94). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await reportStatus(session, itemIndex);
}
