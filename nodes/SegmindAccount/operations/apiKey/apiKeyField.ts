import type { INodeProperties } from 'n8n-workflow';

export const apiKeyField: INodeProperties = {
	displayName: 'API Key',
	name: 'apiKey',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	required: true,
	placeholder: 'SG_0123456789abcdef',
	description: 'The full key. Get Many returns full keys only if Show Full Keys is on.',
};
