import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import type { AccountSession } from '../../../shared/account/accountSession';
import { badInput } from '../../../shared/base/failure';
import { shown } from '../../../shared/base/redact';
import { joinUrl, originOf } from '../../../shared/service/origins';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';

const PROVIDERS = ['google', 'discord', 'azure'];

export const description: INodeProperties[] = forResourceOperation('signIn', 'getUrl', [
	{
		displayName: 'Provider',
		name: 'provider',
		type: 'options',
		options: [
			{
				name: 'Console',
				value: 'console',
				description: 'The sign-in page, where a person chooses',
			},
			{ name: 'Discord', value: 'discord' },
			{ name: 'Google', value: 'google' },
			{ name: 'Microsoft', value: 'azure' },
		],
		default: 'console',
		description: 'Where the person signs in',
	},
]);

/** The address to open in a browser (docs/service.md S391). No call is made. */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const provider = String(session.context.getNodeParameter('provider', itemIndex));
	if (provider === 'console') {
		if (originOf(session.consoleUrl) === undefined)
			throw badInput(
				'Console URL in the Segmind Session API credential is not an http(s) address',
				'Correct it in the credential.',
			);
		return { json: { provider, url: joinUrl(session.consoleUrl, '/auth/login') } };
	}
	if (!PROVIDERS.includes(provider))
		throw badInput(
			`Provider '${shown(provider, 60)}' is not known`,
			'Choose google, discord, azure or console.',
		);
	return { json: { provider, url: joinUrl(session.accountUrl, `/login/${provider}`) } };
}
