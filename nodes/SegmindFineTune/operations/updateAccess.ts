import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { trueOrFalse } from '../../shared/inputs/values';
import { answeredItem } from '../../shared/output/managedItems';
import { doOnce } from '../../shared/request/doOnce';
import { changeManaged } from '../../shared/request/managedCalls';
import type { Session } from '../../shared/run/session';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { encodedForm, fineTuneUrl, finetuneIdField, readFinetuneId } from '../fineTune';

export const description: INodeProperties[] = forResourceOperation('job', 'updateAccess', [
	finetuneIdField,
	{
		displayName: 'Segmind Public',
		name: 'segmindPublic',
		type: 'boolean',
		default: false,
		description: 'Whether everybody may use the trained model',
	},
	optionsField(OPTION_SETS.free),
]);

/** PUT {baseUrl}/finetune/request/access-update as a multipart form (docs/service.md S345). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const finetune_id = readFinetuneId(session, itemIndex);
	const segmind_public = trueOrFalse(
		session.context.getNodeParameter('segmindPublic', itemIndex, false),
		'Segmind Public',
	);
	return await doOnce(session, { itemIndex, subject: `fine-tune ${finetune_id}` }, async () => {
		const answer = await changeManaged(
			session,
			{
				method: 'PUT',
				url: fineTuneUrl(session, '/access-update'),
				...(await encodedForm({
					request_id: finetune_id,
					segmind_public: String(segmind_public),
				})),
			},
			`fine-tune ${finetune_id}`,
		);
		return answeredItem({ finetune_id, segmind_public }, 'updated', answer);
	});
}
