import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { readAccountList, filterEntries, textOfMember } from '../shared/service/picker';

/** The fine-tune jobs of the account with their status; empty if they can't be read. Never throws. */
export async function searchFineTunes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const results = (await readAccountList(this, 'baseUrl', '/finetune/request/list')).flatMap(
		(entry) => {
			const value = textOfMember(entry, 'finetune_id', 'id');
			if (value === '') return [];
			const facts = [textOfMember(entry, 'base_model'), textOfMember(entry, 'status')].filter(
				(fact) => fact !== '',
			);
			const name = textOfMember(entry, 'name') || value;
			return [{ name: facts.length > 0 ? `${name} (${facts.join(', ')})` : name, value }];
		},
	);
	return { results: filterEntries(results, filter) };
}
