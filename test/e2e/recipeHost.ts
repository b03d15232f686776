import type { INodeExecutionData } from 'n8n-workflow';

import { readExample } from '../../dev/base/workflows';
import type { Execution, SavedWorkflow } from '../../dev/n8n/n8nApi';
import { NO_EDITOR } from '../../dev/n8n/n8nProcess';
import { fillAccount, makeRunnable, type SampleData } from '../../dev/n8n/sampleAccount';
import { withChanges, firstExecution, expectSuccess, type Changes } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

/** How the files begin. */
export const PNG = /^.PNG/;
export const MP4 = /^.{4}ftyp/s;

/** Starts one n8n for a test file about recipes. Before each test, the account gets the data that recipes need; afterwards, recipes are deactivated. */
export function useRecipes() {
	const host = useSingleN8n({}, NO_EDITOR);
	let sampleData: SampleData;
	let activeIds: string[] = [];
	beforeEach(async () => {
		host.emulator.reset();
		sampleData = await fillAccount(host.emulator);
	});
	afterEach(async () => {
		for (const id of activeIds) await host.api.deactivate(id);
		activeIds = [];
		expect(host.services.problems).toEqual([]);
	});

	/** Imports a recipe. `pinData` replaces the output of the nodes that it names. */
	async function importRecipe(
		file: string,
		changes: Changes = {},
		pinData: object = {},
	): Promise<SavedWorkflow> {
		const workflow = withChanges(makeRunnable(readExample(file), sampleData), changes);
		return await host.api.createWorkflow({ ...workflow, pinData }, host.credentials);
	}

	/** Returns the bytes of an item's file. */
	async function readFile({ binary }: INodeExecutionData): Promise<Buffer> {
		const path = `/rest/binary-data?id=${binary?.data.id}&action=download`;
		return await host.api.download(path);
	}

	const waitForSuccess = async (id: string) => await expectSuccess(host.api, id);

	/** Activates a workflow. Returns the production URL of its trigger. */
	async function activate(workflow: SavedWorkflow, kind: 'form' | 'webhook'): Promise<string> {
		await host.api.activate(workflow);
		activeIds.push(workflow.id);
		const trigger = workflow.nodes.find(({ type }) => /webhook$|Trigger$/.test(type));
		return `${host.api.url}/${kind}/${trigger?.webhookId}`;
	}

	/** Waits for the first execution of an active workflow to end or to wait. @throws Error if that takes too long */
	async function waitForFirstExecution(workflow: SavedWorkflow): Promise<Execution> {
		const { api } = host;
		return await api.waitForEnd(await firstExecution(api, workflow), ['waiting']);
	}

	/** Sends the form that starts a workflow. Returns the page that is shown at the end. */
	async function lastPage(url: string, fields: Record<string, string>): Promise<string> {
		const { formWaitingUrl } = JSON.parse(await sendForm(url, fields)) as Record<string, string>;
		const [, id] = /form-waiting\/(\d+)/.exec(formWaitingUrl) ?? [];
		await host.api.waitForEnd(id, ['waiting']);
		const page = await (await fetch(formWaitingUrl)).text();
		// The page itself does this once it's shown.
		await fetch(formWaitingUrl, { method: 'POST' });
		await waitForSuccess(id);
		return page;
	}

	return {
		host,
		lastPage,
		importRecipe,
		readFile,
		waitForSuccess,
		activate,
		waitForFirstExecution,
		/** Fills in the form that starts a recipe. Returns the form, and the page that is shown at the end. */
		async fillInForm(file: string, fields: Record<string, string>) {
			const workflow = await importRecipe(file);
			const url = await activate(workflow, 'form');
			const form = await (await fetch(url)).text();
			return { form, page: await lastPage(url, fields) };
		},
		/** Runs a workflow as the Execute button does, and expects that it succeeds. */
		run: async (workflow: SavedWorkflow) =>
			await expectSuccess(host.api, await host.api.run(workflow)),
		/** Returns the first bytes of an item's file as a string. */
		readBeginning: async (item: INodeExecutionData) => beginning(await readFile(item)),
	};
}

export const beginning = (bytes: Buffer): string => bytes.toString('latin1', 0, 12);

/** Sends a form as a browser does. Returns the body of the response. @throws Error if n8n doesn't accept it */
export async function sendForm(
	url: string,
	fields: Record<string, string | Blob>,
): Promise<string> {
	const body = new FormData();
	for (const [name, value] of Object.entries(fields)) body.set(name, value);
	const response = await fetch(url, { method: 'POST', body });
	const text = await response.text();
	if (!response.ok) throw new Error(`${response.status}: ${text}`);
	return text;
}

/** Clicks the button in an approver's email. */
export async function followLink(mail: string, isApproved: boolean, n8nUrl: string): Promise<void> {
	const links = [...mail.matchAll(/href="(http[^"]+approved=(true|false)[^"]*)"/g)];
	const [, link] = links.find(([, , approved]) => approved === String(isApproved)) ?? [];
	expect(link).toContain(n8nUrl);
	// If the user agent looks like a program, n8n assumes that it only previews the link.
	await fetch(link.replaceAll('&amp;', '&'), {
		headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
	});
}
