import type {
	IAuthenticate,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { wrapForN8n, type SegmindFailure } from '../nodes/shared/base/failure';
import { SIGN_IN_AGAIN } from '../nodes/shared/errors/statusTable';
import { accessTokenIn } from '../nodes/shared/service/accessToken';
import { ACCOUNT_URLS, addressesIn } from '../nodes/shared/service/addresses';
import { renewTokens } from './tokens';
import { addressExpression, limitTest, statusRule, webPageRule } from './credentialTest';
import { customAddressFields } from './customAddresses';
import { domainRestrictionFields } from './domainRestriction';

/** The call of the credential's test. */
const TEST_PATH = '/auth/profile';

export class SegmindSessionApi implements ICredentialType {
	name = 'segmindSessionApi';

	displayName = 'Segmind Session API';

	icon = { light: 'file:../icons/segmind.svg', dark: 'file:../icons/segmind.dark.svg' } as const;

	documentationUrl = 'https://repository.invalid/n8n-nodes-segmind/blob/main/docs/nodes.md';

	properties: INodeProperties[] = [
		{
			displayName: 'Refresh Token',
			name: 'refreshToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Sign in to the Segmind console, then open https://cloud.segmind.com/api/auth/profile in the same browser and copy <code>refresh_token</code>. It is valid for 30 days. If Segmind replaces it, this credential stores the new one. Without an access token, each test of this credential uses one of the ten token refreshes allowed per hour.',
		},
		{
			displayName: 'Access Token',
			name: 'enteredAccessToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'The <code>access_token</code> from the same page (optional). It is valid for one hour and saves one token refresh. When Segmind rejects it, this credential gets a new one with the refresh token and empties this field.',
		},
		{
			// n8n refreshes only a property that is hidden and expirable (docs/n8n.md N120).
			displayName: 'Refreshed Access Token',
			name: 'accessToken',
			type: 'hidden',
			typeOptions: { expirable: true, password: true },
			default: '',
		},
		...customAddressFields([
			{
				displayName: 'Account URL',
				name: 'accountUrl',
				type: 'string',
				default: ACCOUNT_URLS.accountUrl,
				description:
					'URL of the account API. Public sources disagree about this URL, so change it if calls fail with 404. The tokens are sent only to this server.',
			},
		]),
		...domainRestrictionFields({ refresh: true }),
	];

	/** n8n calls this if the refreshed token is empty or a token was rejected, and stores what it returns. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { httpRequest } = this.helpers;
		return await renewTokens(httpRequest, credentials).catch((error: SegmindFailure) => {
			throw wrapForN8n(error);
		});
	}

	authenticate: IAuthenticate = async (credentials, options) => {
		const limited = limitTest(options, TEST_PATH, addressesIn(credentials, ACCOUNT_URLS));
		return {
			...limited,
			headers: { ...limited.headers, Authorization: `Bearer ${accessTokenIn(credentials)}` },
		};
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: addressExpression('accountUrl', ACCOUNT_URLS.accountUrl),
			url: TEST_PATH,
			disableFollowRedirect: true,
		},
		rules: [
			statusRule(401, `The session is invalid or has expired. ${SIGN_IN_AGAIN}`),
			webPageRule('Account URL'),
			statusRule(404, 'Account URL is wrong. Check Custom Addresses.'),
		] as ICredentialTestRequest['rules'],
	};
}
