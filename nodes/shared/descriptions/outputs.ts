/** The fields of an output item by name, with the JSON type of each: `texts` for a list of texts, and for a list of objects the fields of its entries. */
export interface OutputFields {
	[name: string]: 'string' | 'number' | 'boolean' | 'object' | 'texts' | readonly [OutputFields];
}

export const STATUS_OUTPUT: OutputFields = { request_id: 'string', status: 'string' };

/** Returns the output of a request to a model with a result of these fields. */
export function resultOutput(...fields: Array<'url' | 'text'>): OutputFields {
	return {
		...Object.fromEntries(fields.map((field) => [field, 'string' as const])),
		...(fields.includes('url') && { urls: 'texts' }),
		...STATUS_OUTPUT,
		model: 'string',
		cost: 'number',
		remaining_credits: 'number',
	};
}
