import type { INodeProperties } from 'n8n-workflow';

import type { OutputFields } from './operations';
import { OPTION_SETS, optionsField } from './optionFields';

export const requestField: INodeProperties = {
	displayName: 'Request',
	name: 'request',
	type: 'string',
	default: '={{ $json }}',
	required: true,
	description:
		'A request ID, one of the URLs that Segmind returned, or the whole input item (the default)',
};

export const waitForCompletionField: INodeProperties = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait until the request has finished. If off, the node returns an unfinished request at once, with its status, and you get its result later with Get Result.',
};

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The fields of Get Result, which models and workflows share. */
export const getResultFields: INodeProperties[] = [
	requestField,
	waitForCompletionField,
	simplifyField,
	optionsField(OPTION_SETS.getResult),
];

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
