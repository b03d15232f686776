const maxEntries = 200;

/** Keeps what was encoded last. Encoding is deterministic, so a file that fell out is simply made again. */
export interface MediaCache {
	get(name: string, make: () => Promise<Buffer>): Promise<Buffer>;
	clear(): void;
}

export function createMediaCache(): MediaCache {
	const entries = new Map<string, Promise<Buffer>>();
	return {
		async get(name, make) {
			const made = entries.get(name) ?? make();
			// A Map iterates in insertion order: moved to the end, so that the first is the one unused longest.
			entries.delete(name);
			entries.set(name, made);
			if (entries.size > maxEntries) entries.delete([...entries.keys()][0]);
			return await made;
		},
		clear() {
			entries.clear();
		},
	};
}
