import type { INodeProperties } from 'n8n-workflow';

export const includeTokensField: INodeProperties = {
	displayName: 'Include Tokens',
	name: 'includeTokens',
	type: 'boolean',
	default: false,
	description:
		'Whether to include the access token and the refresh token in the output. Whoever sees the execution can then act as this user.',
};

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

export const verificationTokenField: INodeProperties = {
	displayName: 'Verification Token',
	name: 'verificationToken',
	type: 'string',
	typeOptions: { password: true },
	default: '',
	required: true,
	description:
		'The token that the sign-in page of the console makes in the browser, to be found with its developer tools. It works once, so each call needs a new one. Without them, create keys in the console.',
};

export const VERIFICATION_ADVICE =
	'Take it from the sign-in page of the Segmind console; it is made in the browser there, and works once.';
