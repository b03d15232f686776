import type { AccountSession } from '../shared/account/accountSession';
import { textField } from '../shared/descriptions/fields';
import { NEW_VERIFICATION_TOKEN } from '../shared/errors/accountTable';
import { readRequiredText } from '../shared/inputs/values';

const [NAME, LABEL] = ['verificationToken', 'Verification Token'];

export const verificationTokenField = textField(
	NAME,
	LABEL,
	"The token that the console's sign-in page creates in your browser. Copy it from the browser's developer tools. Each token works once, so this can't run on a schedule. If you can't get a token, create keys in the console.",
	{ typeOptions: { password: true }, required: true },
);

/** Reads the verification token (docs/service.md S385). @throws SegmindFailure if it's empty, before any call */
export function readVerificationToken(session: AccountSession, itemIndex: number): string {
	const token = readRequiredText(session.context, itemIndex, NAME, LABEL, NEW_VERIFICATION_TOKEN);
	session.hide(token);
	return token;
}
