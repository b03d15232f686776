/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { Command } from 'commander';
import { numberFrom, runCommand } from '../base/command';
import { startEmulator } from './index';
import { type Emulator } from './index';
import { originNames, type Call } from './types';

interface Flags {
	port: number;
	jobSeconds: number;
	key?: string;
	rateLimit?: number;
	fineTunes: boolean;
	quiet: boolean;
}

function readFlags(words: readonly string[]): Flags {
	const highestPort = 65_535 - originNames.length + 1;
	return new Command('npm run emulator --')
		.description('Serves the Segmind API on this computer. Nothing is paid, nothing leaves it.')
		.option(
			'--port <number>',
			'first of consecutive ports, 0 for any free ones',
			numberFrom(0, highestPort, true),
			4010,
		)
		.option('--job-seconds <seconds>', 'how long a job runs', numberFrom(0, 3600, false), 4)
		.option('--key <key>', 'the API key it accepts')
		.option(
			'--rate-limit <per minute>',
			'answer 429 beyond this many calls a minute',
			numberFrom(1, 1_000_000, true),
		)
		.option('--fine-tunes', 'take new fine-tune jobs, which the service no longer does', false)
		.option('--quiet', 'print nothing while it runs', false)
		.allowExcessArguments(false)
		.exitOverride()
		.parse(words, { from: 'user' })
		.opts<Flags>();
}

function greeting(emulator: Emulator): string {
	const { credentials, session, urls } = emulator;
	const rows: Array<[string, string]> = [
		['API Key', credentials.apiKey],
		['Custom Addresses', 'on'],
		['Base URL', credentials.baseUrl],
		['Upload URL', credentials.uploadUrl],
		['Endpoint Admin URL', credentials.endpointAdminUrl],
		['Endpoint Admin Staging URL', credentials.endpointAdminStagingUrl],
	];
	const sessionRows: Array<[string, string]> = [
		['Refresh Token', session.refreshToken],
		['Custom Addresses', 'on'],
		['Account URL', session.accountUrl],
		['Console URL', session.consoleUrl],
		// n8n holds the renewal of a session to this list.
		['Allowed Domains', '127.0.0.1'],
	];
	const table = (entries: Array<[string, string]>): string[] =>
		entries.map(([label, value]) => `  ${label.padEnd(28)}${value}`);
	const others = (['files', 'storage', 'hostile'] as const).map((name): [string, string] => [
		name,
		urls[name],
	]);
	return [
		'The Segmind emulator is running. Type these into the Segmind API credential in n8n:',
		'',
		...table(rows),
		'',
		'And these into the Segmind Session API credential, for account calls:',
		'',
		...table(sessionRows),
		'',
		'Other addresses:',
		'',
		...table(others),
		'',
		`Records and orders: ${urls.api}/__control/state. Ctrl-C stops it.`,
		'',
	].join('\n');
}

const print = (text: string): void => void process.stdout.write(text);

/** Prints each call once it is answered. */
function follow(emulator: Emulator): NodeJS.Timeout {
	let seen = 0;
	let open: Call[] = [];
	return setInterval(() => {
		// A reset empties the record.
		if (seen > emulator.calls.length) seen = 0;
		open.push(...emulator.calls.slice(seen));
		seen = emulator.calls.length;
		for (const { at, status, kind, method, path } of open.filter(
			(call) => call.status !== undefined,
		)) {
			print(
				`${new Date(at).toISOString().slice(11, 19)} ${status} ${kind.padEnd(8)} ${method} ${path}\n`,
			);
		}
		open = open.filter((call) => call.status === undefined);
	}, 250);
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const emulator = await startEmulator({
		port: flags.port,
		...(flags.key !== undefined && { key: flags.key }),
		...(flags.rateLimit !== undefined && {
			rateLimit: { perMinute: flags.rateLimit, sendRemaining: true },
		}),
		queueMs: Math.min(500, flags.jobSeconds * 250),
		jobMs: flags.jobSeconds * 1000,
		fineTuneOpen: flags.fineTunes,
		media: 'real',
	});
	print(greeting(emulator));
	const log = flags.quiet ? undefined : follow(emulator);
	const stop = (): void => {
		clearInterval(log);
		void emulator.close();
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

runCommand(main, ({ message }) => `The emulator could not start: ${message}`);
