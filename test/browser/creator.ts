import type { Page } from 'playwright-core';

import { closePanel, goTo, inEditor, nodeNamed } from './editor';

const entry = (page: Page, name: string) =>
	page
		.getByTestId('item-iterator-item')
		.filter({ has: page.getByText(name, { exact: true }) })
		.first();

async function search(page: Page, words: string): Promise<void> {
	const bar = page.getByTestId('node-creator-search-bar');
	// What an earlier search found must be gone.
	await bar.fill('no node has such a name');
	await page.getByTestId('item-iterator-item').first().waitFor({ state: 'hidden' });
	await bar.fill(words);
}

/** What is typed, and the entries that must be there: by name, and by what each node does. */
const SEARCHES: Record<string, string[]> = {
	segmind: [
		'Segmind',
		'Segmind Workflow',
		'Segmind Asset',
		'Segmind Credits',
		'Segmind Endpoint',
		'Segmind Fine-Tune',
		'Segmind Account',
	],
	'image generation': ['Segmind', 'Segmind Workflow'],
	'text to speech': ['Segmind'],
	upscale: ['Segmind'],
	training: ['Segmind Fine-Tune'],
	balance: ['Segmind Credits'],
	upload: ['Segmind Asset'],
	deployment: ['Segmind Endpoint'],
	'api key': ['Segmind Account'],
};

test(
	'the node creator finds the nodes by name and by what they do',
	inEditor(async (page) => {
		await goTo(page, '/workflow/new');
		await page.getByTestId('node-creator-plus-button').click();
		for (const [words, names] of Object.entries(SEARCHES)) {
			await search(page, words);
			for (const name of names) await entry(page, name).waitFor();
		}
	}),
);

test(
	'triggers are found under the entry of the node of that name, and put on the canvas',
	inEditor(async (page) => {
		await goTo(page, '/workflow/new');
		for (const [name, action, node] of [
			['Segmind', 'When a request has finished', 'Segmind Trigger'],
			['Segmind Fine-Tune', 'When a model is available', 'Segmind Fine-Tune Trigger'],
		]) {
			await page.getByTestId('node-creator-plus-button').click();
			await search(page, node);
			await entry(page, name).click();
			await page.getByTestId('item-iterator-item').filter({ hasText: action }).first().click();
			await page.getByTestId('node-parameters').waitFor();
			await closePanel(page);
			await nodeNamed(page, node).waitFor();
		}
	}),
);
