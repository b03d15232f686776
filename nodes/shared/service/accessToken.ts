/** The access token of a Segmind Session API credential (docs/service.md S380). */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

/** Returns the token to send: the one that the user entered, which a refresh removes, or else the one from the last refresh; '' if there is none. */
export function accessTokenIn({
	enteredAccessToken,
	accessToken,
}: ICredentialDataDecryptedObject): string {
	return String(enteredAccessToken ?? '').trim() || String(accessToken ?? '');
}
