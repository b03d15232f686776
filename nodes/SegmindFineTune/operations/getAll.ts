import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { listedItems, readManaged } from '../../shared/request/management';
import type { Session } from '../../shared/run/session';
import { fineTuneUrl, forFineTune } from '../fineTune';

export const description: INodeProperties[] = forFineTune('job', 'getAll', [
	optionsField(OPTION_SETS.free),
]);

/** GET {baseUrl}/finetune/request/list (specification, Fine-tuning). One call a run. */
export async function execute(session: Session): Promise<INodeExecutionData[]> {
	const subject = 'the list of fine-tunes';
	const answer = await session.once(
		'fine-tunes',
		async () =>
			await readManaged(session, { method: 'GET', url: fineTuneUrl(session, '/list') }, subject),
	);
	return listedItems(session, answer, subject);
}
