import { randomBytes } from 'node:crypto';
import { createTokenMint, type TokenMint } from './tokens';
import type { ApiKeyRecord } from './types';

export const accountUser = { username: 'emulated-user', email: 'user@example.com' } as const;

/** Refresh tokens live 30 days (docs/service.md S231). */
const refreshTokenMs = 30 * 24 * 3_600_000;

/** The account's tokens and keys. */
export interface Account {
	tokens: TokenMint;
	keys: ApiKeyRecord[];
	/** The refresh token in force. */
	refreshToken(): string;
	/** Ends the refresh token in force and gives a new one. */
	rotate(): string;
	addKey(name: string | null, expiryDate: string | null): ApiKeyRecord;
	reset(): void;
}

export function createAccount(key: string, now: () => number): Account {
	const tokens = createTokenMint(now);
	let refresh: string | undefined;
	const record = (
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
	const issue = (): string => tokens.issue('refresh', accountUser.email, refreshTokenMs);
	const account: Account = {
		tokens,
		keys: [record(key, 'Default', null)],
		refreshToken() {
			refresh ??= issue();
			return refresh;
		},
		rotate() {
			tokens.revoke(account.refreshToken());
			refresh = issue();
			return refresh;
		},
		addKey(name, expiryDate) {
			const added = record(`SG_${randomBytes(8).toString('hex')}`, name, expiryDate);
			account.keys.push(added);
			return added;
		},
		reset() {
			refresh = undefined;
			account.keys.splice(0, account.keys.length, record(key, 'Default', null));
		},
	};
	return account;
}
