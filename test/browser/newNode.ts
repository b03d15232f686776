import type { Page } from 'playwright-core';

import { addNode, expectToBecome, goTo, waitForForm } from './editor';

/** Opens an empty workflow, and Segmind's actions in the node creator. */
export async function openActionsInNewWorkflow(page: Page): Promise<void> {
	await goTo(page, '/workflow/new');
	await page.getByTestId('node-creator-plus-button').click();
	await openActions(page);
}

/** Searches for Segmind in the open node creator, expects it to be the first entry, and opens its actions. */
export async function openActions(page: Page): Promise<void> {
	const entries = page.getByTestId('item-iterator-item');
	await page.getByTestId('node-creator-search-bar').fill('segmind');
	await entries.filter({ hasText: 'Segmind Workflow' }).waitFor();
	await expectToBecome(async () => (await entries.first().innerText()).split('\n')[0], 'Segmind');
	await entries.first().click();
	// As long as the workflow has no trigger, n8n opens only the triggers.
	const actions = entries.filter({ hasText: 'Generate an image' });
	await page.getByText(/^Actions \(/).waitFor();
	if (!(await actions.isVisible())) await page.getByText(/^Actions \(/).click();
	await actions.waitFor();
}

/** Adds a node by choosing one of its actions. Then its panel is open, with the model's form. */
export async function addAction(page: Page, name: string): Promise<void> {
	await addNode(page, name);
	await waitForForm(page);
}
