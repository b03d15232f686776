/** The console's session: HTTP-only, secure, 30 days. */
export const sessionMs = 30 * 24 * 3_600_000;

const name = 'segmind_session';

export function sessionCookie(token: string): string {
	return `${name}=${token}; Max-Age=${sessionMs / 1000}; Path=/; HttpOnly; Secure; SameSite=Lax`;
}

/** The session's token in a Cookie header, or empty text. */
export function sessionIn(cookies: string | undefined): string {
	return new RegExp(`(?:^|;\\s*)${name}=([^;]+)`).exec(cookies ?? '')?.[1] ?? '';
}
