import type { INodeExecutionData } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { NO_EDITOR } from '../../dev/n8n/n8nProcess';
import { fillAccount, makeRunnable, type SampleData } from '../../dev/n8n/sampleAccount';
import { withChanges, firstExecution, expectSuccess, type Changes } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

/** Beginnings of files. */
export const PNG = /^.PNG/;
export const MP4 = /^.{4}ftyp/s;

/** One n8n for a file about recipes. Before each test the account holds what they look for; after it none of them is active. */
export function useRecipes() {
	const host = useSingleN8n({}, NO_EDITOR);
	let furnishing: SampleData;
	let active: string[] = [];
	beforeEach(async () => {
		host.emulator.reset();
		furnishing = await fillAccount(host.emulator);
	});
	afterEach(async () => {
		for (const id of active) await host.api.deactivate(id);
		active = [];
		expect(host.services.problems).toEqual([]);
	});

	/** Imports a recipe; `pinData` stands for the output of nodes. */
	async function imported(
		file: string,
		changes: Changes = {},
		pinData: object = {},
	): Promise<SavedWorkflow> {
		const workflow = withChanges(makeRunnable(readExample(file), furnishing), changes);
		return await host.api.createWorkflow({ ...workflow, pinData }, host.credentials);
	}

	/** The bytes of a file of an item. */
	async function fileOf({ binary }: INodeExecutionData): Promise<Buffer> {
		const path = `/rest/binary-data?id=${binary?.data.id}&action=download`;
		return await host.api.download(path);
	}

	return {
		host,
		imported,
		fileOf,
		succeeded: async (id: string) => await expectSuccess(host.api, id),
		/** Runs a workflow by the Execute button; it must succeed. */
		run: async (workflow: SavedWorkflow) =>
			await expectSuccess(host.api, await host.api.run(workflow)),
		/** The beginning of an item's file. */
		beginningOf: async (item: INodeExecutionData) => beginning(await fileOf(item)),
		/** Gives the address of a workflow's trigger in production. */
		async activated(workflow: SavedWorkflow, kind: 'form' | 'webhook'): Promise<string> {
			await host.api.activate(workflow);
			active.push(workflow.id);
			const trigger = workflow.nodes.find(({ type }) => /webhook$|Trigger$/.test(type));
			return `${host.api.url}/${kind}/${trigger?.webhookId}`;
		},
		/** Waits for the first execution of an active workflow to end or to wait. @throws when that takes too long */
		async firstExecution(workflow: SavedWorkflow): Promise<Execution> {
			const { api } = host;
			return await api.waitForEnd(await firstExecution(api, workflow), ['waiting']);
		},
	};
}

export const beginning = (bytes: Buffer): string => bytes.toString('latin1', 0, 12);

/** Sends a form as a browser does. Gives the answer, which must be a good one. */
export async function sendForm(
	address: string,
	fields: Record<string, string | Blob>,
): Promise<string> {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	const answer = await fetch(address, { method: 'POST', body });
	const text = await answer.text();
	expect([answer.status, text]).toEqual([200, expect.anything()]);
	return text;
}
