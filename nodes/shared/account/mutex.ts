import { stopped } from '../base/failure';

/**
 * Lets the account calls of one credential go one at a time, across all executions of this process: four calls at once with an expired
 * token would refresh it four times (docs/n8n.md N121, N123).
 */
export class Mutex {
	private last: Promise<unknown> = Promise.resolve();

	/** The access token that was fetched last and has not been accepted yet, as a digest, and when (ms since the epoch). */
	unproven?: { token: string; at: number };

	/** Leaves at once when stopped: in the queue nothing is sent; under way, a refreshed token is still kept. */
	async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
		const mine = this.last.then(async () => {
			if (signal?.aborted) throw stopped();
			return await work();
		});
		this.last = mine.then(
			() => undefined,
			() => undefined,
		);
		if (!signal) return await mine;
		let leave: () => void = () => {};
		const left = new Promise<never>((_resolve, reject) => {
			leave = () => reject(stopped());
		});
		signal.addEventListener('abort', leave, { once: true });
		if (signal.aborted) leave();
		try {
			return await Promise.race([mine, left]);
		} finally {
			signal.removeEventListener('abort', leave);
		}
	}
}

const all = new Map<string, Mutex>();

export function mutexFor(key: string): Mutex {
	let mutex = all.get(key);
	if (!mutex) all.set(key, (mutex = new Mutex()));
	return mutex;
}
