/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { INode } from 'n8n-workflow';
import {
	chromium,
	selectors,
	type Browser,
	type BrowserContextOptions,
	type Locator,
	type Page,
} from 'playwright-core';

import { ROOT } from '../../dev/base/project';
import { CHROMIUM } from '../../dev/n8n/chromium';
import { OWNER } from '../../dev/n8n/n8nApi';
import { chain } from '../helpers/n8nWorkflows';
import type { SingleN8n } from '../helpers/singleN8n';

/** Where the picture of a failed test is put. */
const RESULTS = join(ROOT, 'test-results');
/** How long the editor may take for one step, ms. */
const STEP_MS = 45_000;
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

/** Debian's Chromium with a fresh profile. */
export async function launchBrowser(): Promise<Browser> {
	return await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** What a test does in a page; further arguments come from test.each. */
type Work<Args extends unknown[]> = (page: Page, ...args: Args) => Promise<void>;

/**
 * One browser for a test file. Gives what makes a test of work in a page of the editor, signed in as the owner. The page must not
 * complain in its console; of one that failed there is a picture.
 */
export function useEditor(host: { readonly it: SingleN8n }) {
	let browser: Browser;
	let session: BrowserContextOptions['storageState'];
	beforeAll(async () => {
		browser = await launchBrowser();
		const context = await browser.newContext({ baseURL: host.it.n8n.url });
		const { email, password } = OWNER;
		const data = { emailOrLdapLoginId: email, password };
		const answer = await context.request.post('/rest/login', { data });
		if (!answer.ok()) throw new Error(`n8n refused to sign in: ${await answer.text()}`);
		session = await context.storageState();
		await context.close();
	});
	afterAll(async () => await browser?.close());

	return <Args extends unknown[]>(work: Work<Args>, options: BrowserContextOptions = {}) =>
		async (...args: Args): Promise<void> => {
			const baseURL = host.it.n8n.url;
			await inPage(browser, { baseURL, storageState: session, ...options }, async (page) => {
				const complaints = complaintsOf(page, baseURL);
				await work(page, ...args);
				expect(complaints).toEqual([]);
			});
		};
}

/** Does some work in a new page. Of one that failed there is a picture, which the error names. */
export async function inPage(
	browser: Browser,
	options: BrowserContextOptions,
	work: (page: Page) => Promise<void>,
): Promise<void> {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
	context.setDefaultTimeout(STEP_MS);
	const page = await context.newPage();
	const failure = await work(page).then(
		() => undefined,
		(error: Error) => error,
	);
	if (failure) {
		const message = `${failure.message}\n\nWhat the page looked like: ${await pictureOf(page)}`;
		// Jest prints the stack, which holds the message as it was.
		failure.stack = failure.stack?.replace(failure.message, () => message);
		failure.message = message;
	}
	await context.close();
	if (failure) throw failure;
}

/** Saves a picture of the page under the test's name. Gives its path. */
async function pictureOf(page: Page): Promise<string> {
	const name = expect.getState().currentTestName?.replace(/\W+/g, '-') ?? 'test';
	const path = join(RESULTS, `${name.slice(0, 100)}.png`);
	await mkdir(RESULTS, { recursive: true });
	await page.screenshot({ path });
	return path;
}

/** What n8n says of a node's output before it has run; its own nodes have no such file. */
const OTHERS_SCHEMA = /\/schemas\/(?!n8n-nodes-segmind\.)/;

/** Errors in a page's console so far, except about what it wanted from the internet. */
export function complaintsOf(page: Page, origin: string): string[] {
	const complaints: string[] = [];
	page.on('pageerror', (error) => complaints.push(String(error.stack ?? error)));
	page.on('console', (message) => {
		const { url } = message.location();
		const isOurs = url === '' || (url.startsWith(origin) && !OTHERS_SCHEMA.test(url));
		if (message.type() === 'error' && isOurs) complaints.push(`${message.text()} (${url})`);
	});
	return complaints;
}

/** Reads until that is what is wanted, and leaves the last word to `expect`. */
export async function becomes<T>(
	read: () => Promise<T>,
	wanted: unknown,
	limitMs = STEP_MS,
): Promise<void> {
	for (const until = Date.now() + limitMs; Date.now() < until; ) {
		try {
			expect(await read()).toEqual(wanted);
			return;
		} catch {
			// Not yet: the editor is at work.
		}
	}
	expect(await read()).toEqual(wanted);
}

export async function openWorkflow(page: Page, id: string): Promise<void> {
	await page.goto(`/workflow/${id}`);
	await page.getByTestId('canvas-node').first().waitFor();
}

/** Opens a workflow of these nodes, which n8n places in a row; `pinData` stands for the output of some. Gives the workflow's id. */
export async function openNodes(
	page: Page,
	{ api, credentials }: SingleN8n,
	nodes: INode[],
	pinData: object = {},
): Promise<string> {
	const placed = nodes.map((one, at) => ({ ...one, position: [at * 300, 0] as [number, number] }));
	const { id } = await api.createWorkflow({ ...chain('Nodes', placed), pinData }, credentials);
	await openWorkflow(page, id);
	return id;
}

/** A node on the canvas. */
export function nodeNamed(page: Page, name: string): Locator {
	return page.locator(`[data-test-id=canvas-node][data-node-name="${name}"]`);
}

/** Opens a node's panel by a double click. Gives the part with its parameters. */
export async function openPanel(page: Page, name: string): Promise<Locator> {
	await nodeNamed(page, name).dblclick();
	const parameters = page.getByTestId('node-parameters');
	await parameters.waitFor();
	return parameters;
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
export function offer(page: Page, text: string | RegExp): Locator {
	return page.getByTestId('rlc-item').filter({ hasText: text, visible: true });
}

/** The form of the model's parameters. */
export function form(page: Page): Locator {
	return page.getByTestId('resource-mapper-container');
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

/** A field with its label and what stands beside it. */
export const row = (page: Page, name: string): Locator =>
	form(page)
		.locator('.parameter-item')
		.filter({ has: field(page, name) });

/** Names of the form's fields, as they stand there. */
export async function labels(page: Page): Promise<string[]> {
	const texts = await form(page)
		.getByTestId('input-label')
		.filter({ visible: true })
		.allInnerTexts();
	return texts.map((text) => text.split('\n')[0]).slice(1);
}

/** What stands in fields. */
export async function shown(page: Page, names: string[]): Promise<Record<string, string>> {
	const inputs = names.map(async (name) => [
		name,
		await field(page, name).locator('input, textarea').first().inputValue(),
	]);
	return Object.fromEntries((await Promise.all(inputs)) as Array<[string, string]>);
}
