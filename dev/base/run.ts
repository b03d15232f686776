/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { ROOT } from './project';

/** Runs a program until it exits. @throws Error with the program's output in `stdout` and `stderr` if it fails */
export const run = promisify(execFile);

/** On Windows npm is a shell script, so it needs a shell. */
export const NPM_SHELL = process.platform === 'win32';

/** Packs this package as it would be published. `flag`: `--dry-run` or `--pack-destination=…`. Returns the file's name and its size in bytes. */
export async function pack(flag: string): Promise<{ filename: string; size: number }> {
	const args = ['pack', '--json', '--ignore-scripts', '--loglevel=error', flag];
	const { stdout } = await run('npm', args, { cwd: ROOT, shell: NPM_SHELL });
	// npm 12 returns an object by name instead of a list.
	return Object.values(JSON.parse(stdout) as Array<{ filename: string; size: number }>)[0];
}
