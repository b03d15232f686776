/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { ROOT } from './project';

/** Runs a program to its end. @throws its error, with what it printed in `stdout` and `stderr`, unless it ends well */
export const run = promisify(execFile);

/** npm is a script for the shell on Windows. */
export const NPM_SHELL = process.platform === 'win32';

/** Packs this package as it would be published, to `--dry-run` or to `--pack-destination=…`. Gives the file's name and its size, bytes. */
export async function pack(where: string): Promise<{ filename: string; size: number }> {
	const words = ['pack', '--json', '--ignore-scripts', '--loglevel=error', where];
	const { stdout } = await run('npm', words, { cwd: ROOT, shell: NPM_SHELL });
	// npm 12 answers an object by name instead of a list.
	return Object.values(JSON.parse(stdout) as Array<{ filename: string; size: number }>)[0];
}
