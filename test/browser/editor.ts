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

/** Where screenshots of failed tests are saved. */
const RESULTS = join(ROOT, 'test-results');
/** How long the editor may take for one step, ms. */
const STEP_MS = 45_000;
/** A click that takes longer has probably missed. */
const CLICK_TIMEOUT = { timeout: 5_000 };
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
	// Keeps all traffic on this computer: the editor would otherwise ask the npm registry about community packages.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

// On a busy machine, many steps are slow.
jest.setTimeout(300_000);
selectors.setTestIdAttribute('data-test-id');

/** The one n8n that all tests share. Its emulator is reset before each test. */
export const host = useSingleN8n();
let browser: Browser;
beforeAll(async () => {
	// Debian's Chromium, with a fresh profile.
	browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
});
beforeEach(() => host.emulator.reset());
afterAll(async () => await browser?.close());

/**
 * Errors that n8n's own code logs, whichever nodes are used: its nodes have no output schema, an unsaved workflow has no publication status, or a panel
 * is still closing when another workflow opens.
 */
const N8N_OWN_ERRORS =
	/\/schemas\/(?!n8n-nodes-segmind\.)|\/publication-status\)|injectNDVStore\(\) was accessed/;

/** The page, and the errors in its console so far. All tests use this page, one after another, because loading the editor takes many seconds. */
let session: { page: Page; consoleErrors: string[] } | undefined;

/** Opens a page in which the owner is signed in. Failed requests to the internet don't count as errors. */
async function openPage() {
	const baseURL = host.n8n.url;
	const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 800 } });
	context.setDefaultTimeout(STEP_MS);
	const page = await context.newPage();
	const consoleErrors: string[] = [];
	const noteError = (text: string) => N8N_OWN_ERRORS.test(text) || consoleErrors.push(text);
	page.on('pageerror', (error) => noteError(String(error.stack ?? error)));
	page.on('console', (message) => {
		const { url } = message.location();
		const isFromN8n = url === '' || url.startsWith(baseURL);
		if (message.type() === 'error' && isFromN8n) noteError(`${message.text()} (${url})`);
	});
	const { email, password } = OWNER;
	const data = { emailOrLdapLoginId: email, password };
	const response = await page.request.post('/rest/login', { data });
	if (!response.ok()) throw new Error(`n8n rejected the sign-in: ${await response.text()}`);
	return { page, consoleErrors };
}

/**
 * Turns `work` into a test that runs in the editor and fails if the editor logs an error. `args` come from test.each. A failed test saves a
 * screenshot.
 */
