import { randomBytes } from 'node:crypto';
import { createWindow } from './rateLimit';
import { createTokenMint } from './tokens';
import type { ApiKeyRecord } from './types';

export const accountUser = { username: 'emulated-user', email: 'user@example.com' } as const;

/** Refresh tokens live 30 days (docs/service.md S231). */
const refreshTokenMs = 30 * 24 * 3_600_000;

/** The account's tokens and keys, and what limits its calls. */
export function createAccount(key: string, now: () => number) {
	const tokens = createTokenMint(now);
	const issue = (): string => tokens.issue('refresh', accountUser.email, refreshTokenMs);
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
	const keys = [record(key, 'Default', null)];
	const callsOfMinute = createWindow(() => 60_000);
	const refreshesOfHour = createWindow(() => 3_600_000);
	const spent = new Set<string>();
	let refresh: string | undefined;
	/** The refresh token in force. */
	const refreshToken = (): string => (refresh ??= issue());
	return {
		tokens,
		keys,
		callsOfMinute,
		refreshesOfHour,
		refreshToken,
		/** Ends the current refresh token and returns a new one. */
		rotate(): string {
			tokens.revoke(refreshToken());
			return (refresh = issue());
		},
		/** Whether a verification token is a new one: each sign-in attempt has its own. */
		spend(token: unknown): boolean {
			if (typeof token !== 'string' || token === '' || spent.has(token)) return false;
			spent.add(token);
			return true;
		},
		addKey(name: string | null, expiryDate: string | null): ApiKeyRecord {
			const added = record(`SG_${randomBytes(8).toString('hex')}`, name, expiryDate);
			keys.push(added);
			return added;
		},
		reset(): void {
			refresh = undefined;
			keys.splice(0, keys.length, record(key, 'Default', null));
			callsOfMinute.reset();
			refreshesOfHour.reset();
			spent.clear();
		},
	};
}
