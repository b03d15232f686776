/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { rm } from 'node:fs/promises';

import { startEmulator, type EmulatorOptions } from '../emulator';
import { cleanUp, startAll } from './cleanups';
import { ensureN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { startMailbox, type Mail } from './mailbox';
import { startN8n } from './n8nProcess';
import { startOtherServices } from './otherServices';
import { createCredentials, createOtherCredentials } from './sampleAccount';
import { startScriptedModel } from './scriptedModel';
import { newUserFolder } from './userFolder';

export type LocalN8n = Awaited<ReturnType<typeof startLocalN8n>>;

interface LocalN8nOptions {
	/** The emulator's options. */
	orders: EmulatorOptions;
	/** The port of n8n; 0 means any free port. */
	port?: number;
	/** Environment variables of n8n, in addition to the settings in n8nProcess.ts. */
	env?: Record<string, string>;
	/** Receives lines for the user. */
	say?: (line: string) => void;
	/** Receives the emails that workflows send. */
	onMail?: (mail: Mail) => void;
	/** Aborting the signal ends the start. */
	signal?: AbortSignal;
}

/**
 * Starts an emulator and a real n8n, as one process, with an owner, this package and credentials for the emulator. `dist` must be built.
 * @throws Error with a sentence if n8n can't be installed or started, after ending everything that was started
 */
export async function startLocalN8n({
	orders,
	port = 0,
	env,
	say = () => {},
	onMail = () => {},
	signal,
}: LocalN8nOptions) {
	return await startAll(async (cleanups) => {
		const installation = await ensureN8n(say, signal);
		const emulator = await startEmulator(orders);
		cleanups.push(async () => await emulator.close());
		/** The chat model of the AI agents. */
		const chatModel = await startScriptedModel();
		cleanups.push(async () => await chatModel.close());
		/** The stand-ins for Slack and Google. */
		const services = await startOtherServices();
		cleanups.push(async () => await services.close());
		const mailbox = await startMailbox(onMail);
		cleanups.push(async () => mailbox.close());
		const userFolder = await newUserFolder(installation.startedUserFolder);
		cleanups.push(async () => await rm(userFolder, { recursive: true, force: true }));
		const n8nEnv = { OTHER_SERVICES_PORT: String(services.port), ...env };
		const start = async (n8nPort: number) =>
			await startN8n({ installation, userFolder, port: n8nPort, env: n8nEnv, signal });
		say(`Starting n8n ${installation.version} …`);
		signal?.throwIfAborted();
		let n8n = await start(port);
		// The data is discarded, so n8n needn't end properly.
		cleanups.push(async () => await n8n.kill());
		const api = new N8nApi(n8n.url);
		await api.setUpOwner();
		let earlierOutput = '';
		return {
			emulator,
			chatModel,
			services,
			mailbox,
			api,
			get n8n() {
				return n8n;
			},
			/** Credentials by type. */
			credentials: {
				...(await createCredentials(api, emulator)),
				...(await createOtherCredentials(api, chatModel, mailbox)),
			} as Record<string, Ref>,
			/** Kills n8n and starts it again with the same database. */
			async restart(): Promise<void> {
				await n8n.kill();
				earlierOutput += n8n.output();
				n8n = await start(Number(new URL(n8n.url).port));
				await api.signIn();
			},
			/** Returns everything that n8n has printed, including before restarts. */
			output: () => earlierOutput + n8n.output(),
			/** Ends everything and discards n8n's data. */
			stop: async () => await cleanUp(cleanups),
		};
	});
}
