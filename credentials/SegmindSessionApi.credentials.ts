import type {
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { wrapForN8n, type SegmindFailure } from '../nodes/shared/base/failure';
import { SIGN_IN_AGAIN } from '../nodes/shared/errors/statusTable';
import { ACCOUNT_URLS } from '../nodes/shared/service/addresses';
import { refreshTokens } from './tokens';
import { addressExpression, customAddressFields } from './customAddresses';
import { domainRestrictionFields } from './domainRestriction';

/** Without this message, the credential's test shows only "Unauthorized" (docs/n8n.md N127). */
const INVALID_SESSION = `The session is invalid or has expired. ${SIGN_IN_AGAIN}`;

export class SegmindSessionApi implements ICredentialType {
	name = 'segmindSessionApi';

	displayName = 'Segmind Session API';

	icon = { light: 'file:../icons/segmind.svg', dark: 'file:../icons/segmind.dark.svg' } as const;

	documentationUrl =
		'https://repository.invalid/n8n-nodes-segmind/blob/main/docs/nodes.md#segmind-account';

	properties: INodeProperties[] = [
		{
			displayName: 'Refresh Token',
			name: 'refreshToken',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			description:
				'Sign in to the Segmind console, then open https://cloud.segmind.com/api/auth/profile in the same browser and copy <code>refresh_token</code>. It is valid for 30 days. If Segmind replaces it, this credential stores the new one. Leave it empty if you only use the Sign-In operations. Each test of this credential uses one of the ten token refreshes allowed per hour.',
		},
		{
			// n8n refreshes only a property that is hidden and expirable (docs/n8n.md N120).
			displayName: 'Access Token',
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
			{
				displayName: 'Console URL',
				name: 'consoleUrl',
				type: 'string',
				default: ACCOUNT_URLS.consoleUrl,
				description: 'URL of the web console, where people sign in. The node never calls it.',
			},
		]),
		...domainRestrictionFields({ refresh: true }),
	];

	/** n8n calls this if the access token is empty or was rejected, and stores what it returns. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { httpRequest } = this.helpers;
		return await refreshTokens(httpRequest, credentials).catch((error: SegmindFailure) => {
			throw wrapForN8n(error);
		});
	}

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: { headers: { Authorization: '=Bearer {{$credentials.accessToken}}' } },
	};

	test: ICredentialTestRequest = {
		request: {
			baseURL: addressExpression('accountUrl', ACCOUNT_URLS.accountUrl),
			url: '/auth/profile',
			disableFollowRedirect: true,
		},
		rules: [{ type: 'responseCode', properties: { value: 401, message: INVALID_SESSION } }],
	};
}
