/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { BUILT, ROOT } from './project';

/** What dist is made of. The dark icon in `icons` is itself made by a build. */
const SOURCES = ['nodes', 'credentials'];
const FILES = ['package.json', 'tsconfig.json', 'gulpfile.js', 'icons/segmind.svg'];

/** Whether dist has every file that package.json names, none older than the newest source. */
export function isBuilt(): boolean {
	const newest = Math.max(...SOURCES.map(newestIn), ...FILES.map(changedAt));
	return [...BUILT.nodes, ...BUILT.credentials].every((path) => {
		const file = join(ROOT, path);
		return existsSync(file) && changedAt(path) >= newest;
	});
}

/** Time of the last change in a folder, ms since the epoch. A file removed from a folder changes the folder. */
function newestIn(folder: string): number {
	const inside = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
	return Math.max(changedAt(folder), ...inside.map((path) => changedAt(join(folder, path))));
}

function changedAt(path: string): number {
	return statSync(join(ROOT, path)).mtimeMs;
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
