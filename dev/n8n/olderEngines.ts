/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { hashOf, ensureCached, installManifest } from './cache';

/** Contains a folder for each older n8n, named after its version, with a package.json and a lock file. */
const MANIFESTS = join(__dirname, 'engines');

/**
 * Returns the version of each older engine, oldest first, and the folder in the cache that has its node_modules. Installs missing engines, which
 * takes 160 MB and a minute. `say` receives lines for the user. @throws Error with a sentence if an engine can't be installed
 */
export async function ensureOlderEngines(say: (line: string) => void) {
	const engines: Array<{ version: string; folder: string }> = [];
	for (const version of readdirSync(MANIFESTS).sort()) {
		const manifest = join(MANIFESTS, version);
		const folder = await ensureCached({
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
