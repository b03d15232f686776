/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

import type { ICredentialType, INodeType } from 'n8n-workflow';

export const ROOT = join(__dirname, '../..');

/** The part of package.json by which n8n finds what a package holds. */
interface PackageFile {
	name: string;
	n8n: { nodes: string[]; credentials: string[] };
}

const load = createRequire(__filename);
const packageFile = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as PackageFile;
const { nodes, credentials } = packageFile.n8n;

/** Whether dist has every file that package.json names, none older than the newest source. */
export function isBuilt(): boolean {
	const newest = Math.max(...['nodes', 'credentials'].map(newestIn));
	return [...nodes, ...credentials].every((path) => {
		const file = join(ROOT, path);
		return existsSync(file) && statSync(file).mtimeMs >= newest;
	});
}

/** Time of the last change in a folder of the sources, ms since the epoch. */
function newestIn(folder: string): number {
	const times = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs);
	return Math.max(...times);
}

/** Makes dist from the sources. Gives the compiler's complaints when that fails. */
export async function build(): Promise<string | undefined> {
	// npm is a script for the shell on Windows.
	const shell = process.platform === 'win32';
	const building = promisify(execFile)('npm', ['run', 'build'], { cwd: ROOT, shell });
	return await building.then(
		() => undefined,
		({ stdout }: { stdout: string }) => stdout.match(/\S+\.ts\(.*error.*/g)?.join('\n') ?? '',
	);
}

/** The nodes in dist by their full type name, made the way n8n makes them. */
export function builtNodes(): Record<string, INodeType> {
	return Object.fromEntries(
		nodes.map((path) => {
			const nodeType = instanceOf<INodeType>(path);
			return [`${packageFile.name}.${nodeType.description.name}`, nodeType];
		}),
	);
}

export function builtCredentials(): ICredentialType[] {
	return credentials.map((path) => instanceOf<ICredentialType>(path));
}

/** X.node.js exports the class X. */
function instanceOf<T>(path: string): T {
	const exported = load(join(ROOT, path)) as Record<string, new () => T>;
	return new exported[basename(path).split('.')[0]]();
}
