import type { Call, OriginName } from './types';

/** The origins whose calls may have a key in a header. The model list on the admin origin doesn't need it, but accepts it. */
const keyOrigins: ReadonlySet<OriginName> = new Set<OriginName>([
	'api',
	'upload',
	'admin',
	'adminStaging',
]);

/** The origins that may know who calls: those of the credentials. */
const ownOrigins: ReadonlySet<OriginName> = new Set<OriginName>([...keyOrigins, 'account']);

/** The origins whose calls may have a key in the body: the calls that manage keys have it there. */
const bodyKeyOrigins: ReadonlySet<OriginName> = new Set<OriginName>(['account']);

/**
 * Finds secrets that a call must not contain: a key or token header (with any value) at an origin that takes none, the key as a bearer token, or
 * the key in a URL or a body. Returns where they are.
 */
export function findLeaks(call: Call, key: string, body: Buffer): string[] {
	const { origin, headers, path } = call;
	const leaks: string[] = [];
	if (headers['x-api-key'] !== undefined && !keyOrigins.has(origin)) leaks.push('x-api-key');
	if (/segmind/.test(headers['user-agent'] ?? '') && !ownOrigins.has(origin))
		leaks.push('user-agent');
	const authorization = headers.authorization;
	if (authorization !== undefined && (origin !== 'account' || authorization.includes(key)))
		leaks.push('authorization');
	if (decodePath(path).includes(key)) leaks.push('path');
	if (!bodyKeyOrigins.has(origin) && body.includes(key)) leaks.push('body');
	return leaks;
}

function decodePath(path: string): string {
	try {
		return decodeURIComponent(path);
	} catch {
		return path;
	}
}
