/** The access token of a Segmind Session API credential (docs/service.md S380, S381). */
import type { ICredentialDataDecryptedObject, IDataObject } from 'n8n-workflow';

import { isObject, parseJson } from './schemas';

/** Returns the token to send: the one that the user entered, which a refresh removes, or else the one from the last refresh; '' if there is none. */
export function accessTokenIn({
	enteredAccessToken,
	accessToken,
}: ICredentialDataDecryptedObject): string {
	return String(enteredAccessToken ?? '').trim() || String(accessToken ?? '');
}

/** Returns the claims of a JWT that clients may read (docs/service.md S381); {} if the token isn't a JWT. */
export function claimsIn(token: string): IDataObject {
	const payload = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
	if (!isObject(payload)) return {};
	const { jti, identity, iat, nbf, exp } = payload as IDataObject;
	return { jti, identity, iat, nbf, exp };
}

/** Returns when a token expires, in ms since the epoch; NaN if it doesn't say. */
export function expiryOf(token: string): number {
	const { exp } = claimsIn(token);
	return typeof exp === 'number' ? exp * 1_000 : NaN;
}
