import type { INodeProperties } from 'n8n-workflow';

import { switchField, textField } from './fields';
import type { OutputFields } from './operations';
import { OPTION_SETS, optionsField } from './optionFields';

export const requestField = textField(
	'request',
	'Request',
	'A request ID, one of the URLs that Segmind returned, or the whole input item (the default)',
	{ default: '={{ $json }}', required: true },
);

export const waitForCompletionField = switchField(
	'waitForCompletion',
	'Wait for Completion',
	'Whether to wait until the request has finished. If off, the node returns an unfinished request at once, with its status, and you get its result later with Get Result.',
	{ default: true },
);

export const simplifyField = switchField(
	'simplify',
	'Simplify',
	'Whether to return a simplified version of the response instead of the raw data',
	{ default: true },
);

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
