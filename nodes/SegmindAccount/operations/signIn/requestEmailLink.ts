import type { INodeProperties } from 'n8n-workflow';

import { callAccount } from '../../../shared/account/accountCalls';
import type { AccountSession } from '../../../shared/account/accountSession';
import { showForResourceOperation } from '../../../shared/descriptions/forOperation';
import { readRequiredText } from '../../../shared/inputs/values';
import { doOnce } from '../../../shared/manage/doOnce';
import { isObject } from '../../../shared/service/schemas';
import { textOfMember } from '../../../shared/service/picker';
import { readVerificationToken, verificationTokenField } from '../../verificationToken';

const subject = 'requesting the sign-in email';

export const description: INodeProperties[] = showForResourceOperation(
	'signIn',
	'requestEmailLink',
	[
		{
			displayName: 'Email',
			name: 'email',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'name@email.com',
			description: 'The address to send the link to. The link works once.',
		},
		verificationTokenField,
	],
);

/** POST {accountUrl}/auth/login/email/request without Authorization (docs/service.md S390). Journaled, because the verification token works only once. */
export async function execute(session: AccountSession, itemIndex: number) {
	const email = readRequiredText(session.context, itemIndex, 'email', 'Email');
	const token = readVerificationToken(session, itemIndex);
	const whenUnknown =
		'Check the mailbox. If no email has arrived, start the workflow again with a new verification token.';
	return await doOnce(session, { itemIndex, subject, whenUnknown }, async () => {
		const { body } = await callAccount(session, {
			method: 'POST',
			path: '/auth/login/email/request',
			body: { email, token },
			subject,
			signedOut: true,
		});
		const ownMessage = isObject(body) ? textOfMember(body, 'message') : '';
		return { json: { email, message: ownMessage || 'Check your email for the sign-in link' } };
	});
}
