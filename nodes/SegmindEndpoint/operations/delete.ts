import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { showForOperation } from '../../shared/descriptions/forOperation';
import { SegmindFailure } from '../../shared/base/failure';
import { managedItem } from '../../shared/output/managedItems';
import { doOnce } from '../../shared/manage/doOnce';
import { changeManaged } from '../../shared/manage/managedCalls';
import type { Session } from '../../shared/run/session';
import { endpointIdField, readEndpointId } from '../endpointId';
import { ENDPOINT_HEADERS, endpointUrl, readEnvironment } from '../environment';

export const description: INodeProperties[] = showForOperation('delete', [endpointIdField]);

/**
 * DELETE {endpointAdminUrl}/endpoint/delete with the ID in the body (docs/service.md S323, S324). The method matters, because a POST with the same body
 * creates an endpoint.
 */
export async function execute(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const endpoint_id = readEndpointId(session, itemIndex);
	const url = endpointUrl(session, readEnvironment(session, itemIndex), '/endpoint/delete');
	return await doOnce(
		session,
		{ itemIndex, subject: `endpoint '${endpoint_id}'` },
		async (wasTried) => {
			const response = await changeManaged(
				session,
				{
					method: 'DELETE',
					url,
					headers: ENDPOINT_HEADERS,
					body: JSON.stringify({ endpoint_id }),
				},
				`endpoint '${endpoint_id}'`,
			).catch((error: unknown) => {
				// An earlier attempt, whose response was lost, has deleted the endpoint.
				if (wasTried && error instanceof SegmindFailure && error.facts.httpCode === 404)
					return undefined;
				throw error;
			});
			return response
				? managedItem({ endpoint_id }, 'deleted', response)
				: { json: { endpoint_id, deleted: true } };
		},
	);
}
