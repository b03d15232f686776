import type { IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { readInteger } from '../inputs/values';

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
		displayOptions: { show: { returnAll: [false] } },
	},
];

/** Reads the limit of an item; Infinity if Return All is on. @throws SegmindFailure if it isn't an integer above 0 */
export function readLimit({ context }: { context: IExecuteFunctions }, itemIndex: number): number {
	if (context.getNodeParameter('returnAll', itemIndex, false) === true) return Infinity;
	return readInteger(context.getNodeParameter('limit', itemIndex, 50), 'Limit', 1);
}

/** Returns the entries up to the item's limit. @throws SegmindFailure as `readLimit` does */
export function limitEntries<T>(
	session: { context: IExecuteFunctions },
	itemIndex: number,
	entries: T[],
): T[] {
	return entries.slice(0, readLimit(session, itemIndex));
}
