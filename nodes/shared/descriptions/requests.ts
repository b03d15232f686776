import type { INodeProperties } from 'n8n-workflow';

import { forOperation } from './forOperation';
import { OPTION_SETS, optionsField } from './options';

export const requestField: INodeProperties = {
	displayName: 'Request',
	name: 'request',
	type: 'string',
	default: '={{ $json }}',
	required: true,
	description:
		'The output of Submit (the default takes the whole incoming item), a request ID, or one of the URLs that Submit returned',
};

const waitForCompletionField: INodeProperties = {
	displayName: 'Wait for Completion',
	name: 'waitForCompletion',
	type: 'boolean',
	default: true,
	description:
		'Whether to wait until the request has finished. Off: an unfinished request gives an item with its status.',
};

export const simplifyField: INodeProperties = {
	displayName: 'Simplify',
	name: 'simplify',
	type: 'boolean',
	default: true,
	description: 'Whether to return a simplified version of the response instead of the raw data',
};

/** The fields of Get Result, which models and workflows share. */
export const getResultFields: INodeProperties[] = forOperation('getResult', [
	requestField,
	waitForCompletionField,
	simplifyField,
	optionsField(OPTION_SETS.getResult),
]);
