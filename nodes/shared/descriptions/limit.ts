import type { INodeProperties } from 'n8n-workflow';

import { numberField, showIf, switchField } from './fields';

/** The fields Return All and Limit. */
export const limitFields: INodeProperties[] = [
	switchField(
		'returnAll',
		'Return All',
		'Whether to return all results or only up to a given limit',
	),
	{
		...numberField('limit', 'Limit', 50, 'Max number of results to return', { minValue: 1 }),
		...showIf({ returnAll: [false] }),
	},
];
