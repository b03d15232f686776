import type { INodeProperties } from 'n8n-workflow';

import { callAccount, unusableResponse } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { memberText } from '../../../shared/service/picker';
import { isObject } from '../../../shared/service/schemas';
import { includeTokensField, tokenOutput } from './tokenOutput';

const subject = 'reading the profile';

export const description: INodeProperties[] = forResourceOperation('session', 'getProfile', [
	includeTokensField,
]);

/** GET {accountUrl}/auth/profile (docs/service.md S380). One call per run. */
export async function execute(session: AccountSession, itemIndex: number) {
	const { status, body } = await session.memoize(
		'profile',
		async () => await callAccount(session, { method: 'GET', path: '/auth/profile', subject }),
	);
	if (!isObject(body)) throw unusableResponse(status, subject);
	// Other members of a profile may be secrets.
	const [username, email] = [memberText(body, 'username'), memberText(body, 'email')];
	return { json: { username, email, ...tokenOutput(session, itemIndex) } };
}
