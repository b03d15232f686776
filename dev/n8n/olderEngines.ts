/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { hashOf, inCache, installManifest } from './cache';

/** A manifest and its lock for each n8n, in a folder named after its version. */
const MANIFESTS = join(__dirname, 'engines');

/**
 * Gives the engines of each n8n older than the one this package is built with, oldest first: its version, and the folder in the cache where its
 * node_modules are. Installs those that are not there: 350 MB, a minute.
 * `say` takes lines for the user. @throws Error with a sentence when one cannot be installed
 */
export async function olderEngines(say: (line: string) => void) {
	const engines: Array<{ version: string; folder: string }> = [];
	for (const version of readdirSync(MANIFESTS).sort()) {
		const manifest = join(MANIFESTS, version);
		const folder = await inCache({
			name: `engine-${version}`,
			hash: hashOf(manifest),
			what: `the engine of n8n ${version}`,
			say,
			fill: async (empty) => await installManifest(manifest, empty, { say }),
		});
		engines.push({ version, folder });
	}
	return engines;
}
