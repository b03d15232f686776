import type { INodeProperties } from 'n8n-workflow';

/**
 * The fields that limit where the HTTP Request node may send a credential. Without them, n8n would add the same fields with the default "all", and
 * anybody who may use the credential could send the secret anywhere. `refresh`: whether n8n refreshes the credential's token, which newer versions also
 * limit to these domains.
 */
export const domainRestrictionFields = (use: { refresh: boolean }): INodeProperties[] => [
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
		description: `The domains that the HTTP Request node may send this credential to. This doesn't affect the Segmind nodes${use.refresh ? ', but newer versions of n8n also check it when refreshing the session, so the host of Account URL must be allowed' : ''}.`,
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
