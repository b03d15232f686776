import type { Call, OriginName } from './types';

const keyed: ReadonlySet<OriginName> = new Set<OriginName>([
	'api',
	'upload',
	'admin',
	'adminStaging',
]);

// Key management names keys in its body, and the model list tolerates a key header.
const bodyMayHoldKey: ReadonlySet<OriginName> = new Set<OriginName>(['account']);

/**
 * Finds secrets that a call must not carry: a key or token sent to an origin that takes none, a key as
 * bearer token, or the key in a URL or a body. Header values count whatever they are.
 */
export function leaksIn(call: Call, key: string, body: Buffer): string[] {
	const { origin, headers, path } = call;
	const found: string[] = [];
	if (headers['x-api-key'] !== undefined && !keyed.has(origin)) found.push('x-api-key');
	const authorization = headers.authorization;
	if (authorization !== undefined && (origin !== 'account' || authorization.includes(key)))
		found.push('authorization');
	if (decoded(path).includes(key)) found.push('path');
	if (!bodyMayHoldKey.has(origin) && body.includes(key)) found.push('body');
	return found;
}

function decoded(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
