import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { readBoolean } from '../../shared/inputs/values';
import { managedItem } from '../../shared/output/managedItems';
import { changeManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { encodeForm, fineTuneUrl, fineTuneIdField, readFineTuneId } from '../fineTune';

export const description: INodeProperties[] = showForResourceOperation('job', 'updateAccess', [
	fineTuneIdField,
	{
		displayName: 'Segmind Public',
		name: 'segmindPublic',
		type: 'boolean',
		default: false,
		description: 'Whether everybody may use the trained model',
	},
]);

/** PUT {baseUrl}/finetune/request/access-update as a multipart form (docs/service.md S345). Repeating the call does no harm. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const finetune_id = readFineTuneId(session, itemIndex);
	const given = session.context.getNodeParameter('segmindPublic', itemIndex);
	const segmind_public = readBoolean(given, 'Segmind Public');
	const form = { request_id: finetune_id, segmind_public: String(segmind_public) };
	const response = await changeManaged(
		session,
		{
			method: 'PUT',
			url: fineTuneUrl(session, '/access-update'),
			...(await encodeForm(form)),
		},
		`fine-tune ${finetune_id}`,
	);
	return managedItem({ finetune_id, segmind_public }, 'updated', response);
}
