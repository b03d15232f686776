import type {
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { renewTokens } from '../nodes/shared/account/tokens';

export class SegmindSessionApi implements ICredentialType {
	name = 'segmindSessionApi';

	displayName = 'Segmind Session API';

	icon = { light: 'file:../icons/segmind.svg', dark: 'file:../icons/segmind.dark.svg' } as const;

	documentationUrl = 'https://docs.segmind.com/docs/get-started/authentication';

	properties: INodeProperties[] = [
		{
			displayName: 'Refresh Token',
			name: 'refreshToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Sign in at the Segmind console, then open https://cloud.segmind.com/api/auth/profile in the same browser and copy <code>refresh_token</code>. It lives for 30 days; when Segmind replaces it, the new one is kept here. May be empty if you only use the Sign-In operations. Each test of this credential spends one of ten token refreshes an hour.',
		},
		{
			// n8n renews only a property that is hidden and expirable (platform fact 5).
			displayName: 'Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		{
			displayName: 'Account URL',
			name: 'accountUrl',
			type: 'string',
			default: 'https://cloud.segmind.com/api',
			description:
				'Address of the account API. Public sources disagree on it, so change it if calls fail with 404. The tokens are only sent to this origin.',
		},
		{
			displayName: 'Console URL',
			name: 'consoleUrl',
			type: 'string',
			default: 'https://platform.segmind.com',
			description: 'Address of the web console, where people sign in. No call is made to it.',
		},
		// n8n would add these two with the default "all": whoever may use the credential could then send the tokens anywhere (platform fact 41).
		{
			displayName: 'Allowed HTTP Request Domains',
			name: 'allowedHttpRequestDomains',
			type: 'options',
			options: [
				{
					name: 'All',
					value: 'all',
					description: 'Allow all requests when used in the HTTP Request node',
				},
				{
					name: 'Specific Domains',
					value: 'domains',
					description: 'Restrict requests to specific domains',
				},
				{
					name: 'None',
					value: 'none',
					description: 'Block all requests when used in the HTTP Request node',
				},
			],
			default: 'domains',
			description:
				'Which domains the session may be sent to by the HTTP Request node. The Segmind nodes are not affected.',
		},
		{
			displayName: 'Allowed Domains',
			name: 'allowedDomains',
			type: 'string',
			default: '*.segmind.com',
			description: 'Comma-separated list of domains; * stands for any subdomain',
			displayOptions: { show: { allowedHttpRequestDomains: ['domains'] } },
		},
	];

	/** n8n runs it when the access token is empty or was refused, and stores what it returns. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		return { ...(await renewTokens(this.helpers.httpRequest, credentials)) };
	}

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: '={{$credentials.accountUrl}}',
			url: '/auth/profile',
			disableFollowRedirect: true,
		},
	};
}
