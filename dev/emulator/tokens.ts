import { createHmac, randomBytes, randomUUID } from 'node:crypto';

type TokenType = 'access' | 'refresh';

/** Issues and checks signed tokens with the specified claims (docs/service.md S381). */
export function createTokenMint(now: () => number) {
	const secret = randomBytes(32);
	const revoked = new Set<string>();
	const encode = (value: unknown): string =>
		Buffer.from(JSON.stringify(value)).toString('base64url');
	const sign = (text: string): string =>
		createHmac('sha256', secret).update(text).digest('base64url');
	return {
		issue(type: TokenType, identity: string, lifetimeMs: number): string {
			// JWTs count in seconds.
			const iat = Math.floor(now() / 1000);
			const exp = Math.floor((now() + lifetimeMs) / 1000);
			const claims = { jti: randomUUID(), exp, iat, nbf: iat, identity, type };
			const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
			return `${text}.${sign(text)}`;
		},
		/** Whether a token was issued here, has this type, and isn't expired or revoked. */
		isValid(token: string, type: TokenType): boolean {
			const [head, payload, signature] = token.split('.');
			if (payload === undefined || signature !== sign(`${head}.${payload}`)) return false;
			const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
				type: TokenType;
				exp: number;
			};
			return claims.type === type && now() < claims.exp * 1000 && !revoked.has(token);
		},
		revoke(token: string): void {
			revoked.add(token);
		},
	};
}
