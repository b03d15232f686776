/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { PACKAGE } from '../base/project';
import { pack, run } from '../base/run';

interface PackageFile {
	version: string;
	devDependencies?: unknown;
	peerDependencies?: unknown;
	optionalDependencies?: unknown;
}

/**
 * Makes a user folder for n8n after one that was `started`, with this package in it, put there the way n8n 2.40.7 installs a community package
 * (downloadPackage in its community-packages.service): packed by npm, unpacked into .n8n/nodes/node_modules, dev, peer and
 * optional dependencies taken out, written down in .n8n/nodes/package.json. n8n loads what lies there at its start.
 * `dist` must be built. Gives the folder's path.
 */
export async function newUserFolder(started: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
	await cp(started, folder, { recursive: true });
	await installPackage(join(folder, '.n8n', 'nodes'));
	return folder;
}

/** Makes the package in a user folder one of another version, as an update of n8n's does; the nodes stay what they are. */
export async function writeVersion(folder: string, version: string): Promise<void> {
	const nodes = join(folder, '.n8n', 'nodes');
	const file = join(nodes, 'node_modules', PACKAGE, 'package.json');
	const installed = JSON.parse(await readFile(file, 'utf8')) as PackageFile;
	await writeJson(file, { ...installed, version });
	await writeDependency(nodes, version);
}

async function installPackage(nodes: string): Promise<void> {
	await mkdir(nodes, { recursive: true });
	const { filename } = await pack(`--pack-destination=${nodes}`);
	const tarball = join(nodes, filename);
	const target = join(nodes, 'node_modules', PACKAGE);
	await mkdir(target, { recursive: true });
	await run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
	await rm(tarball);
	const file = join(target, 'package.json');
	const installed = JSON.parse(await readFile(file, 'utf8')) as PackageFile;
	delete installed.devDependencies;
	delete installed.peerDependencies;
	delete installed.optionalDependencies;
	await writeJson(file, installed);
	await writeDependency(nodes, installed.version);
}

/** What n8n has installed, as it writes it down. */
async function writeDependency(nodes: string, version: string): Promise<void> {
	await writeJson(join(nodes, 'package.json'), {
		name: 'installed-nodes',
		private: true,
		dependencies: { [PACKAGE]: version },
	});
}

async function writeJson(file: string, value: unknown): Promise<void> {
	await writeFile(file, JSON.stringify(value, null, 2));
}
