import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';

import { textOfMember } from '../shared/base/text';
import { readCurrentParameter } from '../shared/catalogue/currentParameters';
import { searchTitles } from '../shared/catalogue/modelPicker';
import { readAccountList, filterEntries } from '../shared/service/picker';

/** The headers of every endpoint call, even of a call without a body (docs/service.md S320). */
export const ENDPOINT_HEADERS = { 'content-type': 'application/json' };

/** Returns the list method of a field with fixed values. */
function searchIn(values: string[][]) {
	const entries = values.map(([value, meaning]) => ({ name: `${value} (${meaning})`, value }));
	return async (filter?: string): Promise<INodeListSearchResult> => ({
		results: filterEntries(entries, filter),
	});
}

/** Lists GPUs. Segmind documents the first one; the others follow the same naming scheme and aren't confirmed (docs/service.md S325). */
export const searchGpus = searchIn([
	['AMPERE_80', 'A100, 80 GB'],
	['ADA_24', '24 GB, not confirmed by Segmind'],
	['ADA_48_PRO', '48 GB, not confirmed by Segmind'],
	['ADA_80_PRO', '80 GB, not confirmed by Segmind'],
	['AMPERE_16', '16 GB, not confirmed by Segmind'],
	['AMPERE_24', '24 GB, not confirmed by Segmind'],
	['AMPERE_48', '48 GB, not confirmed by Segmind'],
	['HOPPER_141', '141 GB, not confirmed by Segmind'],
]);
/** Lists scaler types. Segmind documents the first one. */
export const searchScalerTypes = searchIn([
	['REQUEST_COUNT', 'requests per worker'],
	['QUEUE_DELAY', 'seconds in the queue, not confirmed by Segmind'],
]);

/** Lists the models. Segmind doesn't publish which of them can be deployed. Never throws. */
export async function searchDeployedModels(
	this: ILoadOptionsFunctions,
	filter?: string,
): Promise<INodeListSearchResult> {
	return await searchTitles(this, filter);
}

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
