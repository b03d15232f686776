/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { ROOT } from '../../base/project';

const GB = 1024 ** 3;

/** What the numbers depend on, by name. `engine`: versions that the measuring process loaded. */
export function machine(engine: Record<string, string>): Record<string, string> {
	const [first] = cpus();
	const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
	};
	return {
		processor: `${first?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores`,
		memory: `${Math.round(totalmem() / GB)} GB`,
		system: `${type()} ${release()}`,
		'load before': loadavg()
			.map((load) => load.toFixed(1))
			.join(' '),
		'n8n-nodes-segmind': `${version}, ${commit()}`,
		...engine,
		'node of the emulator': process.version,
	};
}

function commit(): string {
	try {
		const words = ['describe', '--always', '--dirty'];
		return `commit ${execFileSync('git', words, { cwd: ROOT, stdio: 'pipe' }).toString().trim()}`;
	} catch {
		return 'no commit';
	}
}
