/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { join } from 'node:path';

import { ROOT } from '../../base/project';
import { pack, run } from '../../base/run';
import { repeat, type Row } from '../row';

export const footprint: Row = {
	name: 'footprint',
	about: 'requiring all of dist cold, and the size of the package',
	async measure({ installation }) {
		const script = join(__dirname, '..', 'engineProcess', 'requireNodes.cjs');
		const values = await repeat(15, async () =>
			Number((await run(installation.node, [script, installation.n8n], { cwd: ROOT })).stdout),
		);
		const { size } = await pack('--dry-run');
		const required = "requiring all of dist, over requiring n8n's HTTP Request node";
		return [
			{ measure: required, unit: '×', values },
			{ measure: 'dist packed', unit: 'kB', values: [size / 1_000] },
		];
	},
};
