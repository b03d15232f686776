import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { memberText } from '../../shared/service/picker';
import { listedItems } from '../../shared/output/managedItems';
import { readManaged } from '../../shared/request/managedCalls';
import type { Session } from '../../shared/run/session';
import { isObject } from '../../shared/service/schemas';
import { forResourceOperation } from '../../shared/descriptions/forOperation';
import { fineTuneUrl } from '../fineTune';

export const description: INodeProperties[] = forResourceOperation('job', 'getAll', [
	optionsField(OPTION_SETS.free),
]);

/** GET {baseUrl}/finetune/request/list (docs/service.md S342). One call a run. */
export async function execute(session: Session): Promise<INodeExecutionData[]> {
	const subject = 'the list of fine-tunes';
	const answer = await session.memoize(
		'fine-tunes',
		async () =>
			await readManaged(session, { method: 'GET', url: fineTuneUrl(session, '/list') }, subject),
	);
	const items = listedItems(session.client, answer, subject);
	return session.isTool ? items.map(forAgent) : items;
}

/** What a model needs to tell jobs apart and to run one; Get has the rest. */
function forAgent({ json }: INodeExecutionData): INodeExecutionData {
	const information = isObject(json.model_information) ? json.model_information : {};
	const wanted = {
		finetune_id: memberText(json, 'finetune_id', 'id'),
		name: memberText(json, 'name'),
		status: memberText(json, 'status'),
		base_model: memberText(json, 'base_model'),
		slug: memberText(information, 'slug'),
		error_message: memberText(json, 'error_message'),
	};
	return { json: Object.fromEntries(Object.entries(wanted).filter(([, text]) => text !== '')) };
}
