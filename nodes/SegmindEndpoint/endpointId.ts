import type { INodeProperties } from 'n8n-workflow';

import { readRequiredText } from '../shared/inputs/values';
import type { Session } from '../shared/run/session';

export const endpointIdField: INodeProperties = {
	displayName: 'Endpoint',
	name: 'endpointId',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	required: true,
	description: 'The endpoint, in the environment chosen above',
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Choose an endpoint',
			typeOptions: { searchListMethod: 'searchEndpoints', searchable: true },
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. tpr9hugy367nbz',
			hint: 'The endpoint_id from the output of Create or Get Many',
		},
	],
};

export function readEndpointId(session: Session, itemIndex: number): string {
	return readRequiredText(session.context, itemIndex, 'endpointId', 'Endpoint');
}
