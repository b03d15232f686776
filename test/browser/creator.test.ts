import type { Page } from 'playwright-core';

import { useSingleN8n } from '../helpers/singleN8n';
import { closePanel, nodeNamed, useEditor } from './editor';

const inEditor = useEditor(useSingleN8n());

const entry = (page: Page, name: string) =>
	page
		.getByTestId('item-iterator-item')
		.filter({ has: page.getByText(name, { exact: true }) })
		.first();

async function openCreator(page: Page): Promise<void> {
	await page.goto('/workflow/new');
	await page.getByTestId('node-creator-plus-button').click();
}

async function search(page: Page, words: string): Promise<void> {
	const bar = page.getByTestId('node-creator-search-bar');
	// What an earlier search found must be gone.
	await bar.fill('no node has such a name');
	await page.getByTestId('item-iterator-item').first().waitFor({ state: 'hidden' });
	await bar.fill(words);
}

/** What is typed, and the entries that must be there. n8n shows a trigger and an action node of one name as one entry. */
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
	inference: ['Segmind'],
	'Segmind Trigger': ['Segmind'],
	'Segmind Fine-Tune Trigger': ['Segmind Fine-Tune'],
	'image generation': ['Segmind', 'Segmind Workflow'],
	'text to speech': ['Segmind'],
	'video generation': ['Segmind', 'Segmind Workflow'],
	upscale: ['Segmind'],
	'fine-tune': ['Segmind Fine-Tune'],
	credits: ['Segmind Credits'],
	balance: ['Segmind Credits'],
	upload: ['Segmind Asset'],
	endpoint: ['Segmind Endpoint'],
	'api key': ['Segmind Account'],
};

test(
	'the node creator finds the nodes by name and by what they do',
	inEditor(async (page) => {
		await openCreator(page);
		for (const [words, names] of Object.entries(SEARCHES)) {
			await search(page, words);
			for (const name of names) await entry(page, name).waitFor();
		}
	}),
);

test.each([
	['Segmind', 'When a request has finished', 'Segmind Trigger'],
	['Segmind Fine-Tune', 'When a model is available', 'Segmind Fine-Tune Trigger'],
])(
	'%s: %s puts the node on the canvas',
	inEditor(async (page, name: string, action: string, node: string) => {
		await openCreator(page);
		await search(page, node);
		await entry(page, name).click();
		await page.getByTestId('item-iterator-item').filter({ hasText: action }).first().click();
		await page.getByTestId('node-parameters').waitFor();
		await closePanel(page);
		await nodeNamed(page, node).waitFor();
	}),
);
