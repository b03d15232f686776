/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { npm, type NpmOptions } from './npm';

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

/** Returns a folder of the cache, and fills it first if it isn't complete. @throws what `fill` throws */
export async function ensureCached({ name, hash, what, say, fill }: CacheEntry): Promise<string> {
	const folder = join(cacheFolder(), `${name}-${hash.slice(0, 8)}`);
	// The marker is written last, so an interrupted installation has none.
	const marker = join(folder, 'complete');
	if (existsSync(marker) && readFileSync(marker, 'utf8') === hash) return folder;
	say(`Installing ${what} in ${folder}. This happens only once on this computer.`);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await fill(folder);
	await writeFile(marker, hash);
	say('The installation is complete.');
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
