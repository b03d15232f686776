/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

import { BUILT, ROOT } from './project';
import { NPM_SHELL, run } from './run';

/** Folders with sources of dist. The folder `icons` isn't listed, because a build makes the dark icon in it. */
const SOURCES = ['nodes', 'credentials'];
const FILES = ['package.json', 'tsconfig.json', 'gulpfile.js', 'icons/segmind.svg'];

/** Builds dist if the sources are newer. `say` receives a line for the user. @throws Error with the compiler's messages */
export async function ensureBuilt(say: (line: string) => void): Promise<void> {
	if (isBuilt()) return;
	say('Building the nodes …');
	await run('npm', ['run', 'build'], { cwd: ROOT, shell: NPM_SHELL }).catch(
		({ stdout }: { stdout: string }) => {
			const errors = stdout.match(/\S+\.ts\(.*error.*/g) ?? [];
			const sentence = 'the nodes do not compile; for details, run npm run build';
			throw new Error([sentence, ...errors].join('\n'));
		},
	);
}

/** What only a whole build makes, and `npm run dev` doesn't. */
const FINISHED = 'dist/nodes/Segmind/__schema__';

/** Whether dist is a whole build with every file that package.json names, none older than the newest source. */
function isBuilt(): boolean {
	const newest = Math.max(...SOURCES.map(latestChangeIn), ...FILES.map(changedAt));
	return [...BUILT.nodes, ...BUILT.credentials, FINISHED].every((path) => {
		const file = join(ROOT, path);
		return existsSync(file) && changedAt(path) >= newest;
	});
}

/** Returns the time of the latest change in a folder, in ms since the epoch. Removing a file changes its folder too. */
function latestChangeIn(folder: string): number {
	const paths = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' });
	return Math.max(changedAt(folder), ...paths.map((path) => changedAt(join(folder, path))));
}

function changedAt(path: string): number {
	return statSync(join(ROOT, path)).mtimeMs;
}