export function inEditor<Args extends unknown[]>(
	work: (page: Page, ...args: Args) => Promise<void>,
) {
	return async (...args: Args): Promise<void> => {
		const { page, consoleErrors } = (session ??= await openPage());
		consoleErrors.length = 0;
		let hasPassed = false;
		try {
			await work(page, ...args);
			expect(consoleErrors).toEqual([]);
			hasPassed = true;
		} finally {
			if (!hasPassed) {
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

/** Reads repeatedly until the value equals `wanted`; if that takes too long, `expect` fails. */
export async function expectToBecome<T>(read: () => Promise<T>, wanted: unknown): Promise<void> {
	for (const deadline = Date.now() + STEP_MS; Date.now() < deadline; await pause(50)) {
		try {
			expect(await read()).toEqual(wanted);
			return;
		} catch {
			// Not yet: the editor is still busy.
		}
	}
	expect(await read()).toEqual(wanted);
}

/** Clicks until `wanted` is visible: a click may miss while the editor's layout is still moving. */
async function clickUntil(
	wanted: Locator,
	click: (options: typeof CLICK_TIMEOUT) => Promise<void>,
): Promise<void> {
	for (let clicks = 0; clicks < 5 && !(await wanted.isVisible()); clicks++) {
		await click(CLICK_TIMEOUT).catch(() => {});
		await wanted.waitFor(CLICK_TIMEOUT).catch(() => {});
	}
	await wanted.waitFor();
}

/** Opens a path of the editor. Once the editor is loaded, uses its router, because loading takes many seconds. */
export async function goTo(page: Page, path: string): Promise<void> {
	if (page.url() === 'about:blank') return void (await page.goto(path));
	// An open panel would block the navigation.
	if (await page.getByTestId('ndv').isVisible()) await closePanel(page);
	const app = "document.querySelector('#app').__vue_app__";
	await page.evaluate(`${app}.config.globalProperties.$router.push('${path}')`);
}

/** Imports a workflow and opens it. Returns its ID. */
export async function openNew(page: Page, workflow: WorkflowFile): Promise<string> {
	const { id } = await host.api.createWorkflow(workflow, host.credentials);
	await goTo(page, `/workflow/${id}`);
	await page.getByTestId('canvas-node').first().waitFor();
	return id;
}

/** Opens a new workflow of these nodes, connected in a row. `pinData` replaces the output of the nodes that it names. */
export async function openNodes(page: Page, nodes: INode[], pinData: object = {}): Promise<void> {
	const placed = nodes.map((one, at) => ({ ...one, position: [at * 300, 0] as [number, number] }));
	await openNew(page, { ...chain('Nodes', placed), pinData });
}

/** Locates a node on the canvas. */
export function nodeNamed(page: Page, name: string): Locator {
	return page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
}

/** Double-clicks a node to open its panel. Returns the section with its parameters. */
export async function openPanel(page: Page, name: string): Promise<Locator> {
	const parameters = page.getByTestId('node-parameters');
	await clickUntil(parameters, async (options) => await nodeNamed(page, name).dblclick(options));
	return parameters;
}

/** Locates an entry of the open node creator. */
export function creatorEntry(page: Page, name: string): Locator {
	return page
		.getByTestId('item-iterator-item')
		.filter({ has: page.getByText(name, { exact: true }) })
		.first();
}

/** Adds an entry's node to the canvas, which also opens the node's panel. */
export async function addNode(page: Page, name: string): Promise<void> {
	const parameters = page.getByTestId('node-parameters');
	await clickUntil(parameters, async (options) => await creatorEntry(page, name).click(options));
}

export async function closePanel(page: Page): Promise<void> {
	await page.getByTestId('ndv-close-button').click();
	await page.getByTestId('ndv').waitFor({ state: 'hidden' });
}

/** Clicks Execute workflow and waits for n8n's message about the outcome, by default the one for success. */
export async function execute(
	page: Page,
	message: string | RegExp = 'Workflow executed successfully',
): Promise<void> {
	const shown = page.getByText(message).first();
	// The message of an earlier run, perhaps of an earlier test, may still be there.
	await shown.waitFor({ state: 'hidden' });
	await page.getByTestId('execute-workflow-button').click();
	await shown.waitFor({ timeout: EXECUTION_MS });
}

/** Opens the list of a picker and waits for its first entry. */
export async function openPicker(page: Page, parameter: string): Promise<void> {
	await page.getByTestId(`resource-locator-${parameter}`).getByTestId('rlc-input').click();
	await page.getByTestId('rlc-item').first().waitFor();
}

/** Locates the entries of the open picker that contain a text. */
export function pickerEntry(page: Page, text: string | RegExp): Locator {
	return page.getByTestId('rlc-item').filter({ hasText: text, visible: true });
}

/** Locates the form of the model's parameters. */
export function form(page: Page): Locator {
	return page.getByTestId('resource-mapper-container');
}

/** Waits for the form's fields. Changes made in the panel before they appear may be lost. */
export async function waitForForm(page: Page): Promise<void> {
	await form(page).getByTestId('input-label').nth(1).waitFor();
}

/** Locates the input field of a parameter. */
export function field(page: Page, name: string): Locator {
	return page.getByTestId(`parameter-input-${name}`);
}

/** Chooses an option of a parameter's dropdown. */
export async function choose(page: Page, name: string, choice: string): Promise<void> {
	await field(page, name).click();
	await page
		.getByTestId('parameter-input-item')
		.filter({ visible: true, has: page.getByText(choice, { exact: true }) })
		.click();
}

/** Waits for the picture inside `within` and returns its width in pixels. */
export async function pictureWidth(within: Locator): Promise<number> {
	return await within
		.locator('img')
		.evaluate(async (image: { decode(): Promise<void>; naturalWidth: number }) => {
			await image.decode();
			return image.naturalWidth;
		});
}

/** Returns the labels of the form's visible fields, in order. */
export async function labels(page: Page): Promise<string[]> {
	const texts = await form(page)
		.getByTestId('input-label')
		.filter({ visible: true })
		.allInnerTexts();
	return texts.map((text) => text.split('\n')[0]).slice(1);
}
