/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { rm } from 'node:fs/promises';

import { startEmulator, type Emulator, type EmulatorOptions } from '../emulator';
import { endAll, startedWith } from './endings';
import { preparedN8n } from './installation';
import { N8nApi, type Ref } from './n8nApi';
import { startN8n, type N8nProcess } from './n8nProcess';
import { startOtherServices, type OtherServices } from './otherServices';
import { createCredentials, createModelCredential, createOtherCredentials } from './sampleAccount';
import { startScriptedModel, type ScriptedModel } from './scriptedModel';
import { newUserFolder } from './userFolder';

/** A real n8n of one process with an owner, this package and its credentials, and the emulator they point to. */
export interface SingleN8n {
	emulator: Emulator;
	/** The chat model of its agents. */
	model: ScriptedModel;
	/** Slack and Google. */
	services: OtherServices;
	n8n: N8nProcess;
	api: N8nApi;
	/** By type. */
	credentials: Record<string, Ref>;
	/** Ends n8n, as a crash would if asked for, and starts it again on the same database. */
	restart(crash?: boolean): Promise<void>;
	/** What n8n printed so far, restarts included. */
	output(): string;
	/** Ends everything; what n8n holds is thrown away. */
	stop(): Promise<void>;
}

interface SingleN8nOptions {
	/** For the emulator. */
	orders: EmulatorOptions;
	/** Port of n8n; 0: any free one. */
	port?: number;
	/** Of n8n's process, on top of the settings it always has here. */
	env?: Record<string, string>;
	/** Takes lines for the user. */
	say?: (line: string) => void;
	/** Gives up starting. */
	signal?: AbortSignal;
}

/** Starts it. `dist` must be built. @throws Error with a sentence when n8n cannot be installed or started; nothing is left running then */
export async function startSingleN8n({
	orders,
	port = 0,
	env,
	say = () => {},
	signal,
}: SingleN8nOptions): Promise<SingleN8n> {
	return await startedWith(async (endings) => {
		const installation = await preparedN8n(say, signal);
		const emulator = await startEmulator(orders);
		endings.push(async () => await emulator.close());
		const model = await startScriptedModel();
		endings.push(async () => await model.close());
		const services = await startOtherServices();
		endings.push(async () => await services.close());
		const userFolder = await newUserFolder();
		endings.push(async () => await rm(userFolder, { recursive: true, force: true }));
		const start = async (at: number) =>
			await startN8n({
				installation,
				userFolder,
				port: at,
				env: { OTHER_SERVICES_PORT: String(services.port), ...env },
				signal,
			});
		say(`Starting n8n ${installation.version} …`);
		signal?.throwIfAborted();
		const n8n = await start(port);
		const api = new N8nApi(n8n.url);
		let before = '';
		const single: SingleN8n = {
			emulator,
			model,
			services,
			n8n,
			api,
			credentials: {},
			async restart(crash = false) {
				await (crash ? this.n8n.kill() : this.n8n.stop());
				before += this.n8n.output();
				this.n8n = await start(Number(new URL(this.n8n.url).port));
				await api.signIn();
			},
			output() {
				return before + this.n8n.output();
			},
			stop: async () => await endAll(endings),
		};
		// Nothing to wait for.
		endings.push(async () => await single.n8n.kill());
		await api.setUpOwner();
		single.credentials = {
			...(await createCredentials(api, emulator)),
			...(await createOtherCredentials(api)),
			openAiApi: await createModelCredential(api, model),
		};
		return single;
	});
}
