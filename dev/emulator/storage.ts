import { createHmac, randomBytes } from 'node:crypto';

const URL_VALID_MS = 3_600_000;

/** Creates the store of the objects behind presigned URLs: datasets that clients upload and weights that they download. */
export function createObjectStore(origin: () => string, now: () => number) {
	const secret = randomBytes(16);
	const objects = new Map<string, { bytes: Buffer; public: boolean }>();
	/** Returns the URL of an object, without a signature. */
	const url = (path: string): string => origin() + path;
	const sign = (method: string, path: string, acl: string, expires: string): string =>
		createHmac('sha256', secret).update([method, path, acl, expires].join('\n')).digest('hex');
	return {
		url,
		/** Returns a URL that allows one method on one path for an hour. */
		presign(method: 'GET' | 'PUT', path: string, isPublic: boolean): string {
			const expires = String(now() + URL_VALID_MS);
			const acl = isPublic ? 'public-read' : '';
			const query = new URLSearchParams({
				'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
				'X-Amz-Expires': String(URL_VALID_MS / 1000),
				'X-Amz-Date': expires,
				...(isPublic && { 'x-amz-acl': acl }),
				'X-Amz-Signature': sign(method, path, acl, expires),
			});
			return `${url(path)}?${query.toString()}`;
		},
		/** Returns what the signature of a URL allows, or the error code if it allows nothing. */
		check(method: string, path: string, query: URLSearchParams): { public: boolean } | string {
			const acl = query.get('x-amz-acl') ?? '';
			const expires = query.get('X-Amz-Date') ?? '';
			const expected = sign(method, path, acl, expires);
			if (query.get('X-Amz-Signature') !== expected) return 'SignatureDoesNotMatch';
			return now() < Number(expires) ? { public: acl === 'public-read' } : 'AccessDenied';
		},
		put(path: string, bytes: Buffer, isPublic: boolean): void {
			objects.set(path, { bytes, public: isPublic });
		},
		get: (path: string) => objects.get(path),
		/** Whether a URL is on this storage. */
		isStorageUrl: (address: string) => address.startsWith(`${origin()}/`),
		/** Finds the object at a URL without a signature. */
		find: (address: string) => objects.get(address.slice(origin().length)),
		/** Returns the datasets that clients uploaded. */
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
