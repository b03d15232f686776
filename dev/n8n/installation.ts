/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';

import { hashOf, ensureCached, installManifest } from './cache';
import { dependencies } from './manifest/package.json';
import { NO_EDITOR, startN8n, type Installation } from './n8nProcess';
import { npm, type NpmOptions } from './npm';

/** The folder with the package.json and the lock file of n8n. */
const MANIFEST = join(__dirname, 'manifest');
/** The version of Node.js that runs n8n. */
const NODE_VERSION = '24.9.0';
/** Packages that need compiled code: SQLite is compiled on this computer, and isolated-vm brings its own for most systems. All others are installed without scripts. */
const COMPILED_PACKAGES = ['sqlite3', 'isolated-vm'];

/**
 * Returns the n8n in the cache folder. If it isn't there, installs it first, from the npm registry only.
 * `say` receives lines for the user. @throws Error with a sentence if n8n can't be installed
 */
export async function ensureN8n(
	say: (line: string) => void,
	signal?: AbortSignal,
): Promise<Installation> {
	const { n8n: version } = dependencies;
	const hash = hashOf(MANIFEST, NODE_VERSION);
	const folder = await ensureCached({
		name: `n8n-${version}`,
		hash,
		what: `n8n ${version} with its own Node ${NODE_VERSION} (3 to 8 minutes, 3 GB)`,
		say,
		fill: async (empty) => await install(empty, { say, signal }),
	});
	const installation = {
		version,
		node: nodeIn(folder),
		n8n: join(folder, 'n8n', 'node_modules', 'n8n', 'bin', 'n8n'),
	};
	const startedUserFolder = await ensureCached({
		name: `n8n-${version}-started`,
		hash,
		what: `a database of n8n ${version}`,
		say,
		fill: async (userFolder) => {
			const n8n = await startN8n({ installation, userFolder, port: 0, env: NO_EDITOR, signal });
			await n8n.stop();
		},
	});
	return { ...installation, startedUserFolder };
}

async function install(folder: string, npmOptions: NpmOptions) {
	const [n8n, node] = [join(folder, 'n8n'), join(folder, 'node')];
	await mkdir(n8n);
	await mkdir(node);
	await writeFile(join(node, 'package.json'), '{ "private": true }');
	await npm(['install', `${nodePackage()}@${NODE_VERSION}`], node, npmOptions);
	await installManifest(MANIFEST, n8n, npmOptions);
	await npm(['rebuild', ...COMPILED_PACKAGES], n8n, {
		...npmOptions,
		env: {
			// Packages are compiled with the Node.js that n8n will use, and with its headers.
			PATH: `${dirname(nodeIn(folder))}${delimiter}${process.env.PATH}`,
			npm_config_ignore_scripts: 'false',
			npm_config_nodedir: join(node, 'node_modules', nodePackage()),
			// Otherwise, the compiled code would be downloaded, and not from the registry.
			npm_config_build_from_source: 'sqlite3',
			// Halves the time for SQLite, which is a single file.
			CFLAGS: '-O1',
			JOBS: 'max',
		},
	});
}

/** Returns the package with Node.js for this platform, which the install script of the package `node` would choose. */
function nodePackage(): string {
	const platform = process.platform === 'win32' ? 'win' : process.platform;
	return `node-${platform}-${process.arch}`;
}

function nodeIn(folder: string): string {
	const file = process.platform === 'win32' ? 'node.exe' : 'node';
	return join(folder, 'node', 'node_modules', nodePackage(), 'bin', file);
}
