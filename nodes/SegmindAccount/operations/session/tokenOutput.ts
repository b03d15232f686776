import type { IDataObject, INodeProperties } from 'n8n-workflow';

import type { AccountSession } from '../../../shared/account/accountSession';
import { numberIn } from '../../../shared/base/text';
import { isObject, parseJson } from '../../../shared/service/schemas';

export const includeTokensField: INodeProperties = {
	displayName: 'Include Tokens',
	name: 'includeTokens',
	type: 'boolean',
	default: false,
	description:
		'Whether to include the access token and the refresh token in the output. Anyone who can see the execution can then act as this user.',
};

/** Returns the claims of the access token and, if the item asks for them, the tokens. */
export function tokenOutput(session: AccountSession, itemIndex: number): IDataObject {
	const { accessToken, refreshToken } = session.tokens;
	const includesTokens = session.context.getNodeParameter('includeTokens', itemIndex) === true;
	return {
		...claimsOf(accessToken),
		...(includesTokens && { access_token: accessToken, refresh_token: refreshToken }),
	};
}

/** Returns the claims of a JWT that clients may read (docs/service.md S381), and its expiry as an ISO time; {} if the token isn't a JWT. */
function claimsOf(token: string): IDataObject {
	const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
	if (!isObject(payload)) return {};
	const { jti, identity, iat, nbf, exp } = payload as IDataObject;
	const expiresAt = new Date((numberIn(exp) ?? NaN) * 1_000);
	return {
		jti,
		identity,
		iat,
		nbf,
		exp,
		...(Number.isNaN(expiresAt.getTime()) ? {} : { expires_at: expiresAt.toISOString() }),
	};
}
