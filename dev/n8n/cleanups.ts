/** Functions that end what was started. They are called in reverse order, even if starting the rest failed. */
export type Cleanups = Array<() => Promise<unknown>>;

/** Starts several things. @throws what `start` throws, after ending everything that it had started */
export async function startAll<T>(start: (cleanups: Cleanups) => Promise<T>): Promise<T> {
	const cleanups: Cleanups = [];
	const starting = start(cleanups);
	await starting.catch(async () => await cleanUp(cleanups));
	return await starting;
}

export async function cleanUp(cleanups: Cleanups): Promise<void> {
	for (const end of cleanups.reverse()) await end();
}
