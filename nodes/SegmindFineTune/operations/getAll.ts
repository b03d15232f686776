import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForResourceOperation } from '../../shared/descriptions/forOperation';
import { limitEntries, limitFields } from '../../shared/descriptions/limit';
import { listedItems } from '../../shared/output/managedItems';
import { readManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { textOfMember } from '../../shared/service/picker';
import { isObject } from '../../shared/service/schemas';
import { fineTuneUrl } from '../fineTune';

export const description: INodeProperties[] = showForResourceOperation(
	'job',
	'getAll',
	limitFields,
);

/** GET {baseUrl}/finetune/request/list (docs/service.md S342). One call per run of the node. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData[]> {
	const subject = 'the list of fine-tunes';
	const url = fineTuneUrl(session, '/list');
	const response = await session.memoize(
		url,
		async () => await readManaged(session, { method: 'GET', url }, subject),
	);
	const jobs = limitEntries(session, itemIndex, listedItems(session.client, response, subject));
	return session.isTool ? jobs.map(forAgent) : jobs;
}

/** Keeps only the members that an agent needs to choose and use a job; Get Job returns all of them. */
function forAgent({ json }: INodeExecutionData): INodeExecutionData {
	const members = { ...json, ...(isObject(json.model_information) && json.model_information) };
	const wanted = ['finetune_id', 'name', 'status', 'base_model', 'slug', 'error_message'];
	const texts = wanted.map((name) => [name, textOfMember(members, name)]);
	return { json: Object.fromEntries(texts.filter(([, text]) => text !== '')) };
}
