import type { INodeProperties } from 'n8n-workflow';

import { switchField, textField } from './fields';
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
