/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { join } from 'node:path';

import { ROOT } from '../../base/project';
import { pack, run } from '../../base/run';
import { repeat, type Row } from '../row';

export const footprint: Row = {
	name: 'footprint',
	about: 'requiring all of dist cold, and the size of the package',
	async measure(bench) {
		const script = join(__dirname, '..', 'engineProcess', 'requireDist.cjs');
		const values = await repeat(bench.times(15), async () =>
			Number((await run(bench.installation.node, [script], { cwd: ROOT })).stdout),
		);
		const { size } = await pack('--dry-run');
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
