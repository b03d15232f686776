import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import {
	requestField,
	simplifyField,
	waitForCompletionField,
} from '../../shared/descriptions/requests';
import { fetchToEnd } from '../../shared/request/getResult';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = forOperation('getResult', [
	requestField,
	waitForCompletionField,
	simplifyField,
	optionsField(OPTION_SETS.getResult),
]);

/** GET {poll_url} or {status_url} until it has ended, then GET {response_url} (docs/service.md S154). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await fetchToEnd(session, itemIndex, 'workflow');
}
