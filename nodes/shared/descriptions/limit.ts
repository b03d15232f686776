import type { INodeProperties } from 'n8n-workflow';

import type { ItemParameters } from '../parameters/itemParameters';
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

/** Reads the limit of an item; Infinity if Return All is on. @throws SegmindFailure if it isn't an integer above 0 */
export function readItemLimit(parameters: ItemParameters): number {
	return parameters.isOn('returnAll') ? Infinity : parameters.integer('limit', 1);
}
