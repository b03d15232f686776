import type {
	IAuthenticateGeneric,
	ICredentialDataDecryptedObject,
	ICredentialTestRequest,
	ICredentialType,
	IDataObject,
	IHttpRequestHelper,
	INodeProperties,
} from 'n8n-workflow';

import { SIGN_IN_AGAIN } from '../nodes/shared/errors/errorTable';
import { refreshTokens } from '../nodes/shared/account/tokens';
import { wrapForN8n, type SegmindFailure } from '../nodes/shared/base/failure';
import {
	addressExpression,
	customAddressFields,
} from '../nodes/shared/descriptions/customAddresses';
import { domainRestrictionFields } from '../nodes/shared/descriptions/domainRestriction';
import { ACCOUNT_URLS } from '../nodes/shared/service/addresses';

/** n8n would say no more than "Unauthorized" (docs/n8n.md N127). */
const REFUSED = `The session was not accepted. ${SIGN_IN_AGAIN}`;

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
			// n8n renews only a property that is hidden and expirable (docs/n8n.md N120).
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
					'Address of the account API. Public sources disagree on it, so change it if calls fail with 404. The tokens are only sent to this origin.',
			},
			{
				displayName: 'Console URL',
				name: 'consoleUrl',
				type: 'string',
				default: ACCOUNT_URLS.consoleUrl,
				description: 'Address of the web console, where people sign in. No call is made to it.',
			},
		]),
		...domainRestrictionFields({ refresh: true }),
	];

	/** n8n runs it when the access token is empty or was refused, and stores what it returns. */
	async preAuthentication(
		this: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
	): Promise<IDataObject> {
		const { httpRequest } = this.helpers;
		const tokens = await refreshTokens(httpRequest, credentials).catch((error: SegmindFailure) => {
			throw wrapForN8n(error);
		});
		return { ...tokens };
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
		rules: [{ type: 'responseCode', properties: { value: 401, message: REFUSED } }],
	};
}
