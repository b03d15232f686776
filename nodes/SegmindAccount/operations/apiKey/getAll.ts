import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callAccount, unusableAnswer } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { keyItem } from '../../../shared/account/keys';
import { firstList, isObject } from '../../../shared/service/schemas';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';

const subject = 'listing the API keys';

export const description: INodeProperties[] = forResourceOperation('apiKey', 'getAll', [
	{
		displayName: 'Show Full Keys',
		name: 'showFullKeys',
		type: 'boolean',
		default: false,
		description:
			'Whether to output whole keys instead of masked ones. Rename, Set Model Access and Delete need whole keys; whoever sees the execution can then use them.',
	},
]);

/** GET {accountUrl}/auth/get-api-keys (docs/service.md S383). One call a run; one item for each key. */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const showFull = session.context.getNodeParameter('showFullKeys', itemIndex) === true;
	const { answer, body } = await session.memoize(
		'keys',
		async () => await callAccount(session, { method: 'GET', path: '/auth/get-api-keys', subject }),
	);
	const holdsList =
		Array.isArray(body) || (isObject(body) && Object.values(body).some(Array.isArray));
	if (!holdsList)
		throw unusableAnswer(
			answer,
			subject,
			'It holds no list. Check Account URL in the Segmind Session API credential.',
		);
	return firstList(body).map((entry) => ({ json: keyItem(entry, showFull) }));
}
