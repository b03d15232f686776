import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { forOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { submitOnly } from '../../shared/request/generation';
import { readOptions } from '../../shared/run/options';
import type { Session } from '../../shared/run/session';
import { readGeneration } from '../model';

export const description: INodeProperties[] = forOperation('submit', [
	optionsField(OPTION_SETS.submit),
]);

/** POST {baseUrl}/v2/{model} (docs/service.md S80). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return await submitOnly(
		session,
		readGeneration(session, itemIndex, 'v2'),
		readOptions(session.context, itemIndex),
	);
}
