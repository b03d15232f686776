import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { accountList, matching, memberText } from '../shared/service/picker';

/** The fine-tune jobs of the account with their status; empty if they can't be read. Never throws. */
export async function searchFineTunes(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const results = (await accountList(this, 'baseUrl', '/finetune/request/list')).flatMap(
		(entry) => {
			const value = memberText(entry, 'finetune_id', 'id');
			if (value === '') return [];
			const facts = [memberText(entry, 'base_model'), memberText(entry, 'status')].filter(
				(fact) => fact !== '',
			);
			const name = memberText(entry, 'name') || value;
			return [{ name: facts.length > 0 ? `${name} (${facts.join(', ')})` : name, value }];
		},
	);
	return { results: matching(results, filter) };
}
