/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { redact } from '../../nodes/shared/base/redact';
import { ensureBuilt } from '../base/build';
import { builtCredentials, builtNodes } from '../base/builtNodes';
import { commandOf, INTERRUPTED, numberFrom, runCommand, stopOnCtrlC } from '../base/command';
import { PACKAGE } from '../base/project';
import { realService } from '../demo/service';
import type { Allowed } from './live';

const WITHOUT_KEY = `Checks what docs/service.md says of Segmind against the service itself, with the API key in SEGMIND_API_KEY.
Without flags it costs nothing. --spend 0.05 makes three paid requests for about one cent, and never more than you allow.
`;
/** The default of the credential, another candidate (docs/service.md S8), and the console. */
const ACCOUNT_URLS = [
	'https://cloud.segmind.com/api',
	'https://cloud-api.segmind.com',
	'https://platform.segmind.com/api',
];
const PRICES_URL = 'https://www.segmind.com/llms.txt';

function readFlags(): Allowed & { out: string } {
	return commandOf('run live', WITHOUT_KEY)
		.option(
			'--spend <usd>',
			'the most that paid requests may cost together',
			numberFrom(0, 10, false),
		)
		.option('--upload', 'upload one small picture, which stays public for days')
		.option('--out <folder>', 'where to write live-report.json', 'output')
		.parse(process.argv.slice(2), { from: 'user' })
		.opts<Allowed & { out: string }>();
}

async function main(): Promise<void> {
	const { out, ...allowed } = readFlags();
	const [apiKey, accessToken] = ['SEGMIND_API_KEY', 'SEGMIND_ACCESS_TOKEN'].map((name) =>
		process.env[name]?.trim(),
	);
	const secrets = [apiKey, accessToken].filter((secret) => secret !== undefined);
	const clean = (text: string) => redact(text, secrets);
	const say = (text: string): void => void process.stdout.write(`${clean(text)}\n`);
	if (!apiKey) {
		process.stdout.write(WITHOUT_KEY);
		process.exitCode = 2;
		return;
	}
	await mkdir(out, { recursive: true });
	await ensureBuilt(say);
	// The engine takes a moment to load.
	const [{ runProbes }, { probesFor }, { exitCodeOf, reportOf, textOf }] = await Promise.all([
		import('./live'),
		import('./probes'),
		import('./report'),
	]);
	const nodes = builtNodes();
	const target = {
		node: (name: string) => nodes[`${PACKAGE}.${name}`],
		credentialTypes: builtCredentials(),
		credential: realService(apiKey).credential(),
		accessToken: accessToken || undefined,
		accountUrls: ACCOUNT_URLS,
		pricesUrl: PRICES_URL,
		signal: stopOnCtrlC(),
	};
	const findings = await runProbes(probesFor(ACCOUNT_URLS), target, allowed, say);
	say(`\n${textOf(findings)}`);
	const file = join(out, 'live-report.json');
	await writeFile(file, clean(reportOf(findings, { node: process.version })));
	say(`The report is in ${file}. CONTRIBUTING.md says what to do with it.`);
	process.exitCode = target.signal.aborted ? INTERRUPTED : exitCodeOf(findings);
}

void runCommand(main, ({ message }) => `The check could not run: ${redact(message)}`);
