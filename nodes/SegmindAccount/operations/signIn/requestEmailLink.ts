import type { INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { callWithoutSession, reportsFailure } from '../../../shared/account/accountCalls';
import { requiredText } from '../../../shared/inputs/values';
import type { AccountSession } from '../../../shared/account/accountSession';
import { doOnce } from '../../../shared/request/doOnce';

import { badInput, SegmindFailure } from '../../../shared/base/failure';
import { isObject } from '../../../shared/service/schemas';
import { reasonIn } from '../../../shared/service/errorBody';
import { forResourceOperation } from '../../../shared/descriptions/forOperation';
import { VERIFICATION_ADVICE, verificationTokenField } from '../../account';

const subject = 'requesting the login email';
/** What the service says where a failure has no text of its own. */
const NOT_SENT = 'failed to send login email';

export const description: INodeProperties[] = forResourceOperation('signIn', 'requestEmailLink', [
	{
		displayName: 'Email',
		name: 'email',
		type: 'string',
		default: '',
		required: true,
		placeholder: 'name@email.com',
		description: 'Where to send the link. It works once.',
	},
	verificationTokenField,
]);

/** POST {accountUrl}/auth/login/email/request, with no Authorization (docs/service.md S390). */
export async function execute(
	session: AccountSession,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const email = requiredText(
		session.context,
		itemIndex,
		'email',
		'Email',
		'Enter one email address.',
	);
	if (!/^[^@\s]+@[^@\s]+$/.test(email))
		throw badInput('Email is not an email address', 'Enter one, such as name@example.com.');
	const token = requiredText(
		session.context,
		itemIndex,
		'verificationToken',
		'Verification Token',
		VERIFICATION_ADVICE,
	);
	session.hide(token);
	const whenUnknown =
		'Check the mailbox; if no email came, start the workflow again with a new verification token.';
	return await doOnce(session, { itemIndex, subject, whenUnknown }, async () => {
		const { body } = await callWithoutSession(session, {
			method: 'POST',
			path: '/auth/login/email/request',
			body: { email, token },
			subject,
			defaultReason: NOT_SENT,
		});
		const members = isObject(body) ? body : {};
		if (reportsFailure(members))
			throw new SegmindFailure({
				message: `The login email was not sent: ${reasonIn(members, session.redact) || NOT_SENT}`,
				description: `Try again with a new verification token. ${VERIFICATION_ADVICE}`,
			});
		const { message } = members;
		return {
			json: {
				email,
				message: typeof message === 'string' ? message : 'Check your email for the login link',
			},
		};
	});
}
