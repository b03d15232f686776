import { randomBytes, randomUUID } from 'node:crypto';

type TokenType = 'access' | 'refresh';

/** Issues and checks tokens with the specified claims (docs/service.md S381). */
export function createTokenMint(now: () => number) {
	const issued = new Map<string, { type: TokenType; expiresAt: number }>();
	const encode = (value: unknown): string =>
		Buffer.from(JSON.stringify(value)).toString('base64url');
	return {
		issue(type: TokenType, identity: string, lifetimeMs: number): string {
			// JWTs count in seconds.
			const iat = Math.floor(now() / 1000);
			const exp = Math.floor((now() + lifetimeMs) / 1000);
			const claims = { jti: randomUUID(), exp, iat, nbf: iat, identity };
			const signature = randomBytes(32).toString('base64url');
			const token = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}.${signature}`;
			issued.set(token, { type, expiresAt: exp * 1000 });
			return token;
		},
		/** Whether a token was issued here, has this type, and isn't expired or revoked. */
		isValid(token: string, type: TokenType): boolean {
			const found = issued.get(token);
			return found?.type === type && now() < found.expiresAt;
		},
		revoke: (token: string) => void issued.delete(token),
	};
}
