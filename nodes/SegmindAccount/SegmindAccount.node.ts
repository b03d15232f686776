import type {
	IExecuteFunctions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { openAccountSession, type AccountSession } from '../shared/account/accountSession';
import { operationField } from '../shared/descriptions/forOperation';
import { operationSubtitle } from '../shared/descriptions/subtitle';
import { operationOf } from '../shared/items/operation';
import { runItemsInSession, type ItemWork } from '../shared/items/runItems';
import * as create from './operations/apiKey/create';
import * as remove from './operations/apiKey/delete';
import * as getAll from './operations/apiKey/getAll';
import * as rename from './operations/apiKey/rename';
import * as setModelAccess from './operations/apiKey/setModelAccess';
import * as getProfile from './operations/session/getProfile';
import * as refresh from './operations/session/refresh';
import * as getUrl from './operations/signIn/getUrl';
import * as requestEmailLink from './operations/signIn/requestEmailLink';

const operations: Record<string, Record<string, { execute: ItemWork<AccountSession> }>> = {
	session: { getProfile, refresh },
	apiKey: { getAll, create, rename, setModelAccess, delete: remove },
	signIn: { getUrl, requestEmailLink },
};

const properties: INodeProperties[] = [
	{
		displayName: 'Resource',
		name: 'resource',
		type: 'options',
		noDataExpression: true,
		options: [
			{ name: 'API Key', value: 'apiKey' },
			{ name: 'Session', value: 'session' },
			{ name: 'Sign-In', value: 'signIn' },
		],
		default: 'session',
	},
	operationField('session', 'getProfile', [
		{ name: 'Get Profile', value: 'getProfile', action: 'Get the profile' },
		{
			name: 'Refresh Session',
			value: 'refresh',
			description:
				'Other operations do this automatically. Each refresh counts toward the limit of ten an hour.',
			action: 'Refresh the session',
		},
	]),
	operationField('apiKey', 'getAll', [
		{
			name: 'Create API Key',
			value: 'create',
			description:
				'Requires a verification token, which only the sign-in page in your browser can create',
			action: 'Create an API key',
		},
		{ name: 'Delete API Key', value: 'delete', action: 'Delete an API key' },
		{ name: 'Get Many', value: 'getAll', action: 'Get many API keys' },
		{ name: 'Rename API Key', value: 'rename', action: 'Rename an API key' },
		{
			name: 'Set Model Access',
			value: 'setModelAccess',
			description: 'Restrict a key to certain models, or lift the restriction',
			action: 'Set the model access of an API key',
		},
	]),
	operationField('signIn', 'getUrl', [
		{
			name: 'Get Sign-In URL',
			value: 'getUrl',
			description: 'Get the URL of the sign-in page, without calling the API',
			action: 'Get the sign-in URL',
		},
		{
			name: 'Request Email Link',
			value: 'requestEmailLink',
			description:
				'Requires a verification token, which only the sign-in page in your browser can create',
			action: 'Request a sign-in link by email',
		},
	]),
	...getProfile.description,
	...refresh.description,
	...create.description,
	...remove.description,
	...getAll.description,
	...rename.description,
	...setModelAccess.description,
	...getUrl.description,
	...requestEmailLink.description,
];

export class SegmindAccount implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Segmind Account',
		name: 'segmindAccount',
		icon: { light: 'file:../../icons/segmind.svg', dark: 'file:../../icons/segmind.dark.svg' },
		group: ['transform'],
		version: 1,
		subtitle: operationSubtitle(properties),
		description: 'Read the profile and manage the API keys of a Segmind account',
		defaults: { name: 'Segmind Account' },
		usableAsTool: true,
		// Tokens are only passed to other nodes, so the editor hides them. A created key stays visible, because the user must copy it once.
		sensitiveOutputFields: ['access_token', 'refresh_token'],
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: 'segmindSessionApi', required: true }],
		properties,
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const names = ['resource', 'operation'];
		return await runItemsInSession(
			this,
			async () => await openAccountSession(this, properties),
			operationOf<ItemWork<AccountSession>>(this, operations, names),
		);
	}
}
