import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { isRecord } from './prompt';

export interface Claims {
	jti: string;
	/** Seconds, as JWTs count. */
	exp: number;
	iat: number;
	nbf: number;
	identity: string;
	type: 'access' | 'refresh' | 'session';
}

/** Signed tokens with the specified claims (docs/service.md S381). */
export interface TokenMint {
	issue(type: Claims['type'], identity: string, lifetimeMs: number): string;
	/** The claims of a token that is signed here, of this type, not expired and not revoked. */
	read(token: string, type: Claims['type']): Claims | undefined;
	revoke(jti: string): void;
}

export function createTokenMint(now: () => number): TokenMint {
	const secret = randomBytes(32);
	const revoked = new Set<string>();
	const encode = (value: unknown): string =>
		Buffer.from(JSON.stringify(value)).toString('base64url');
	const sign = (text: string): string =>
		createHmac('sha256', secret).update(text).digest('base64url');
	return {
		issue(type, identity, lifetimeMs) {
			const iat = Math.floor(now() / 1000);
			const claims: Claims = {
				jti: randomUUID(),
				exp: Math.floor((now() + lifetimeMs) / 1000),
				iat,
				nbf: iat,
				identity,
				type,
			};
			const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
			return `${text}.${sign(text)}`;
		},
		read(token, type) {
			const [head, payload, signature] = token.split('.');
			if (payload === undefined || signature !== sign(`${head}.${payload}`)) return undefined;
			const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
			if (!isRecord(claims)) return undefined;
			const known = claims as unknown as Claims;
			return known.type === type && now() < known.exp * 1000 && !revoked.has(known.jti)
				? known
				: undefined;
		},
		revoke(jti) {
			revoked.add(jti);
		},
	};
}
