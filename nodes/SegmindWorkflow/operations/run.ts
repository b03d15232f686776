import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { simplifyField, waitForCompletionField } from '../../shared/descriptions/requests';
import { generate, readPresentation } from '../../shared/request/operations/generate';
import type { Session } from '../../shared/run/session';
import { readGeneration, workflowFields } from '../workflow';

export const description: INodeProperties[] = showForOperation('run', [
	...workflowFields,
	waitForCompletionField,
	simplifyField,
	optionsField(OPTION_SETS.workflow),
]);

/** Sends POST {baseUrl}/workflows/v2/{slug}, then polls until the run has ended (docs/service.md S150). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const presentation = readPresentation(session, itemIndex);
	return await generate(session, readGeneration(session, itemIndex, presentation));
}
