import type {
	IAuthenticate,
	ICredentialTestRequest,
	ICredentialType,
	INodeProperties,
} from 'n8n-workflow';

import { SERVICE_URLS } from '../nodes/shared/service/addresses';
import { addressExpression, customAddressFields } from './customAddresses';
import { domainRestrictionFields } from './domainRestriction';

/** Without this message, the credential's test shows only "Unauthorized" (docs/n8n.md N127). */
const WRONG_KEY = 'This API key is invalid. Copy the whole key from the API Keys page.';
const WEB_PAGE =
	'A web page answered instead of Segmind. Check Base URL, and the proxy or firewall between n8n and Segmind.';

export class SegmindApi implements ICredentialType {
	name = 'segmindApi';

	displayName = 'Segmind API';

	icon = { light: 'file:../icons/segmind.svg', dark: 'file:../icons/segmind.dark.svg' } as const;

	documentationUrl =
		'https://repository.invalid/n8n-nodes-segmind/blob/main/docs/nodes.md#credentials';

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
	authenticate: IAuthenticate = async (credentials, options) => ({
		...options,
		headers: { ...options.headers, 'x-api-key': String(credentials.apiKey ?? '') },
	});

	// Reading the balance is free and runs no model (docs/service.md S42, S44). A valid key of an account without a credit record gets a 404, so a 404
	// counts as success.
	test: ICredentialTestRequest = {
		request: {
			baseURL: addressExpression('baseUrl', SERVICE_URLS.baseUrl),
			url: '/v1/get-user-credits',
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: {
				ignore: true,
				except: [301, 302, 303, 307, 308, 400, 401, 402, 403, 405, 406, 429, 500, 502, 503, 504],
			},
		},
		rules: [
			{
				type: 'responseCode',
				properties: { value: 401, message: WRONG_KEY },
			},
			{
				// A web page begins with this character, a balance doesn't.
				type: 'responseSuccessBody',
				properties: { key: '0', value: '<', message: WEB_PAGE },
			},
			// n8n's type wants rules of one kind, its code takes both.
		] as ICredentialTestRequest['rules'],
	};
}
