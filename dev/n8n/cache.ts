/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { formatDuration, npm, type NpmOptions } from './npm';

/** Returns the folder that keeps n8n between runs. All clones of this repository share it. */
export function cacheFolder(): string {
	return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-segmind');
}

/** Something that is installed once on a computer. */
interface CacheEntry {
	/** The beginning of its folder's name. The first characters of `hash` follow. */
	name: string;
	/** Identifies the content. */
	hash: string;
	/** What it is, for a message to the user. */
	what: string;
	say: (line: string) => void;
	fill: (folder: string) => Promise<void>;
}

/** Returns a folder of the cache, and fills it first if it doesn't exist. @throws what `fill` throws */
export async function ensureCached({ name, hash, what, say, fill }: CacheEntry): Promise<string> {
	const folderName = `${name}-${hash.slice(0, 8)}`;
	const folder = join(cacheFolder(), folderName);
	if (isComplete(folder, hash)) return folder;
	await mkdir(cacheFolder(), { recursive: true });
	await removeUnfinished(folderName);
	// The name contains our process ID until the folder is complete.
	const unfinished = `${folder}.installing-${process.pid}`;
	say(`Installing ${what} in ${folder}. This happens only once on this computer.`);
	const startedAt = Date.now();
	try {
		await mkdir(unfinished);
		await fill(unfinished);
		await writeFile(join(unfinished, 'complete'), hash);
		await rm(folder, { recursive: true, force: true });
		await rename(unfinished, folder);
	} finally {
		// After a success there is nothing to remove, because the folder was renamed.
		await rm(unfinished, { recursive: true, force: true });
	}
	say(`The installation is complete (${formatDuration(Date.now() - startedAt)}).`);
	return folder;
}

/** Copies a package.json and its lock file into a folder, and installs exactly what the lock file lists. */
export async function installManifest(
	manifest: string,
	folder: string,
	npmOptions: NpmOptions,
): Promise<void> {
	for (const file of ['package.json', 'package-lock.json'])
		await copyFile(join(manifest, file), join(folder, file));
	await npm(['ci'], folder, npmOptions);
}

/** Returns a hash of a lock file and of `extra`, which together determine what is installed. */
export function hashOf(manifest: string, extra = ''): string {
	const lock = readFileSync(join(manifest, 'package-lock.json'));
	return createHash('sha256').update(lock).update(extra).digest('hex');
}

/** Whether a folder is complete. The marker is written last, so an interrupted installation has none. */
function isComplete(folder: string, hash: string): boolean {
	const marker = join(folder, 'complete');
	return existsSync(marker) && readFileSync(marker, 'utf8') === hash;
}

/** Removes unfinished folders of processes that were killed. @throws Error if a running process is filling the folder with this name */
async function removeUnfinished(folderName: string) {
	for (const entry of await readdir(cacheFolder())) {
		const [, name, pid] = /^(.+)\.installing-(\d+)$/.exec(entry) ?? [];
		if (name === undefined) continue;
		const path = join(cacheFolder(), entry);
		const isBusy = Number(pid) !== process.pid && isAlive(Number(pid));
		if (isBusy && name === folderName)
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
