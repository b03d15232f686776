/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { ROOT } from '../../base/project';
import { repeated, type Row } from '../row';

const run = promisify(execFile);

export const footprint: Row = {
	name: 'footprint',
	about: 'requiring all of dist cold, and the size of the package',
	async measure(bench) {
		const script = join(__dirname, '..', 'engineProcess', 'requireDist.cjs');
		const values = await repeated(bench.times(15), async () =>
			Number((await run(bench.installation.node, [script], { cwd: ROOT })).stdout),
		);
		const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
		// npm is a script for the shell on Windows.
		const shell = process.platform === 'win32';
		const { stdout } = await run('npm', words, { cwd: ROOT, shell });
		// npm 12 answers an object by name instead of a list.
		const [{ size }] = Object.values(JSON.parse(stdout) as Array<{ size: number }>);
		return {
			lines: [
				{
					measure: 'requiring all of dist, n8n-workflow and zod loaded',
					unit: 'ms',
					values,
					target: 60,
					rivals: [],
					headline: true,
				},
				{
					measure: 'dist packed',
					unit: 'kB',
					values: [size / 1_000],
					target: 400,
					rivals: [],
					headline: true,
				},
			],
		};
	},
};
