/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';

import { inCache } from './cache';
import { clock, npm } from './npm';

/** A manifest and its lock for each n8n, in a folder named after its version. */
const MANIFESTS = join(__dirname, 'engines');

/** The engine of an n8n older than the one this package is built with. */
interface OlderEngine {
	/** Version of n8n. */
	version: string;
	/** Where its node_modules are. */
	folder: string;
}

/**
 * Gives the older engines in the cache folder, oldest first, and installs those that are not there: 350 MB, a minute.
 * `say` takes lines for the user. @throws Error with a sentence when one cannot be installed
 */
export async function olderEngines(say: (line: string) => void): Promise<OlderEngine[]> {
	const engines: OlderEngine[] = [];
	for (const version of readdirSync(MANIFESTS).sort()) {
		const manifest = join(MANIFESTS, version);
		const lock = readFileSync(join(manifest, 'package-lock.json'));
		const hash = createHash('sha256').update(lock).digest('hex');
		const folder = await inCache(`engine-${version}`, hash, async (empty) => {
			const startedAt = Date.now();
			say(`Installing the engine of n8n ${version}, once for this computer.`);
			for (const file of ['package.json', 'package-lock.json'])
				await copyFile(join(manifest, file), join(empty, file));
			await npm(['install'], empty, { task: `the engine of n8n ${version}`, say });
			say(`The engine of n8n ${version} is installed (${clock(Date.now() - startedAt)}).`);
		});
		engines.push({ version, folder });
	}
	return engines;
}
