/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { BUILT, ROOT } from './project';

/** Whether dist has every file that package.json names, none older than the newest source. */
export function isBuilt(): boolean {
	const newest = Math.max(...['nodes', 'credentials'].map(newestIn));
	return [...BUILT.nodes, ...BUILT.credentials].every((path) => {
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
