import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { rawBody } from '../../shared/output/finished';
import type { Session } from '../../shared/run/session';
import { finetuneIdField, jobDetails, readFinetuneId } from '../fineTune';

export const description: INodeProperties[] = showForResourceOperation('job', 'get', [
	finetuneIdField,
]);

/** GET {baseUrl}/finetune/request/details with a JSON body (docs/service.md S341). A failed job is a good item. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	return { json: rawBody(await jobDetails(session, readFinetuneId(session, itemIndex))) };
}
