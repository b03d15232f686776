import type { INodeProperties } from 'n8n-workflow';

import { showIf } from './fields';

/** The fields Return All and Limit. */
export const limitFields: INodeProperties[] = [
	{
		displayName: 'Return All',
		name: 'returnAll',
		type: 'boolean',
		default: false,
		description: 'Whether to return all results or only up to a given limit',
	},
	{
		displayName: 'Limit',
		name: 'limit',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 50,
		description: 'Max number of results to return',
		...showIf({ returnAll: [false] }),
	},
];
