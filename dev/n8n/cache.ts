/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where n8n is kept between runs, for every clone of this repository. */
export function cacheFolder(): string {
	return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-segmind');
}

/**
 * A folder of the cache, which `fill` fills when it is not there yet. `name` and the first characters of `hash`, which says what is in it, are
 * its name. Gives its path. @throws what `fill` throws
 */
export async function inCache(
	name: string,
	hash: string,
	fill: (folder: string) => Promise<void>,
): Promise<string> {
	const own = `${name}-${hash.slice(0, 8)}`;
	const folder = join(cacheFolder(), own);
	if (isComplete(folder, hash)) return folder;
	await mkdir(cacheFolder(), { recursive: true });
	await removeInterrupted(own);
	// It carries our process id, and gets its name once it is complete.
	const unfinished = `${folder}.installing-${process.pid}`;
	try {
		await mkdir(unfinished);
		await fill(unfinished);
		await writeFile(join(unfinished, 'complete'), hash);
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	} finally {
		// There is none left once it has its name.
		await rm(unfinished, { recursive: true, force: true });
	}
	return folder;
}

/** The marker is written last, so an interrupted installation has none. */
function isComplete(folder: string, hash: string): boolean {
	const marker = join(folder, 'complete');
	return existsSync(marker) && readFileSync(marker, 'utf8') === hash;
}

/** Removes what processes that were killed left behind. @throws when one is still at the folder of that name */
async function removeInterrupted(own: string) {
	for (const entry of await readdir(cacheFolder())) {
		const [, name, pid] = /^(.+)\.installing-(\d+)$/.exec(entry) ?? [];
		if (name === undefined) continue;
		const path = join(cacheFolder(), entry);
		const isBusy = Number(pid) !== process.pid && isAlive(Number(pid));
		if (isBusy && name === own)
			throw new Error(
				`process ${pid} is installing ${name} already: wait until it is done, or remove ${path} if it is something else`,
			);
		if (!isBusy) await rm(path, { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}
