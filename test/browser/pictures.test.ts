/* eslint-disable @n8n/community-nodes/no-restricted-imports */
/** Takes new pictures for the docs. Runs only with `PICTURES=docs npm run test:browser -- pictures`. */
import { join } from 'node:path';

import type { Page } from 'playwright-core';

import { ROOT } from '../../dev/base/project';
import { readExample } from '../../dev/base/workflows';
import { node } from '../helpers/n8nWorkflows';
import {
	choose,
	creatorEntry,
	execute,
	field,
	host,
	inEditor,
	openNew,
	openNodes,
	openPanel,
	pictureWidth,
	waitForForm,
} from './editor';
import { moveAndClick, Recording, showPointer } from './recording';

beforeEach(() => host.emulator.set({ media: 'real' }));

const FOLDER = join(ROOT, 'docs');
const NODE = 'Generate an image';

/** What the editor shows on top of a canvas. */
const BUTTONS =
	'.vue-flow__panel, [class*=executionButtons], [class*=nodeButtonsWrapper], [class*=tab-bar], [class*=tabBar]';

/** Takes a screenshot once no message of n8n covers anything and the pointer is out of the way. */
async function takeScreenshot(page: Page, name: string): Promise<void> {
	await page.locator('.el-notification').first().waitFor({ state: 'hidden' });
	await page.mouse.move(0, 0);
	await page.screenshot({ path: join(FOLDER, name), animations: 'disabled' });
}

/** Takes a screenshot of the canvas, without the buttons that cover it. */
async function takeCanvas(page: Page, name: string): Promise<void> {
	await page.getByTestId('zoom-to-fit').click();
	await page.mouse.move(0, 0);
	await page.getByTestId('canvas-wrapper').screenshot({
		path: join(FOLDER, name),
		animations: 'disabled',
		style: `${BUTTONS} { visibility: hidden }`,
	});
}

async function openNode(page: Page, prompt: string): Promise<void> {
	await openNodes(page, [
		node('manualTrigger', {}, { name: 'When clicking ‘Execute workflow’' }),
		node('segmind', { prompt }, { name: NODE }),
	]);
	await openPanel(page, NODE);
	await waitForForm(page);
}

test(
	'editor-run.png: the panel after a run, with the form of the model and the picture',
	inEditor(async (page) => {
		await page.setViewportSize({ width: 1440, height: 860 });
		await openNode(page, 'A lighthouse on a basalt cliff at dusk, storm clouds, watercolor');
		await choose(page, 'aspect_ratio', '16:9');
		await page.getByTestId('ndv-close-button').click();
		await execute(page);
		await openPanel(page, NODE);
		const output = page.getByTestId('output-panel');
		await output.getByTestId('ndv-view-binary-data').click();
		expect(await pictureWidth(output)).toBeGreaterThan(100);
		await field(page, 'aspect_ratio').waitFor();
		await takeScreenshot(page, 'editor-run.png');
	}),
);

test(
	'editor-dark.png: a batch in the dark theme',
	inEditor(async (page) => {
		await page.setViewportSize({ width: 1440, height: 720 });
		await page.emulateMedia({ colorScheme: 'dark' });
		await openNew(page, readExample('batch-of-prompts.json'));
		await execute(page);
		await page.getByText('6 items').last().waitFor();
		await takeScreenshot(page, 'editor-dark.png');
	}),
);

test.each(['short-from-one-sentence', 'client-quota', 'mcp-server', 'guarded-agent'])(
	'canvas-%s.png: the canvas of a recipe',
	async (recipe) =>
		await inEditor(async (page) => {
			await page.setViewportSize({ width: 1600, height: 720 });
			await page.emulateMedia({ colorScheme: 'light' });
			await openNew(page, readExample(`${recipe}.json`));
			await takeCanvas(page, `canvas-${recipe}.png`);
		})(),
);

test(
	'prompt-to-file.webp: twenty seconds from an empty workflow to a picture',
	inEditor(async (page) => {
		await page.emulateMedia({ colorScheme: 'light' });
		await page.setViewportSize({ width: 1280, height: 760 });
		await showPointer(page);
		await page.goto('/workflow/new');
		await page.getByTestId('node-creator-plus-button').waitFor();
		const recording = await Recording.start(page);
		await moveAndClick(page, page.getByTestId('node-creator-plus-button'));
		await page.getByTestId('node-creator-search-bar').pressSequentially('segmind', { delay: 90 });
		await moveAndClick(page, page.getByTestId('item-iterator-item').first());
		await page.getByText(/^Actions \(/).waitFor();
		const generate = creatorEntry(page, NODE);
		if (!(await generate.isVisible())) await moveAndClick(page, page.getByText(/^Actions \(/));
		await moveAndClick(page, generate);
		await waitForForm(page);
		const prompt = field(page, 'prompt').locator('textarea');
		await moveAndClick(page, prompt);
		await prompt.pressSequentially('A lighthouse on a cliff at dusk, watercolor', { delay: 55 });
		await moveAndClick(page, page.getByTestId('node-execute-button'));
		const output = page.getByTestId('output-panel');
		await moveAndClick(page, output.getByTestId('ndv-view-binary-data'));
		expect(await pictureWidth(output)).toBeGreaterThan(100);
		await recording.save(join(FOLDER, 'prompt-to-file.webp'), 1000);
	}),
);
