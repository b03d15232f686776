/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import type { INode } from 'n8n-workflow';
import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { ROOT } from '../../dev/base/project';
import type { WorkflowFile } from '../../dev/base/workflows';
import { CHROMIUM } from '../../dev/n8n/chromium';
import { OWNER } from '../../dev/n8n/n8nApi';
import { chain } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';

/** Where the picture of a failed test is put. */
const RESULTS = join(ROOT, 'test-results');
/** How long the editor may take for one step, ms. */
const STEP_MS = 45_000;
/** After this time, a click has probably missed. */
const SOON = { timeout: 5_000 };
/** How long an execution may take, ms: the emulator draws real pictures. */
export const EXECUTION_MS = 90_000;

const FLAGS = [
	// Tests may run as root, where Chromium has no sandbox.
	'--no-sandbox',
	'--disable-gpu',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// The editor asks the npm registry about community packages: nothing leaves this computer.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

// A busy machine takes its time for many steps.
jest.setTimeout(300_000);
selectors.setTestIdAttribute('data-test-id');

/** The n8n of all tests; each test finds its emulator as it was at the start. */
export const host = useSingleN8n();
let browser: Browser;
beforeAll(async () => {
	// Debian's, with a fresh profile.
	browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});
beforeEach(() => host.emulator.reset());
afterAll(async () => await browser?.close());

/**
 * What n8n's own code complains of, whatever the nodes: that its own nodes have no file about their output, that a workflow not saved yet is not
 * published, and a panel that is still being closed when another workflow opens.
 */
const ITS_OWN =
	/\/schemas\/(?!n8n-nodes-segmind\.)|\/publication-status\)|injectNDVStore\(\) was accessed/;

/** The page, and the errors in its console so far. The tests take turns in it: loading the editor takes many seconds. */
let session: { page: Page; complaints: string[] } | undefined;

/** A page in which the owner is signed in. That it wants something from the internet is no error. */
async function openPage() {
	const baseURL = host.n8n.url;
	const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } });
	context.setDefaultTimeout(STEP_MS);
	const page = await context.newPage();
	const complaints: string[] = [];
	const complain = (text: string) => ITS_OWN.test(text) || complaints.push(text);
	page.on('pageerror', (error) => complain(String(error.stack ?? error)));
	page.on('console', (message) => {
		const { url } = message.location();
		const isOurs = url === '' || url.startsWith(baseURL);
		if (message.type() === 'error' && isOurs) complain(`${message.text()} (${url})`);
	});
	const { email, password } = OWNER;
	const data = { emailOrLdapLoginId: email, password };
	const answer = await page.request.post('/rest/login', { data });
	if (!answer.ok()) throw new Error(`n8n refused to sign in: ${await answer.text()}`);
	return { page, complaints };
}

/** Makes a test of work in the editor, which must not complain; further arguments come from test.each. A failed test leaves a screenshot. */
export function inEditor<Args extends unknown[]>(
	work: (page: Page, ...args: Args) => Promise<void>,
) {
	return async (...args: Args): Promise<void> => {
		const { page, complaints } = (session ??= await openPage());
		complaints.length = 0;
		let isDone = false;
		try {
			await work(page, ...args);
			expect(complaints).toEqual([]);
			isDone = true;
		} finally {
			if (!isDone) {
				// The next test gets a new page.
				session = undefined;
				const name = expect.getState().currentTestName?.replace(/\W+/g, '-') ?? 'test';
				await mkdir(RESULTS, { recursive: true });
				await page.screenshot({ path: join(RESULTS, `${name.slice(0, 100)}.png`) });
				await page.context().close();
			}
		}
	};
}

/** Reads until the value is as wanted, and fails by `expect` otherwise. */
export async function expectToBecome<T>(read: () => Promise<T>, wanted: unknown): Promise<void> {
	for (const until = Date.now() + STEP_MS; Date.now() < until; await pause(50)) {
		try {
			expect(await read()).toEqual(wanted);
			return;
		} catch {
			// Not yet: the editor is at work.
		}
	}
	expect(await read()).toEqual(wanted);
}

/** Clicks until `wanted` is visible: a click may miss while the editor moves its parts. */
async function clickUntil(
	wanted: Locator,
	click: (soon: typeof SOON) => Promise<void>,
): Promise<void> {
	for (let tries = 0; tries < 5 && !(await wanted.isVisible()); tries++) {
		await click(SOON).catch(() => {});
		await wanted.waitFor(SOON).catch(() => {});
	}
	await wanted.waitFor();
}

