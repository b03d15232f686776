/** What ends something that was started; called in reverse order, also when starting the rest failed. */
export type Endings = Array<() => Promise<unknown>>;

/** Starts several things, one after the other. @throws what `start` throws, with everything ended that it had started */
export async function startedWith<T>(start: (endings: Endings) => Promise<T>): Promise<T> {
	const endings: Endings = [];
	const starting = start(endings);
	await starting.catch(async () => await endAll(endings));
	return await starting;
}

export async function endAll(endings: Endings): Promise<void> {
	for (const end of endings.reverse()) await end();
}
