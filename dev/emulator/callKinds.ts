import type { Call, CallKind, OriginName } from './types';

const apiPaths: Array<[RegExp, CallKind]> = [
	[/^\/v1\/get-user-credits$/, 'credits'],
	[/^\/(v1\/requests|workflows\/request|requests)\/[^/]+$/, 'poll'],
	[/^\/(workflows\/)?v2\/requests\/[^/]+\/status$/, 'status'],
	[/^\/(workflows\/)?v2\/requests\/[^/]+$/, 'result'],
	[/^\/(workflows\/)?v2\/[^/]+$/, 'submit'],
	[/^\/workflows\/[^/]+$/, 'submit'],
	[/^\/v1\/[^/]+$/, 'v1'],
	[/^\/finetune\//, 'finetune'],
];

const requestPaths: RegExp[] = [
	/^\/(?:v[12]|workflows\/v2)\/requests\/([^/]+)(?:\/status)?$/,
	/^(?:\/workflows\/request|\/requests|\/inference-request\/request-history)\/([^/]+)$/,
];

/** Returns the ID of the request that a path (without the query) refers to. */
export function requestIdOf(path: string): string | undefined {
	return requestPaths.map((pattern) => pattern.exec(path)?.[1]).find(Boolean);
}

const adminPaths: Array<[RegExp, CallKind]> = [
	[/^\/endpoint\//, 'endpoint'],
	[/^\/inference-request\//, 'history'],
	[/^\/inference-model-information\//, 'models'],
];

/** Returns the number of calls of each kind. */
export function countsOf(calls: readonly Call[]): Partial<Record<CallKind, number>> {
	const counts: Partial<Record<CallKind, number>> = {};
	for (const { kind } of calls) counts[kind] = (counts[kind] ?? 0) + 1;
	return counts;
}

const allPaths = (kind: CallKind): Array<[RegExp, CallKind]> => [[/^/, kind]];

const pathsByOrigin: Record<OriginName, Array<[RegExp, CallKind]>> = {
	api: apiPaths,
	admin: adminPaths,
	adminStaging: adminPaths,
	upload: [[/^\/upload-asset$/, 'upload']],
	files: allPaths('file'),
	storage: allPaths('storage'),
	account: allPaths('account'),
	console: allPaths('console'),
	hostile: allPaths('hostile'),
};

/** The kinds of calls that create something, which only a POST does. A call with another method to such a path is of kind `other`. */
const creatingKinds: ReadonlySet<CallKind> = new Set<CallKind>(['submit', 'v1', 'upload']);

/** Returns the kind of a call, by origin, method and path (without the query). */
export function kindOf(origin: OriginName, method: string, path: string): CallKind {
	const kind = pathsByOrigin[origin].find(([pattern]) => pattern.test(path))?.[1] ?? 'other';
	return creatingKinds.has(kind) && method !== 'POST' ? 'other' : kind;
}
