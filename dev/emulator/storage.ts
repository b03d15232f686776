import { createHmac, randomBytes } from 'node:crypto';

const validMs = 3_600_000;

/** Objects behind presigned addresses: datasets that clients put, weights that they fetch. */
export function createObjectStore(origin: () => string, now: () => number) {
	const secret = randomBytes(16);
	const objects = new Map<string, { bytes: Buffer; public: boolean }>();
	/** Address of a path on the web. */
	const url = (path: string): string => origin() + path;
	const sign = (method: string, path: string, acl: string, expires: string): string =>
		createHmac('sha256', secret).update([method, path, acl, expires].join('\n')).digest('hex');
	return {
		url,
		/** An address that allows one method on one path for an hour. */
		presign(method: 'GET' | 'PUT', path: string, isPublic: boolean): string {
			const expires = String(now() + validMs);
			const acl = isPublic ? 'public-read' : '';
			const query = new URLSearchParams({
				'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
				'X-Amz-Expires': String(validMs / 1000),
				'X-Amz-Date': expires,
				...(isPublic && { 'x-amz-acl': acl }),
				'X-Amz-Signature': sign(method, path, acl, expires),
			});
			return `${url(path)}?${query.toString()}`;
		},
		/** What a signed address allows, or why it allows nothing. */
		check(method: string, path: string, query: URLSearchParams): { public: boolean } | string {
			const acl = query.get('x-amz-acl') ?? '';
			const expires = query.get('X-Amz-Date') ?? '';
			const right = sign(method, path, acl, expires);
			if (query.get('X-Amz-Signature') !== right) return 'SignatureDoesNotMatch';
			return now() < Number(expires) ? { public: acl === 'public-read' } : 'AccessDenied';
		},
		put(path: string, bytes: Buffer, isPublic: boolean): void {
			objects.set(path, { bytes, public: isPublic });
		},
		get: (path: string) => objects.get(path),
		/** Whether an address leads here. */
		isOwn: (address: string) => address.startsWith(`${origin()}/`),
		/** The object an address without a signature names. */
		find: (address: string) => objects.get(address.slice(origin().length)),
		/** What clients put. */
		views: () =>
			[...objects]
				.filter(([path]) => path.startsWith('/datasets/'))
				.map(([path, object]) => ({
					url: url(path),
					bytes: object.bytes.length,
					public: object.public,
				})),
		clear: () => objects.clear(),
	};
}
