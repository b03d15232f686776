/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/**
 * Runs suites of jest.config.js after preparing what they need: `npm test`, `npm test -- unit engine`, `npm run test:e2e -- -t name`. The first
 * words are suites, all others go to jest. The path of a file selects its suite. With --prepare-only it stops before the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { ensureBuilt } from '../base/build';
import { ROOT } from '../base/project';
import { ensureChromium } from '../n8n/chromium';
import { ensureN8n } from '../n8n/installation';
import { ensureOlderEngines } from '../n8n/olderEngines';
import { ensureQueueServices } from '../n8n/queueServices';
import { splitArgs, SUITES, type Need } from './suites';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const PREPARE: Record<Need, () => Promise<unknown>> = {
	dist: async () => await ensureBuilt(say),
	'older engines': async () => await ensureOlderEngines(say),
	n8n: async () => await ensureN8n(say),
	'queue services': async () => await ensureQueueServices(say),
	chromium: async () => await ensureChromium(say),
};

const NODE_FLAGS = [
	// Because each test file loads its modules again, more room for young objects and early compilation to machine code save 10% of the processor time.
	'--max-semi-space-size=64',
	'--always-sparkplug',
];

async function main(): Promise<void> {
	const { suites, rest } = splitArgs(process.argv.slice(2));
	for (const need of new Set(suites.flatMap((suite) => SUITES[suite].needs))) await PREPARE[need]();
	if (rest.includes('--prepare-only')) return;
	const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
	const child = spawn(process.execPath, [...NODE_FLAGS, jest, ...rest], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, TEST_SUITES: suites.join(' ') },
	});
	// The terminal sends Ctrl-C to the child too, but a SIGTERM reaches only this process.
	process.once('SIGTERM', () => child.kill());
	const [code] = (await once(child, 'exit')) as [number | null];
	process.exitCode = code ?? 1;
}

main().catch(({ message }: Error) => {
	process.exitCode = 1;
	say(`The tests couldn't run: ${message}`);
});
