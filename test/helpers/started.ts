/**
 * Starts something before the tests of a file. The returned object exists at once, so that the file can use it at its top level, and
 * forwards each access to what `start` returned.
 */
export function useStarted<T extends object>(start: () => Promise<T>, timeoutMs?: number): T {
	let started = {} as T;
	beforeAll(async () => void (started = await start()), timeoutMs);
	return new Proxy({} as T, {
		get: (_target, name) => Reflect.get(started, name) as unknown,
		set: (_target, name, value) => Reflect.set(started, name, value),
	});
}
