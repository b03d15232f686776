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
 * Creates a user folder for n8n as a copy of `startedUserFolder`, and installs this package in it the way n8n 2.40.7 installs a community package
 * (downloadPackage in its community-packages.service): npm packs it, it's unpacked into .n8n/nodes/node_modules, dev, peer and optional
 * dependencies are removed, and .n8n/nodes/package.json lists it. `dist` must be built. Returns the folder's path.
 */
export async function newUserFolder(startedUserFolder: string): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'segmind-n8n-'));
	await cp(startedUserFolder, folder, { recursive: true });
	await installPackage(join(folder, '.n8n', 'nodes'));
	return folder;
}

/** Changes the version of the package in a user folder, like an update in n8n. The nodes stay the same. */
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

/** Writes n8n's list of installed packages. */
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
