import type { Page } from 'playwright-core';

import { addNode, goTo, waitForForm } from './editor';

/** Opens an empty workflow, and the actions of Segmind for its first step. */
export async function newSegmind(page: Page): Promise<void> {
	await goTo(page, '/workflow/new');
	await page.getByTestId('node-creator-plus-button').click();
	await findSegmind(page);
}

/** Searches the open panel of nodes, opens the first entry, which is Segmind, and its actions. */
export async function findSegmind(page: Page): Promise<void> {
	const entries = page.getByTestId('item-iterator-item');
	await page.getByTestId('node-creator-search-bar').fill('segmind');
	await entries.filter({ hasText: 'Segmind Workflow' }).waitFor();
	expect(await entries.first().innerText()).toMatch(/^Segmind\n/);
	await entries.first().click();
	// Where a workflow still needs a trigger, n8n opens the triggers only.
	const actions = entries.filter({ hasText: 'Generate an image' });
	await page.getByText(/^Actions \(/).waitFor();
	if (!(await actions.isVisible())) await page.getByText(/^Actions \(/).click();
	await actions.waitFor();
}

/** Chooses an action; the panel of the new node is open then, with its form. */
export async function action(page: Page, text: string): Promise<void> {
	await addNode(page, text);
	await waitForForm(page);
}
