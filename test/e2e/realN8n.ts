/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { rm } from 'node:fs/promises';

import { startEmulator, type Emulator, type EmulatorOptions } from '../../dev/emulator';
import { preparedN8n } from '../../dev/n8n/installation';
import { N8nApi, type Ref } from '../../dev/n8n/n8nApi';
import { startN8n, type N8nProcess } from '../../dev/n8n/n8nProcess';
import { createCredentials, createModelCredential } from '../../dev/n8n/sampleAccount';
import { startScriptedModel, type ScriptedModel } from '../../dev/n8n/scriptedModel';
import { newUserFolder } from '../../dev/n8n/userFolder';

export { chain, errorOf, itemsOf, node, slug } from '../host/workflows';

/** A real n8n with an owner and the credentials, and the emulator they point to. */
export interface Host {
	emulator: Emulator;
	/** The chat model of its agents. */
	model: ScriptedModel;
	n8n: N8nProcess;
	api: N8nApi;
	credentials: Record<string, Ref>;
	/** Ends n8n, as a crash would if asked for, and starts it again on the same database. */
	restart(crash?: boolean): Promise<void>;
	/** What it printed so far, restarts included. */
	output(): string;
}

/** One n8n for a test file. It may call nobody but loopback, and no secret may go astray. */
export function useHost(orders: EmulatorOptions = {}): { readonly it: Host } {
	const held = {} as { it: Host };
	let userFolder: string;
	beforeAll(async () => {
		const installation = await preparedN8n(() => {});
		const emulator = await startEmulator({ queueMs: 10, jobMs: 100, ...orders });
		const model = await startScriptedModel();
		userFolder = await newUserFolder();
		const start = async (port: number) => await startN8n({ installation, userFolder, port });
		const n8n = await start(0);
		const api = new N8nApi(n8n.url);
		await api.setUpOwner();
		let before = '';
		held.it = {
			emulator,
			model,
			n8n,
			api,
			credentials: {
				...(await createCredentials(api, emulator)),
				openAiApi: await createModelCredential(api, model),
			},
			async restart(crash = false) {
				await (crash ? this.n8n.kill() : this.n8n.stop());
				before += this.n8n.output();
				this.n8n = await start(Number(new URL(this.n8n.url).port));
				await api.signIn();
			},
			output() {
				return before + this.n8n.output();
			},
		};
	}, 300_000);
	afterEach(() => {
		expect(held.it.emulator.leaks).toEqual([]);
		expect(held.it.model.problems).toEqual([]);
		expect(held.it.output()).not.toContain('left loopback');
	});
	afterAll(async () => {
		await held.it?.n8n.stop();
		await held.it?.model.close();
		await held.it?.emulator.close();
		await rm(userFolder, { recursive: true, force: true });
	}, 60_000);
	return held;
}
