import type { IDataObject, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { assertExpressions } from '../../shared/inputs/expressions';
import { showForOperation } from '../../shared/descriptions/forOperation';
import { OPTION_SETS, optionsField } from '../../shared/descriptions/options';
import { readText, readRequiredText } from '../../shared/inputs/values';
import { textOfMember } from '../../shared/service/picker';
import { managedItem, isServiceResponse } from '../../shared/output/managedItems';
import { runRequest } from '../../shared/request/lifecycle';
import { readOptions } from '../../shared/run/options';
import type { Session } from '../../shared/run/session';
import { isObject } from '../../shared/service/schemas';
import type { HttpResponse } from '../../shared/service/http';
import { jsonOf } from '../../shared/service/responses';
import { endpointUrl, readEnvironment } from '../environment';
import { scalingBody, scalingFields } from '../fields';

export const description: INodeProperties[] = showForOperation('create', [
	{
		displayName: 'Endpoint Name',
		name: 'endpointName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. product-photos',
		description:
			"Name of the new endpoint. To run the endpoint, use this name as the model's slug.",
	},
	{
		displayName: 'Model Name',
		name: 'modelName',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'e.g. flux-dev',
		description: 'The model to deploy',
	},
	{
		displayName: 'GPU',
		name: 'gpuId',
		type: 'resourceLocator',
		default: { mode: 'list', value: 'AMPERE_80' },
		required: true,
		description: 'GPU of each worker. Segmind charges by the hour while a worker is running.',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: {
					searchListMethod: 'searchGpus',
					searchable: true,
					skipCredentialsCheckInRLC: true,
				},
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. AMPERE_80' },
		],
	},
	...scalingFields,
	optionsField(OPTION_SETS.create),
]);

/** POST {endpointAdminUrl}/endpoint/add (docs/service.md S321). Journaled, so that a retry doesn't create a second endpoint, which would be charged. */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const environment = readEnvironment(session, itemIndex);
	const body = readBody(session, itemIndex);
	const nameMember = { endpoint_name: body.endpoint_name };
	return await runRequest(session, {
		responds: 'creation',
		itemIndex,
		url: endpointUrl(session, environment, '/endpoint/add'),
		presentation: { options: readOptions(session.context, itemIndex) },
		subject: `endpoint '${String(body.endpoint_name)}'`,
		inputs: { body: { text: JSON.stringify(body), value: body } },
		idOf: 'endpoint',
		whereToLook:
			'the operation Get Many shows whether the endpoint exists. A running worker is charged by the hour',
		read: (response) => (isServiceResponse(response) ? { id: endpointIdIn(response) } : undefined),
		makeItem: (id, response) =>
			response
				? managedItem(nameMember, 'created', response)
				: { json: { ...nameMember, endpoint_id: id ?? '', created: true } },
	});
}

function readBody(session: Session, itemIndex: number): IDataObject {
	const { context } = session;
	const { parameters } = context.getNode();
	for (const { name, displayName } of description)
		assertExpressions(session, itemIndex, parameters[name], displayName);
	const value = (name: string) => context.getNodeParameter(name, itemIndex, '') as unknown;
	const scaling = scalingBody(
		Object.fromEntries(scalingFields.map(({ name }) => [name, value(name)])),
	);
	return {
		endpoint_name: readRequiredText(context, itemIndex, 'endpointName', 'Endpoint Name'),
		model_name: readRequiredText(context, itemIndex, 'modelName', 'Model Name'),
		...scaling,
		gpu_id: readText(value('gpuId'), 'GPU'),
	};
}

/** Finds the endpoint's ID in the response, whose shape isn't published. */
function endpointIdIn(response: HttpResponse): string | undefined {
	const body = jsonOf(response);
	if (!isObject(body)) return undefined;
	const inner = [body.endpoint, body.data].find(isObject) ?? {};
	return (
		textOfMember(body, 'endpoint_id', 'endpointId', 'id') ||
		textOfMember(inner, 'endpoint_id', 'endpointId', 'id') ||
		undefined
	);
}
