import type { INodeExecutionData } from 'n8n-workflow';

import { readBalance } from '../../shared/run/balance';
import type { Session } from '../../shared/run/session';

/** GET {baseUrl}/v1/get-user-credits (docs/service.md S42; free). */
export async function execute(session: Session): Promise<INodeExecutionData> {
	return { json: { ...(await readBalance(session)) } };
}
