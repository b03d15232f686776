import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { simplifyField } from '../../shared/descriptions/requests';
import { runToEnd } from '../../shared/request/generation';
import { withLongRunHint } from '../../shared/request/longRunHint';
import { readPresentation } from '../../shared/request/presentation';
import type { Session } from '../../shared/run/session';
import { readGeneration } from '../workflow';

export const description: INodeProperties[] = forOperation('run', [
	simplifyField,
	optionsField(OPTION_SETS.run),
]);

/** POST {baseUrl}/workflows/v2/{slug}, then polled to its end (docs/service.md S150). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const generation = readGeneration(session, itemIndex);
	const presentation = readPresentation(session, itemIndex);
	return await withLongRunHint(
		session,
		async () => await runToEnd(session, generation, presentation),
	);
}
