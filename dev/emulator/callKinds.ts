import type { CallKind, OriginName } from './types';

const apiPaths: Array<[RegExp, CallKind]> = [
	[/^\/v1\/get-user-credits$/, 'credits'],
	[/^\/v1\/requests\/[^/]+$/, 'poll'],
	[/^\/v2\/requests\/[^/]+\/status$/, 'status'],
	[/^\/v2\/requests\/[^/]+$/, 'result'],
	[/^\/workflows\/request\/[^/]+$/, 'poll'],
	[/^\/workflows\/v2\/requests\/[^/]+\/status$/, 'status'],
	[/^\/workflows\/v2\/requests\/[^/]+$/, 'result'],
	[/^\/workflows\/v2\/[^/]+$/, 'submit'],
	[/^\/v1\/[^/]+$/, 'v1'],
	[/^\/v2\/[^/]+$/, 'submit'],
	[/^\/finetune\//, 'finetune'],
];

const adminPaths: Array<[RegExp, CallKind]> = [
	[/^\/endpoint\//, 'endpoint'],
	[/^\/inference-request\//, 'history'],
	[/^\/inference-model-information\//, 'models'],
];

const creatingPosts: ReadonlySet<CallKind> = new Set<CallKind>(['submit', 'v1']);

/** What a call asks for, by its origin, method and path (without the query). */
export function kindOf(origin: OriginName, method: string, path: string): CallKind {
	switch (origin) {
		case 'api': {
			const kind = find(apiPaths, path);
			return creatingPosts.has(kind) && method !== 'POST' ? 'other' : kind;
		}
		case 'admin':
		case 'adminStaging':
			return find(adminPaths, path);
		case 'upload':
			return path === '/upload-asset' && method === 'POST' ? 'upload' : 'other';
		case 'files':
			return 'file';
		case 'storage':
		case 'account':
		case 'console':
		case 'hostile':
			return origin;
	}
}

function find(paths: Array<[RegExp, CallKind]>, path: string): CallKind {
	return paths.find(([pattern]) => pattern.test(path))?.[1] ?? 'other';
}
