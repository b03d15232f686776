import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import {
	requestField,
	simplifyField,
	waitForCompletionField,
} from '../../shared/descriptions/requests';
import { fetchToEnd } from '../../shared/request/generation';
import { readPresentation } from '../../shared/request/presentation';
import { readRequest } from '../../shared/request/requestParameter';
import type { Session } from '../../shared/run/session';

export const description: INodeProperties[] = forOperation('getResult', [
	requestField,
	waitForCompletionField,
	simplifyField,
	optionsField(OPTION_SETS.getResult),
]);

/** GET {status_url} until it has ended, then GET {response_url} (specification, Inference). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const ref = readRequest(session, itemIndex);
	const waitForCompletion =
		session.context.getNodeParameter('waitForCompletion', itemIndex, true) !== false;
	const label = ref.model === undefined ? {} : { model: ref.model };
	return await fetchToEnd(
		session,
		{ itemIndex, ref, label, isWorkflow: false, waitForCompletion },
		readPresentation(session, itemIndex),
	);
}
