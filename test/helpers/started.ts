/**
 * What a test file starts before its tests. The object exists at once, so that a file can take it apart at its top level, and passes each
 * access on to what `start` returned.
 */
export function useStarted<T extends object>(start: () => Promise<T>, timeoutMs?: number): T {
	let started = {} as T;
	beforeAll(async () => void (started = await start()), timeoutMs);
	return new Proxy({} as T, {
		get: (_target, name) => Reflect.get(started, name) as unknown,
		set: (_target, name, value) => Reflect.set(started, name, value),
	});
}
