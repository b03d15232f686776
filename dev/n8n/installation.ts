/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { hashOf, inCache, installManifest } from './cache';
import { dependencies } from './manifest/package.json';
import { NO_EDITOR, startN8n, type Installation } from './n8nProcess';
import { npm, type NpmSurroundings } from './npm';

/** What is installed: the manifest and the lock beside this file, and the Node that n8n needs. */
const MANIFEST = join(__dirname, 'manifest');
const NODE_VERSION = '24.9.0';
/** Compiled on this machine; everything else comes ready. */
const COMPILED = ['sqlite3', 'isolated-vm'];

/**
 * Gives the n8n in the cache folder, and installs it first when it is not there. Nothing but the npm registry is asked.
 * `say` takes lines for the user. @throws Error with a sentence when it cannot be installed
 */
export async function preparedN8n(
	say: (line: string) => void,
	signal?: AbortSignal,
): Promise<Installation> {
	const { n8n: version } = dependencies;
	const hash = hashOf(MANIFEST, NODE_VERSION);
	const folder = await inCache({
		name: `n8n-${version}`,
		hash,
		what: `n8n ${version} with its own Node ${NODE_VERSION} (5 to 10 minutes, 3 GB)`,
		say,
		fill: async (empty) => await install(empty, { say, signal }),
	});
	const installation = {
		version,
		node: nodeIn(folder),
		n8n: join(folder, 'n8n', 'node_modules', 'n8n', 'bin', 'n8n'),
	};
	const started = await inCache({
		name: `n8n-${version}-started`,
		hash,
		what: `a database of n8n ${version}`,
		say,
		fill: async (userFolder) => {
			const n8n = await startN8n({ installation, userFolder, port: 0, env: NO_EDITOR, signal });
			await n8n.stop();
		},
	});
	return { ...installation, started };
}

async function install(folder: string, surroundings: NpmSurroundings) {
	const [n8n, node] = [join(folder, 'n8n'), join(folder, 'node')];
	await mkdir(n8n);
	await mkdir(node);
	await writeFile(join(node, 'package.json'), '{ "private": true }');
	await npm(['install', `${nodePackage()}@${NODE_VERSION}`], node, surroundings);
	await installManifest(MANIFEST, n8n, surroundings);
	await npm(['rebuild', ...COMPILED], n8n, {
		...surroundings,
		env: {
			// Run by the Node that n8n will use, whose headers come with it.
			PATH: `${dirname(nodeIn(folder))}${delimiter}${process.env.PATH}`,
			npm_config_ignore_scripts: 'false',
			npm_config_nodedir: join(node, 'node_modules', nodePackage()),
			// Ready-made ones would be fetched from elsewhere than the registry.
			npm_config_build_from_source: 'true',
			JOBS: 'max',
		},
	});
}

/** The npm package `node` would choose this one in an install script. */
function nodePackage(): string {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	return `node-${platform}-${process.arch}`;
}

function nodeIn(folder: string): string {
	const file = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(folder, 'node', 'node_modules', nodePackage(), 'bin', file);
}
