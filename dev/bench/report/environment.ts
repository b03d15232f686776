/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { ROOT } from '../../base/project';

const GIB = 1024 ** 3;

/** Describes the environment of a benchmark for the report. `engine`: versions of the packages that the measuring process loaded. */
export function environmentOf(engine: Record<string, string>): Record<string, string> {
	const [processor] = cpus();
	const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
	};
	return {
		processor: `${processor?.model.trim() ?? 'unknown'}, ${availableParallelism()} cores`,
		memory: `${Math.round(totalmem() / GIB)} GB`,
		system: `${type()} ${release()}`,
		'load average before the run': loadavg()
			.map((load) => load.toFixed(1))
			.join(' '),
		'n8n-nodes-segmind': `${version}, ${commit()}`,
		...engine,
		'Node.js of the emulator': process.version,
	};
}

function commit(): string {
	try {
		const args = ['describe', '--always', '--dirty'];
		return `commit ${execFileSync('git', args, { cwd: ROOT, stdio: 'pipe' }).toString().trim()}`;
	} catch {
		return 'no commit';
	}
}
