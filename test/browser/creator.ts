import type { Page } from 'playwright-core';

import { TASKS } from '../../nodes/shared/catalogue/tasks';
import {
	addNode,
	closePanel,
	creatorEntry,
	expectToBecome,
	goTo,
	inEditor,
	nodeNamed,
} from './editor';

async function search(page: Page, words: string): Promise<void> {
	const bar = page.getByTestId('node-creator-search-bar');
	// Clears the results of an earlier search, which could be mistaken for the results of this one.
	await bar.fill('no node has such a name');
	await page.getByTestId('item-iterator-item').first().waitFor({ state: 'hidden' });
	await bar.fill(words);
}

/** How high an entry's description is if it has one line, px. */
const ONE_LINE = 16;

/** What the user types, a name or a purpose, and the entries that must appear. n8n lists a trigger under the action node of the same name. */
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
	'remove background': ['Segmind'],
	transcribe: ['Segmind'],
	'lip sync': ['Segmind'],
	'ai image': ['Segmind'],
	'ai video': ['Segmind'],
	training: ['Segmind Fine-Tune'],
	'Segmind Fine-Tune Trigger': ['Segmind Fine-Tune'],
	balance: ['Segmind Credits'],
	upload: ['Segmind Asset'],
	deployment: ['Segmind Endpoint'],
	'api key': ['Segmind Account'],
};

/** What people type for a task of the Segmind node, which must then be one of the first three entries. */
const TASK_SEARCHES = [
	...['analyze image', 'describe image', 'vision', 'image to text', 'caption', 'alt text', 'OCR'],
	...TASKS.map(({ action }) => action),
	...['segmind image', 'segmind video', 'generate picture', 'elevenlabs', 'product photo', 'logo'],
	...['talking avatar', 'resize image', 'upscale image', 'avatar', 'voice over', 'subtitles'],
	...['message a model', 'remove background', 'generate music', 'edit image', 'music', 'voice'],
];

test(
	'the node creator finds the nodes by name and by purpose, and adds a trigger to the canvas',
	inEditor(async (page) => {
		await goTo(page, '/workflow/new');
		await page.getByTestId('node-creator-plus-button').click();
		for (const [words, entries] of Object.entries(SEARCHES)) {
			await search(page, words);
			for (const name of entries) {
				const description = creatorEntry(page, name).locator('p');
				await expectToBecome(
					async () => [name, (await description.boundingBox())?.height],
					[name, ONE_LINE],
				);
			}
		}
		for (const words of TASK_SEARCHES) {
			await search(page, words);
			await creatorEntry(page, 'Segmind').waitFor();
			const entries = page.getByTestId('item-iterator-item');
			const firstNames = async () =>
				(await entries.allInnerTexts()).slice(0, 3).map((text) => text.split('\n')[0]);
			await expectToBecome(
				async () => [words, await firstNames()],
				[words, expect.arrayContaining(['Segmind'])],
			);
		}
		await search(page, 'Segmind Trigger');
		await creatorEntry(page, 'Segmind').click();
		await addNode(page, 'When a request has finished');
		await closePanel(page);
		await nodeNamed(page, 'Segmind Trigger').waitFor();
	}),
);
