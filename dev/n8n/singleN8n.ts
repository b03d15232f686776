/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { rm } from 'node:fs/promises';

import { startEmulator, type EmulatorOptions } from '../emulator';
import { endAll, startedWith } from './endings';
import { preparedN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { startMailbox, type Mail } from './mailbox';
import { startN8n } from './n8nProcess';
import { startOtherServices } from './otherServices';
import { createCredentials, createOtherCredentials } from './sampleAccount';
import { startScriptedModel } from './scriptedModel';
import { newUserFolder } from './userFolder';

export type SingleN8n = Awaited<ReturnType<typeof startSingleN8n>>;

interface SingleN8nOptions {
	/** For the emulator. */
	orders: EmulatorOptions;
	/** Port of n8n; 0: any free one. */
	port?: number;
	/** Of n8n's process, on top of the settings it always has here. */
	env?: Record<string, string>;
	/** Takes lines for the user. */
	say?: (line: string) => void;
	/** Receives the emails that workflows send. */
	mailed?: (mail: Mail) => void;
	/** Ends the start. */
	signal?: AbortSignal;
}

/**
 * Starts a real n8n of one process with an owner, this package and its credentials, and the emulator they point to. `dist` must be built.
 * @throws Error with a sentence when n8n cannot be installed or started; nothing is left running then
 */
export async function startSingleN8n({
	orders,
	port = 0,
	env,
	say = () => {},
	mailed = () => {},
	signal,
}: SingleN8nOptions) {
	return await startedWith(async (endings) => {
		const installation = await preparedN8n(say, signal);
		const emulator = await startEmulator(orders);
		endings.push(async () => await emulator.close());
		/** The chat model of its agents. */
		const model = await startScriptedModel();
		endings.push(async () => await model.close());
		/** Slack and Google. */
		const services = await startOtherServices();
		endings.push(async () => await services.close());
		const mailbox = await startMailbox(mailed);
		endings.push(async () => mailbox.close());
		const userFolder = await newUserFolder(installation.started);
		endings.push(async () => await rm(userFolder, { recursive: true, force: true }));
		const own = { OTHER_SERVICES_PORT: String(services.port), ...env };
		const start = async (at: number) =>
			await startN8n({ installation, userFolder, port: at, env: own, signal });
		say(`Starting n8n ${installation.version} …`);
		signal?.throwIfAborted();
		let n8n = await start(port);
		// Nothing to wait for.
		endings.push(async () => await n8n.kill());
		const api = new N8nApi(n8n.url);
		await api.setUpOwner();
		let before = '';
		return {
			emulator,
			model,
			services,
			mailbox,
			api,
			get n8n() {
				return n8n;
			},
			/** By type. */
			credentials: {
				...(await createCredentials(api, emulator)),
				...(await createOtherCredentials(api, model, mailbox)),
			} as Record<string, Ref>,
			/** Kills n8n, and starts it again on the same database. */
			async restart(): Promise<void> {
				await n8n.kill();
				before += n8n.output();
				n8n = await start(Number(new URL(n8n.url).port));
				await api.signIn();
			},
			/** What n8n printed so far, restarts included. */
			output: () => before + n8n.output(),
			/** Ends everything; what n8n holds is thrown away. */
			stop: async () => await endAll(endings),
		};
	});
}
