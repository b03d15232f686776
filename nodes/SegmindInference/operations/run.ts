import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { simplifyField } from '../../shared/descriptions/requests';
import { runToEnd } from '../../shared/request/generation';
import { withLongRunHint } from '../../shared/request/longRunHint';
import { readPresentation } from '../../shared/request/presentation';
import { runV1 } from '../../shared/request/runV1';
import type { Session } from '../../shared/run/session';
import { readGeneration } from '../model';

export const description: INodeProperties[] = forOperation('run', [
	{
		displayName: 'API Version',
		name: 'apiVersion',
		type: 'options',
		options: [
			{
				name: 'V2 (Asynchronous)',
				value: 'v2',
				description: 'Submits and waits; right for every model and any duration',
			},
			{
				name: 'V1 (One Call)',
				value: 'v1',
				description: 'One call that answers with the output; for models that take a few seconds',
			},
		],
		default: 'v2',
		description: 'Which of the two APIs to use',
	},
	simplifyField,
	optionsField(OPTION_SETS.run),
]);

/** POST {baseUrl}/v2/{model}, then polled to its end; or POST {baseUrl}/v1/{model} (docs/service.md S60, S80). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const apiVersion =
		session.context.getNodeParameter('apiVersion', itemIndex, 'v2') === 'v1' ? 'v1' : 'v2';
	const presentation = readPresentation(session, itemIndex);
	const generation = readGeneration(session, itemIndex, apiVersion);
	const work = apiVersion === 'v1' ? runV1 : runToEnd;
	return await withLongRunHint(session, async () => await work(session, generation, presentation));
}
