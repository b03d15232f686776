/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { BUILT, ROOT } from './project';
import { NPM_SHELL, run } from './run';

/** The sources of dist. A build also generates the dark icon in `icons`. */
const SOURCES = ['nodes', 'credentials'];
const FILES = ['package.json', 'tsconfig.json', 'gulpfile.js', 'icons/segmind.svg'];

/** Builds dist if the sources are newer. `say` receives a line for the user. @throws Error with the compiler's messages */
export async function ensureBuilt(say: (line: string) => void): Promise<void> {
	if (isBuilt()) return;
	say('Building the nodes …');
	await run('npm', ['run', 'build'], { cwd: ROOT, shell: NPM_SHELL }).catch(
		({ stdout }: { stdout: string }) => {
			const complaints = stdout.match(/\S+\.ts\(.*error.*/g) ?? [];
			const sentence = 'the nodes do not compile; for details, run npm run build';
			throw new Error([sentence, ...complaints].join('\n'));
		},
	);
}

/** Whether dist has every file that package.json names, none older than the newest source. */
function isBuilt(): boolean {
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