/** Goes to a path of the editor; by its own router once it is loaded, which takes many seconds. */
export async function goTo(page: Page, path: string): Promise<void> {
	if (page.url() === 'about:blank') return void (await page.goto(path));
	// An open panel would not let it go.
	if (await page.getByTestId('ndv').isVisible()) await closePanel(page);
	const app = "document.querySelector('#app').__vue_app__";
	await page.evaluate(`${app}.config.globalProperties.$router.push('${path}')`);
}

/** Imports a workflow and opens it. Gives its id. */
export async function openNew(page: Page, workflow: WorkflowFile): Promise<string> {
	const { id } = await host.api.createWorkflow(workflow, host.credentials);
	await goTo(page, `/workflow/${id}`);
	await page.getByTestId('canvas-node').first().waitFor();
	return id;
}

/** Opens a workflow of these nodes in a row; `pinData` stands for the output of some. */
export async function openNodes(page: Page, nodes: INode[], pinData: object = {}): Promise<void> {
	const placed = nodes.map((one, at) => ({ ...one, position: [at * 300, 0] as [number, number] }));
	await openNew(page, { ...chain('Nodes', placed), pinData });
}

/** A node on the canvas. */
export function nodeNamed(page: Page, name: string): Locator {
	return page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
}

/** Opens a node's panel by a double click. Gives the part with its parameters. */
export async function openPanel(page: Page, name: string): Promise<Locator> {
	const parameters = page.getByTestId('node-parameters');
	await clickUntil(parameters, async (soon) => await nodeNamed(page, name).dblclick(soon));
	return parameters;
}

/** An entry of the open panel of nodes. */
export function creatorEntry(page: Page, name: string): Locator {
	return page
		.getByTestId('item-iterator-item')
		.filter({ has: page.getByText(name, { exact: true }) })
		.first();
}

/** Puts the node of an entry on the canvas; its panel is open then. */
export async function addNode(page: Page, name: string): Promise<void> {
	const parameters = page.getByTestId('node-parameters');
	await clickUntil(parameters, async (soon) => await creatorEntry(page, name).click(soon));
}

export async function closePanel(page: Page): Promise<void> {
	await page.getByTestId('ndv-close-button').click();
	await page.getByTestId('ndv').waitFor({ state: 'hidden' });
}

/** Presses Execute workflow and waits until n8n says how it ended: well, unless other words are expected. */
export async function execute(
	page: Page,
	saying: string | RegExp = 'Workflow executed successfully',
): Promise<void> {
	await page.getByTestId('execute-workflow-button').click();
	await page.getByText(saying).first().waitFor({ timeout: EXECUTION_MS });
}

/** Opens the list of a picker. */
export async function openPicker(page: Page, parameter: string): Promise<void> {
	await page.getByTestId(`resource-locator-${parameter}`).getByTestId('rlc-input').click();
	await page.getByTestId('rlc-item').first().waitFor();
}

/** An entry of the open picker. */
export function pickerEntry(page: Page, text: string | RegExp): Locator {
	return page.getByTestId('rlc-item').filter({ hasText: text, visible: true });
}

/** The form of the model's parameters. */
export function form(page: Page): Locator {
	return page.getByTestId('resource-mapper-container');
}

/** Waits for its fields. What is changed in the panel before they are there may be lost. */
export async function untilForm(page: Page): Promise<void> {
	await form(page).getByTestId('input-label').nth(1).waitFor();
}

/** What a parameter is entered in. */
export function field(page: Page, name: string): Locator {
	return page.getByTestId(`parameter-input-${name}`);
}

/** Chooses from a dropdown. */
export async function choose(page: Page, name: string, choice: string): Promise<void> {
	await field(page, name).click();
	await page
		.getByTestId('parameter-input-item')
		.filter({ visible: true, has: page.getByText(choice, { exact: true }) })
		.click();
}

/** Width in pixels of the picture within, once it is there. */
export async function pictureWidth(within: Locator): Promise<number> {
	return await within
		.locator('img')
		.evaluate(async (image: { decode(): Promise<void>; naturalWidth: number }) => {
			await image.decode();
			return image.naturalWidth;
		});
}

/** Names of the form's fields, as they stand there. */
export async function labels(page: Page): Promise<string[]> {
	const texts = await form(page)
		.getByTestId('input-label')
		.filter({ visible: true })
		.allInnerTexts();
	return texts.map((text) => text.split('\n')[0]).slice(1);
}
