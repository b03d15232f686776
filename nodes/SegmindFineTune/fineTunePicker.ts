import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { readAccountList, filterEntries } from '../shared/service/picker';

/** Lists the account's fine-tune jobs that match the filter, with base model and status, for a picker; empty if they can't be read. Never throws. */
export async function searchFineTunes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const results = (await readAccountList(this, 'baseUrl', '/finetune/request/list')).flatMap(
		(job) => {
			const value = textOfMember(job, 'finetune_id', 'id');
			if (value === '') return [];
			const details = [textOfMember(job, 'base_model'), textOfMember(job, 'status')].filter(
				(detail) => detail !== '',
			);
			const name = textOfMember(job, 'name') || value;
			return [{ name: details.length > 0 ? `${name} (${details.join(', ')})` : name, value }];
		},
	);
	return { results: filterEntries(results, filter) };
}
