import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { AccountSession } from '../../../shared/account/accountSession';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { readChoice } from '../../../shared/inputs/values';
import { joinUrl } from '../../../shared/service/origins';

const PROVIDERS = ['azure', 'console', 'discord', 'google'] as const;

export const description: INodeProperties[] = showForResourceOperation('signIn', 'getUrl', [
	{
		displayName: 'Provider',
		name: 'provider',
		type: 'options',
		options: [
			{
				name: 'Console',
				value: 'console',
				description: 'The sign-in page, which offers all providers',
			},
			{ name: 'Discord', value: 'discord' },
			{ name: 'Google', value: 'google' },
			{ name: 'Microsoft', value: 'azure' },
		],
		default: 'console',
		description: 'The provider to sign in with',
	},
]);

/** Returns the URL to open in a browser, without a call (docs/service.md S391). */
export async function execute(
	{ context, accountUrl, consoleUrl }: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const provider = readChoice(
		context.getNodeParameter('provider', itemIndex),
		'Provider',
		PROVIDERS,
	);
	const url =
		provider === 'console'
			? joinUrl(consoleUrl, '/auth/login')
			: joinUrl(accountUrl, `/login/${provider}`);
	return { json: { provider, url } };
}
