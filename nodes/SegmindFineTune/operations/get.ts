import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { renameError } from '../../shared/output/finishedItem';
import type { Session } from '../../shared/run/session';
import { fineTuneIdField, fetchJobDetails, readFineTuneId } from '../fineTune';

export const description: INodeProperties[] = showForResourceOperation('job', 'get', [
	fineTuneIdField,
]);

/** GET {baseUrl}/finetune/request/details with a JSON body (docs/service.md S341). A failed job is a successful item. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return { json: renameError(await fetchJobDetails(session, readFineTuneId(session, itemIndex))) };
}
