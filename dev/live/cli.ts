/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { ICredentialDataDecryptedObject, ICredentialType } from 'n8n-workflow';

import { redact } from '../../nodes/shared/base/redact';
import { ensureBuilt } from '../base/build';
import { builtCredentials, builtNodes } from '../base/builtNodes';
import { commandOf, INTERRUPTED, numberFrom, runCommand, stopOnCtrlC } from '../base/command';
import { PACKAGE } from '../base/project';
import type { Permissions } from './live';

const ABOUT = `Checks the facts in docs/service.md against Segmind itself, with the API key in SEGMIND_API_KEY. It costs nothing
unless you add --spend 0.05: that makes four paid requests for about one cent. The limit counts average prices, so Segmind may charge more.`;
/** Addresses that may have the account API: the credential's default and another candidate (docs/service.md S8). */
const ACCOUNT_URLS = ['https://cloud.segmind.com/api', 'https://cloud-api.segmind.com'];
const CONSOLE_URL = 'https://platform.segmind.com/api';

async function main(): Promise<void> {
	const { out, ...allowed } = commandOf('run live', ABOUT)
		.option(
			'--spend <usd>',
			'the most that paid requests may cost, by average prices',
			numberFrom(0, 10, false),
		)
		.option('--upload', 'upload one small picture, which stays public for days')
		.option('--out <folder>', 'where to write live-report.json', 'output')
		.parse(process.argv.slice(2), { from: 'user' })
		.opts<Permissions & { out: string }>();
	const { SEGMIND_API_KEY: key = '', SEGMIND_ACCESS_TOKEN: token = '' } = process.env;
	const clean = (text: string) => redact(text, [key.trim(), token.trim()]);
	const say = (text: string): void => void process.stdout.write(`${clean(text)}\n`);
	if (key.trim() === '') {
		say(ABOUT);
		process.exitCode = 2;
		return;
	}
	await mkdir(out, { recursive: true });
	await ensureBuilt(say);
	// The engine's log could contain what a node sends and receives.
	process.env.N8N_LOG_LEVEL = 'silent';
	const { exitCodeOf, probesFor, runProbes, tableOf } = await import('./live');
	const nodes = builtNodes();
	const credentialTypes = builtCredentials();
	const target = {
		node: (name: string) => nodes[`${PACKAGE}.${name}`],
		credentialTypes,
		credential: { ...defaultsOf(credentialTypes[0]), apiKey: key.trim() },
		accessToken: token.trim() || undefined,
		pricesUrl: 'https://www.segmind.com/llms.txt',
		signal: stopOnCtrlC(),
	};
	const findings = await runProbes(probesFor(ACCOUNT_URLS, CONSOLE_URL), target, allowed, say);
	say(`\n${tableOf(findings)}`);
	const file = join(out, 'live-report.json');
	const report = { date: new Date().toISOString().slice(0, 10), findings };
	await writeFile(file, `${clean(JSON.stringify(report, undefined, '\t'))}\n`);
	say(`The report is in ${file}. See CONTRIBUTING.md for what to do with it.`);
	process.exitCode = target.signal.aborted ? INTERRUPTED : exitCodeOf(findings);
}

/** Returns the credential's defaults, which are the addresses of Segmind itself. */
function defaultsOf({ properties }: ICredentialType): ICredentialDataDecryptedObject {
	return Object.fromEntries(
		properties.map(({ name, default: value }) => [name, value]),
	) as ICredentialDataDecryptedObject;
}

void runCommand(main, ({ message }) => `The check couldn't run: ${redact(message)}`);
