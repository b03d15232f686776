import type { INodeProperties } from 'n8n-workflow';

/** The fields for the period of an operation on the request history. */
export const periodFields: INodeProperties[] = [
	{
		displayName: 'From Date',
		name: 'fromDate',
		type: 'dateTime',
		default: '',
		description:
			'Start of the period, at most three years before its end. The default is 30 days before its end.',
	},
	{
		displayName: 'To Date',
		name: 'toDate',
		type: 'dateTime',
		default: '',
		description: 'End of the period. The default is now.',
	},
];
