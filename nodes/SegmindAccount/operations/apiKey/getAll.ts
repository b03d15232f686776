import type { INodeProperties } from 'n8n-workflow';

import { callAccount, unusableResponseFailure } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { keyItem } from '../../../shared/account/keys';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { limitEntries, limitFields } from '../../../shared/descriptions/limit';
import { listIn } from '../../../shared/service/schemas';

const subject = 'listing the API keys';

export const description: INodeProperties[] = showForResourceOperation('apiKey', 'getAll', [
	...limitFields,
	{
		displayName: 'Show Full Keys',
		name: 'showFullKeys',
		type: 'boolean',
		default: false,
		description:
			'Whether to return full keys instead of masked ones. Rename, Set Model Access and Delete need full keys. Anyone who can see the execution can then use these keys.',
	},
]);

/** GET {accountUrl}/auth/get-api-keys (docs/service.md S383). One call per run. Returns one item for each key. */
export async function execute(session: AccountSession, itemIndex: number) {
	const showFull = session.context.getNodeParameter('showFullKeys', itemIndex) === true;
	const { status, body } = await session.memoize(
		'keys',
		async () => await callAccount(session, { method: 'GET', path: '/auth/get-api-keys', subject }),
	);
	const keys = listIn(body);
	if (keys === undefined) throw unusableResponseFailure(status, subject);
	return limitEntries(session, itemIndex, keys).map((entry) => ({
		json: keyItem(entry, showFull),
	}));
}
