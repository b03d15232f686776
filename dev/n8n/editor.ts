/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals */
import { once } from 'node:events';

import { ensureBuilt } from '../base/build';
import { commandOf, jobSecondsOption, portOption, runCommand } from '../base/command';
import { exampleFiles, readExample } from '../base/workflows';
import type { Mail } from './mailbox';
import { OWNER } from './n8nApi';
import { simpleAssistant } from './simpleAssistant';
import { createTables, fillAccount, makeRunnable } from './sampleAccount';
import { startLocalN8n, type LocalN8n } from './localN8n';

interface Flags {
	port: number;
	jobSeconds: number;
}

const say = (text: string): void => void process.stdout.write(`${text}\n`);

function readFlags(args: readonly string[]): Flags {
	return commandOf(
		'run editor',
		'Opens a real n8n on this computer with these nodes, every recipe and an emulated Segmind. Nothing is charged, and nothing leaves this computer. The first time, it installs n8n, which takes 3 to 8 minutes and 3 GB.',
	)
		.addOption(portOption('port of the editor, 0 for any free port', 5678))
		.addOption(jobSecondsOption(4))
		.parse(args, { from: 'user' })
		.opts<Flags>();
}

async function main(): Promise<void> {
	const flags = readFlags(process.argv.slice(2));
	const stop = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
	const { signal } = stop;
	const aborted = once(signal, 'abort');
	await ensureBuilt(say);
	const orders = {
		media: 'real',
		queueMs: Math.min(500, flags.jobSeconds * 250),
		jobMs: flags.jobSeconds * 1000,
	} as const;
	const instance = await startLocalN8n({
		orders,
		port: flags.port,
		say,
		onMail: printMail,
		signal,
	});
	try {
		instance.chatModel.play(simpleAssistant);
		say(greeting(instance, await createExamples(instance)));
		await Promise.race([aborted, instance.n8n.ended.then(() => throwEnded(instance))]);
	} finally {
		await instance.stop();
	}
}

/** Creates a workflow for every recipe. Returns their names and URLs. */
async function createExamples(instance: LocalN8n): Promise<Array<[string, string]>> {
	const { api, emulator, n8n, services, credentials } = instance;
	const sampleData = await fillAccount(emulator);
	await createTables(api, services, sampleData);
	const examples: Array<[string, string]> = [];
	for (const workflow of exampleFiles().map(readExample)) {
		const { id, name } = await api.createWorkflow(makeRunnable(workflow, sampleData), credentials);
		examples.push([name, `${n8n.url}/workflow/${id}`]);
	}
	return examples;
}

function greeting({ n8n, emulator }: LocalN8n, examples: Array<[string, string]>): string {
	const width = Math.max(...examples.map(([name]) => name.length));
	const first = examples.find(([name]) => name.endsWith('text to image')) ?? examples[0];
	return [
		'',
		'n8n is running with the Segmind nodes, against an emulated Segmind: nothing is charged, and nothing leaves this computer.',
		'',
		`  Editor    ${n8n.url}`,
		`  Email     ${OWNER.email}`,
		`  Password  ${OWNER.password}`,
		`  API key   ${emulator.credentials.apiKey}  (already in the credential)`,
		'',
		`Open ${first[1]}, sign in and click "Execute workflow".`,
		'',
		...examples.map(([name, address]) => `  ${name.padEnd(width)}  ${address}`),
		'',
		'The chat model of the AI agent is a script: it chooses a tool by words such as "video" or "change". Slack and Google are stand-ins too. Emails appear in this terminal.',
		`To see what the nodes send: ${emulator.urls.api}/__control/state. Ctrl-C stops everything and discards your changes.`,
	].join('\n');
}

/** Prints the subject and the links of an email. To try the recipes, users need nothing else from it. */
function printMail({ to, subject, text }: Mail): void {
	const links = text.match(/https?:\/\/[^\s"<>]+/g) ?? [];
	const lines = [...new Set(links)].map((link) => `  ${link.replaceAll('&amp;', '&')}`);
	say([`Email to ${to}: ${subject}`, ...lines].join('\n'));
}

function throwEnded({ n8n }: LocalN8n): never {
	throw new Error(`n8n exited unexpectedly; it printed:\n${n8n.output().slice(-2000)}`);
}

void runCommand(main, ({ message }) => `The editor couldn't be opened: ${message}`);
