const maxBytes = 64 * 1024 * 1024;
const maxEntries = 500;

/**
 * Keeps what was encoded last, within 64 MB and 500 files. Encoding is deterministic, so a file that
 * fell out is simply made again.
 */
export interface MediaCache {
	get(name: string, make: () => Promise<Buffer>): Promise<Buffer>;
	clear(): void;
}

export function createMediaCache(): MediaCache {
	const entries = new Map<string, Promise<Buffer>>();
	const sizes = new Map<string, number>();
	let bytes = 0;
	const drop = (name: string): void => {
		entries.delete(name);
		bytes -= sizes.get(name) ?? 0;
		sizes.delete(name);
	};
	return {
		async get(name, make) {
			const known = entries.get(name);
			if (known) {
				// Moved to the end: a Map iterates in insertion order, so the first is the one unused longest.
				entries.delete(name);
				entries.set(name, known);
				return await known;
			}
			const made = make();
			entries.set(name, made);
			made.catch(() => {
				if (entries.get(name) === made) drop(name);
			});
			const file = await made;
			// It may have been dropped while it was made.
			if (entries.get(name) === made) {
				sizes.set(name, file.length);
				bytes += file.length;
			}
			for (const oldest of entries.keys()) {
				if ((bytes <= maxBytes && entries.size <= maxEntries) || oldest === name) break;
				drop(oldest);
			}
			return file;
		},
		clear() {
			entries.clear();
			sizes.clear();
			bytes = 0;
		},
	};
}
