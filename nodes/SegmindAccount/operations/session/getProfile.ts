import type { INodeProperties } from 'n8n-workflow';

import { callAccount, unusableResponseFailure } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { textOfMember } from '../../../shared/service/picker';
import { isObject } from '../../../shared/service/schemas';
import { includeTokensField, tokenOutput } from './tokenOutput';

const subject = 'reading the profile';

export const description: INodeProperties[] = showForResourceOperation('session', 'getProfile', [
	includeTokensField,
]);

/** GET {accountUrl}/auth/profile (docs/service.md S380). One call per run. */
export async function execute(session: AccountSession, itemIndex: number) {
	const { status, body } = await session.memoize(
		'profile',
		async () => await callAccount(session, { method: 'GET', path: '/auth/profile', subject }),
	);
	if (!isObject(body)) throw unusableResponseFailure(status, subject);
	// The output has only these two members, because others may be secrets.
	const [username, email] = [textOfMember(body, 'username'), textOfMember(body, 'email')];
	return { json: { username, email, ...tokenOutput(session, itemIndex) } };
}
