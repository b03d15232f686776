import type { INodeProperties } from 'n8n-workflow';

import { textField } from './fields';
import { MAKING_OPTIONS, optionsField, RUN_OPTIONS } from './options';

export const requestField = textField(
	'request',
	'Request',
	'A request ID, one of the URLs that Segmind returned, or the whole input item (the default)',
	{ default: '={{ $json }}', required: true },
);

/** The fields of Get Result, which models and workflows share. */
export const getResultFields: INodeProperties[] = [
	requestField,
	RUN_OPTIONS.waitForCompletion.field,
	MAKING_OPTIONS.simplify.field,
	optionsField('getResult'),
];
