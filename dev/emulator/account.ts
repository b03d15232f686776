import { randomBytes } from 'node:crypto';
import { createCallCounter } from './rateLimit';
import { createTokenMint } from './tokens';
import type { ApiKeyRecord } from './types';

export const accountUser = { username: 'emulated-user', email: 'user@example.com' } as const;

/** Refresh tokens live 30 days. */
const REFRESH_TOKEN_MS = 30 * 24 * 3_600_000;

/** Creates the account: its tokens and keys, and the counters that limit its calls. */
export function createAccount(key: string, now: () => number) {
	const tokens = createTokenMint(now);
	const issueRefreshToken = (): string =>
		tokens.issue('refresh', accountUser.email, REFRESH_TOKEN_MS);
	const keyRecord = (
		api_key: string,
		name: string | null,
		expiry_date: string | null,
	): ApiKeyRecord => ({
		api_key,
		name,
		created_at: new Date(now()).toISOString(),
		expiry_date,
		model_access: null,
	});
	const keys = [keyRecord(key, 'Default', null)];
	const callCounter = createCallCounter(() => 60_000);
	const refreshCounter = createCallCounter(() => 3_600_000);
	const usedVerificationTokens = new Set<string>();
	let currentToken: string | undefined;
	/** Returns the refresh token that is valid now. */
	const currentRefreshToken = (): string => (currentToken ??= issueRefreshToken());
	return {
		tokens,
		keys,
		callCounter,
		refreshCounter,
		currentRefreshToken,
		/** Revokes the current refresh token and returns a new one. */
		rotateRefreshToken(): string {
			tokens.revoke(currentRefreshToken());
			return (currentToken = issueRefreshToken());
		},
		/** Uses up a verification token. Returns false if it isn't a string or was used before, because each sign-in attempt needs a new one. */
		consumeVerificationToken(token: unknown): boolean {
			if (typeof token !== 'string' || token === '' || usedVerificationTokens.has(token))
				return false;
			usedVerificationTokens.add(token);
			return true;
		},
		addKey(name: string | null, expiryDate: string | null): ApiKeyRecord {
			const added = keyRecord(`SG_${randomBytes(8).toString('hex')}`, name, expiryDate);
			keys.push(added);
			return added;
		},
		reset(): void {
			currentToken = undefined;
			keys.splice(0, keys.length, keyRecord(key, 'Default', null));
			callCounter.reset();
			refreshCounter.reset();
			usedVerificationTokens.clear();
		},
	};
}
