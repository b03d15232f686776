/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheFolder, inCache } from './cache';
import { clock, npm } from './npm';

/** What is installed: the manifest and the lock beside this file, and the Node that n8n needs. */
const MANIFEST = join(__dirname, 'manifest');
const FILES = ['package.json', 'package-lock.json'];
const NODE_VERSION = '24.9.0';
/** Compiled on this machine; everything else comes ready. */
const COMPILED = ['sqlite3', 'isolated-vm'];
/** To be told beforehand. */
const SIZE = '3 GB';
const TIME = '5 to 10 minutes';

/** A real n8n on this computer, with a Node of its own. Paths of files. */
export interface Installation {
	/** Version of n8n. */
	version: string;
	node: string;
	n8n: string;
}

/**
 * Gives the n8n in the cache folder, and installs it first when it is not there. Nothing but the npm registry is asked.
 * `say` takes lines for the user. @throws Error with a sentence when it cannot be installed
 */
export async function preparedN8n(
	say: (line: string) => void,
	signal?: AbortSignal,
): Promise<Installation> {
	const lock = readFileSync(join(MANIFEST, 'package-lock.json'));
	const hash = createHash('sha256').update(lock).update(NODE_VERSION).digest('hex');
	const { version } = (
		JSON.parse(lock.toString()) as { packages: Record<string, { version: string }> }
	).packages['node_modules/n8n'];
	const folder = await inCache(`n8n-${version}`, hash, async (empty) => {
		await install(empty, { version, say, signal });
	});
	return {
		version,
		node: nodeIn(folder),
		n8n: join(folder, 'n8n', 'node_modules', 'n8n', 'bin', 'n8n'),
	};
}

interface Install {
	version: string;
	say: (line: string) => void;
	signal?: AbortSignal;
}

async function install(folder: string, { version, say, signal }: Install) {
	say(
		`Installing n8n ${version} with its own Node ${NODE_VERSION}, once for this computer: ${TIME} and ${SIZE} in ${cacheFolder()}.`,
	);
	const startedAt = Date.now();
	await mkdir(join(folder, 'n8n'));
	await mkdir(join(folder, 'node'));
	for (const file of FILES) await copyFile(join(MANIFEST, file), join(folder, 'n8n', file));
	await writeFile(join(folder, 'node', 'package.json'), '{ "private": true }');
	await npm(['install', `${nodePackage()}@${NODE_VERSION}`], join(folder, 'node'), {
		task: `Node ${NODE_VERSION}`,
		say,
		signal,
	});
	await npm(['install'], join(folder, 'n8n'), { task: `n8n ${version}`, say, signal });
	await npm(['rebuild', ...COMPILED], join(folder, 'n8n'), {
		task: `compiling ${COMPILED.join(' and ')}`,
		say,
		signal,
		// Run by the Node that n8n will use, whose headers come with it.
		node: nodeIn(folder),
		env: {
			npm_config_ignore_scripts: 'false',
			npm_config_nodedir: join(folder, 'node', 'node_modules', nodePackage()),
			// Ready-made ones would be fetched from elsewhere than the registry.
			npm_config_build_from_source: 'true',
			JOBS: 'max',
		},
	});
	say(`n8n is installed (${clock(Date.now() - startedAt)}).`);
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
