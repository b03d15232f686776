import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { simplifyField } from '../../shared/descriptions/requests';
import { runToEnd } from '../../shared/request/generation';
import { readPresentation } from '../../shared/request/presentation';
import type { Session } from '../../shared/run/session';
import { readGeneration } from '../workflow';

export const description: INodeProperties[] = forOperation('run', [
	simplifyField,
	optionsField(OPTION_SETS.run),
]);

/** POST {baseUrl}/workflows/v2/{slug}, then polled to its end (docs/service.md S150). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await runToEnd(
		session,
		readGeneration(session, itemIndex),
		readPresentation(session, itemIndex),
	);
}
