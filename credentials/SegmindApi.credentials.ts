import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { addressesIn, SERVICE_URLS } from '../nodes/shared/service/addresses';
import { addressExpression, bodyRule, limitTest, statusRule, webPageRule } from './credentialTest';
import { customAddressFields } from './customAddresses';
import { domainRestrictionFields } from './domainRestriction';

/** The call of the credential's test: reading the balance is free and runs no model (docs/service.md S42). */
const TEST_PATH = '/v1/get-user-credits';

export class SegmindApi implements ICredentialType {
	name = 'segmindApi';

	displayName = 'Segmind API';

	icon = { light: 'file:../icons/segmind.svg', dark: 'file:../icons/segmind.dark.svg' } as const;

	documentationUrl = 'https://repository.invalid/n8n-nodes-segmind/blob/main/docs/nodes.md';

	properties: INodeProperties[] = [
		{
			displayName: 'API Key',
			name: 'apiKey',
			type: 'string',
			typeOptions: { password: true },
			default: '',
			required: true,
			placeholder: 'e.g. SG_0123456789abcdef',
			// The editor shows a description only while the pointer is on the label.
			hint: 'From the <a href="https://platform.segmind.com/api-keys" target="_blank">API Keys page</a> of the Segmind console',
		},
		...customAddressFields([
			{
				displayName: 'Base URL',
				name: 'baseUrl',
				type: 'string',
				default: SERVICE_URLS.baseUrl,
				description:
					'Base URL of the API for models, workflows, fine-tunes and credits. The key is sent only to the URLs in this credential.',
			},
			{
				displayName: 'Upload URL',
				name: 'uploadUrl',
				type: 'string',
				default: SERVICE_URLS.uploadUrl,
				description: 'URL for uploading assets',
			},
			{
				displayName: 'Endpoint Admin URL',
				name: 'endpointAdminUrl',
				type: 'string',
				default: SERVICE_URLS.endpointAdminUrl,
				description:
					'URL of the API for dedicated endpoints, the model list and the request history',
			},
			{
				displayName: 'Endpoint Admin Staging URL',
				name: 'endpointAdminStagingUrl',
				type: 'string',
				default: SERVICE_URLS.endpointAdminStagingUrl,
				description: 'URL of the API for dedicated endpoints in the staging environment',
			},
		]),
		...domainRestrictionFields({ refresh: false }),
	];

	// This is a function, because a template contains expressions: Fine-Tune Trigger calls Segmind after it has responded to a webhook, when n8n may not
	// evaluate expressions.
	authenticate: IAuthenticate = async (credentials, options) => {
		const limited = limitTest(options, TEST_PATH, addressesIn(credentials, SERVICE_URLS));
		return {
			...limited,
			headers: { ...limited.headers, 'x-api-key': String(credentials.apiKey ?? '') },
		};
	};

	// A valid key of an account without a credit record gets a 404 (docs/service.md S44), but so does any key at a wrong address.
	test: ICredentialTestRequest = {
		request: {
			baseURL: addressExpression('baseUrl', SERVICE_URLS.baseUrl),
			url: TEST_PATH,
			disableFollowRedirect: true,
		},
		rules: [
			statusRule(401, 'This API key is invalid. Copy the whole key from the API Keys page.'),
			webPageRule('Base URL'),
			statusRule(
				404,
				'Base URL is wrong, or the account has no credits yet. Check Custom Addresses, or add credits in the Segmind console.',
			),
			bodyRule(
				'credits',
				undefined,
				"The response has no balance, so it isn't Segmind's. Check Base URL.",
			),
		] as ICredentialTestRequest['rules'],
	};
}
