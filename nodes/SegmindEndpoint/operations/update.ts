import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { badInput } from '../../shared/errors/failures';
import { INPUTS } from '../../shared/errors/inputTable';
import { managedItem } from '../../shared/output/managedItems';
import { doOnce } from '../../shared/manage/doOnce';
import { changeManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { isObject } from '../../shared/service/schemas';
import { endpointIdField, readEndpointId } from '../endpointId';
import { ENDPOINT_HEADERS, endpointUrl, readEnvironment } from '../environment';
import { scalingBody, updateFields } from '../fields';

export const description: INodeProperties[] = showForOperation('update', [
	endpointIdField,
	{
		displayName: 'Update Fields',
		name: 'updateFields',
		type: 'collection',
		placeholder: 'Add field',
		default: {},
		description:
			"Only the fields you add are sent. Segmind doesn't document what happens to the other fields, so add all seven to be safe.",
		options: updateFields,
	},
]);

/** PUT {endpointAdminUrl}/endpoint/update with the fields that the user set (docs/service.md S322). */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const endpoint_id = readEndpointId(session, itemIndex);
	const url = endpointUrl(session, readEnvironment(session, itemIndex), '/endpoint/update');
	const given = session.context.getNodeParameter('updateFields', itemIndex, {}) as unknown;
	const changes = scalingBody(isObject(given) ? given : {});
	if (Object.keys(changes).length === 0) throw badInput(INPUTS.noUpdateFields);
	return await doOnce(session, { itemIndex, subject: `endpoint '${endpoint_id}'` }, async () => {
		const response = await changeManaged(
			session,
			{
				method: 'PUT',
				url,
				headers: ENDPOINT_HEADERS,
				body: JSON.stringify({ endpoint_id, ...changes }),
			},
			`endpoint '${endpoint_id}'`,
		);
		return managedItem({ endpoint_id }, 'updated', response);
	});
}
