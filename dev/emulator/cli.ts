/* eslint-disable @n8n/community-nodes/no-restricted-globals */
import { commandOf, jobSecondsOption, portOption, runCommand } from '../base/command';
import { startEmulator, type Emulator } from './index';
import { originNames, type Call } from './types';

interface Flags {
	port: number;
	jobSeconds: number;
}

function readFlags(args: readonly string[]): Flags {
	return commandOf(
		'run emulator',
		'Serves the Segmind API on this computer. Nothing is charged, and nothing leaves this computer.',
	)
		.addOption(
			portOption('first of consecutive ports, 0 for any free ones', 4010, originNames.length),
		)
		.addOption(jobSecondsOption(4))
		.parse(args, { from: 'user' })
		.opts<Flags>();
}

function greeting(emulator: Emulator): string {
	const { credentials, session, urls } = emulator;
	const table = (rows: Record<string, string>): string[] => [
		'',
		...Object.entries(rows).map(([label, value]) => `  ${label.padEnd(28)}${value}`),
		'',
	];
	const { files, storage, hostile } = urls;
	return [
		'The Segmind emulator is running. Enter these values in the Segmind API credential in n8n:',
		...table({
			'API Key': credentials.apiKey,
			'Custom Addresses': 'on',
			'Base URL': credentials.baseUrl,
			'Upload URL': credentials.uploadUrl,
			'Endpoint Admin URL': credentials.endpointAdminUrl,
			'Endpoint Admin Staging URL': credentials.endpointAdminStagingUrl,
		}),
		'For account calls, enter these in the Segmind Session API credential:',
		...table({
			'Refresh Token': session.refreshToken,
			'Custom Addresses': 'on',
			'Account URL': session.accountUrl,
			// n8n allows the calls that renew a session only to these domains.
			'Allowed Domains': '127.0.0.1',
		}),
		'Other URLs:',
		...table({ files, storage, hostile }),
		`To see its state: ${urls.api}/__control/state. To change it, POST orders of dev/emulator/orders.ts to /__control/set, such as {"jobMs": 60000}. To stop it, press Ctrl-C.`,
		'',
	].join('\n');
}

const print = (text: string): void => void process.stdout.write(text);

/** Prints each call once its response has begun. */
function printCalls({ calls }: Emulator): NodeJS.Timeout {
	const printed = new WeakSet<Call>();
	return setInterval(() => {
		for (const call of calls) {
			const { at, status, kind, method, path } = call;
			if (status === undefined || printed.has(call)) continue;
			printed.add(call);
			const time = new Date(at).toISOString().slice(11, 19);
			print(`${time} ${status} ${kind.padEnd(8)} ${method} ${path}\n`);
		}
	}, 250);
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const emulator = await startEmulator({
		port: flags.port,
		queueMs: Math.min(500, flags.jobSeconds * 250),
		jobMs: flags.jobSeconds * 1000,
		media: 'real',
	});
	print(greeting(emulator));
	const callPrinter = printCalls(emulator);
	const stop = (): void => {
		clearInterval(callPrinter);
		void emulator.close();
	};
	process.once('SIGINT', stop);
	process.once('SIGTERM', stop);
}

void runCommand(main, ({ message }) => `The emulator couldn't start: ${message}`);
