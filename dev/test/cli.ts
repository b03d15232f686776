/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
/**
 * Runs suites of jest.config.js after preparing what they need: `npm test`, `npm test -- unit engine`, `npm run test:e2e -- -t name`. The first
 * words are suites, all others go to jest. With --prepare-only it stops before the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { ensureBuilt } from '../base/build';
import { ROOT } from '../base/project';
import { preparedChromium } from '../n8n/chromium';
import { preparedN8n } from '../n8n/installation';
import { olderEngines } from '../n8n/olderEngines';
import { preparedServices } from '../n8n/queueServices';

/** What a suite needs beyond this repository's sources. */
type Need = 'dist' | 'older engines' | 'n8n' | 'queue services' | 'chromium';

const NEEDS: Record<string, Need[]> = {
	unit: ['dist'],
	engine: ['dist'],
	emulator: [],
	demo: ['dist'],
	contract: ['dist'],
	faults: [],
	older: ['dist', 'older engines'],
	e2e: ['dist', 'n8n'],
	queue: ['dist', 'n8n', 'queue services'],
	browser: ['dist', 'n8n', 'chromium'],
};
const DEFAULT = ['unit', 'engine', 'emulator', 'demo', 'contract'];

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const PREPARE: Record<Need, () => Promise<unknown>> = {
	dist: async () => await ensureBuilt(say),
	'older engines': async () => await olderEngines(say),
	n8n: async () => await preparedN8n(say),
	'queue services': async () => await preparedServices(say),
	chromium: async () => await preparedChromium(say),
};

const FLAGS = [
	// Each file loads its modules anew: with room for young objects and plain machine code at once that takes a tenth less of the processor.
	'--max-semi-space-size=64',
	'--always-sparkplug',
];

/** The words that are suites, and the rest. */
function split(words: string[]): { suites: string[]; rest: string[] } {
	const at = words.findIndex((word) => !(word in NEEDS));
	const end = at === -1 ? words.length : at;
	return { suites: end === 0 ? DEFAULT : words.slice(0, end), rest: words.slice(end) };
}

async function main(): Promise<void> {
	const { suites, rest } = split(process.argv.slice(2));
	for (const need of new Set(suites.flatMap((suite) => NEEDS[suite]))) await PREPARE[need]();
	if (rest.includes('--prepare-only')) return;
	const jest = join(ROOT, 'node_modules/jest/bin/jest.js');
	const child = spawn(process.execPath, [...FLAGS, jest, ...rest], {
		cwd: ROOT,
		stdio: 'inherit',
		env: { ...process.env, TEST_SUITES: suites.join(' ') },
	});
	// Ctrl-C reaches it by itself.
	process.once('SIGTERM', () => child.kill());
	const [code] = (await once(child, 'exit')) as [number | null];
	process.exitCode = code ?? 1;
}

main().catch(({ message }: Error) => {
	process.exitCode = 1;
	say(`The tests couldn't run: ${message}`);
});
