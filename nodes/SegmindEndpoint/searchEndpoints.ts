import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { readCurrentParameter } from '../shared/catalogue/currentParameters';
import { readAccountList, filterEntries } from '../shared/service/picker';

/** The headers of every endpoint call, even of a call without a body (docs/service.md S320). */
export const ENDPOINT_HEADERS = { 'content-type': 'application/json' };

/** Lists the endpoints of the chosen environment; empty if they can't be read. Never throws. */
export async function searchEndpoints(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	const base =
		readCurrentParameter(this, 'environment') === 'staging'
			? 'endpointAdminStagingUrl'
			: 'endpointAdminUrl';
	const listed = await readAccountList(this, base, '/endpoint/list', ENDPOINT_HEADERS);
	const results = listed.flatMap((entry) => {
		const value = textOfMember(entry, 'endpoint_id', 'id');
		if (value === '') return [];
		const name = textOfMember(entry, 'endpoint_name', 'name') || value;
		const model = textOfMember(entry, 'model_name');
		return [{ name: model === '' ? name : `${name} (${model})`, value }];
	});
	return { results: filterEntries(results, filter) };
}
