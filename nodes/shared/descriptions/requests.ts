import type { INodeProperties } from 'n8n-workflow';

import { OPTION_SETS, optionsField } from './options';

export const requestField: INodeProperties = {
	displayName: 'Request',
	name: 'request',
	type: 'string',
	default: '={{ $json }}',
	required: true,
	description:
		'The request: the whole incoming item (the default), a request ID, or one of the URLs that Segmind returned',
};

export const waitForCompletionField: INodeProperties = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait until the request has finished. Off: the item gets the request and its status, and Get Result fetches the result later.',
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
