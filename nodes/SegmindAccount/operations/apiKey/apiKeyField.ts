import type { INodeProperties } from 'n8n-workflow';

export const apiKeyField: INodeProperties = {
	displayName: 'API Key',
	name: 'apiKey',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	required: true,
	placeholder: 'SG_0123456789abcdef',
	description: 'The whole key. Get Many lists whole keys only with Show Full Keys on.',
};
