import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import { readExample } from '../../dev/base/workflows';
import { node, slug } from '../helpers/n8nWorkflows';
import {
	execute,
	form,
	host,
	inEditor,
	nodeNamed,
	openNew,
	openNodes,
	openPanel,
	waitForForm,
} from './editor';

const NODE = 'Generate an image';

/** Runs an example, waits for n8n's message about the outcome, and opens the panel of its node. */
async function openAfterRun(page: Page, file: string, message?: RegExp): Promise<void> {
	await openNew(page, readExample(file));
	await execute(page, message);
	await openPanel(page, NODE);
}

const output = (page: Page) => page.getByTestId('output-panel');

test(
	'after a batch, the panel shows what it cost',
	inEditor(async (page) => {
		await openAfterRun(page, 'batch-of-prompts.json');
		await output(page)
			.getByTestId('node-hint')
			.getByText(/^Cost: [\d.]+ USD/)
			.waitFor();
	}),
);

test(
	"a failed request shows the service's own words",
	inEditor(async (page) => {
		host.emulator.set({ failJobs: 'all', failText: 'The picture has too many hands.' });
		await openAfterRun(page, 'text-to-image.json', /Problem in node/);
		await output(page)
			.getByTestId('node-error-message')
			.getByText(/^Request \S+ failed: The picture has too many hands\.$/)
			.waitFor();
		await output(page)
			.getByTestId('node-error-description')
			.getByText(/Nothing was charged/)
			.waitFor();
	}),
);

test(
	'the canvas shows the model or the operation before and after a run',
	inEditor(async (page) => {
		const modelNode = (parameters: INodeParameters, name: string) =>
			node('segmind', { ...parameters, prompt: 'a pot' }, { name });
		const cachedResultName = 'Banana · $0.04 · 9 s';
		const listed = { ...slug('nano-banana'), mode: 'list', cachedResultName };
		const options = { requestBody: '{ "prompt": "a pot" }' };
		await openNodes(page, [
			node('manualTrigger'),
			modelNode({}, 'default'),
			modelNode({ model: listed }, 'listed'),
			modelNode({ model: slug('nano-banana') }, 'slug'),
			modelNode({ model: slug('={{ "nano-" + "banana" }}') }, 'expression'),
			node('segmindWorkflow', { slug: 'product-photo', waitForCompletion: false, options }),
		]);
		const expectSubtitles = async () => {
			for (const [name, subtitle] of [
				['default', 'Nano Banana'],
				['listed', 'Banana'],
				['slug', 'nano-banana'],
				['expression', 'Image: Generate'],
				['segmindWorkflow', 'Run: product-photo'],
			])
				await nodeNamed(page, name).getByText(subtitle, { exact: true }).waitFor();
		};
		await expectSubtitles();
		await execute(page);
		await expectSubtitles();
	}),
);

// test/engine tests that the stored forms of all recipes equal what the method returns. This test is about n8n's own comparison.
test(
	'after a run, neither the form nor the output of a recipe is shown as outdated',
	inEditor(async (page) => {
		await openAfterRun(page, 'text-to-image.json');
		await waitForForm(page);
		// n8n compares the forms once the method has returned.
		await page.waitForLoadState('networkidle');
		await output(page).getByTestId('ndv-view-binary-data').waitFor();
		expect(await form(page).getByText('outdated').count()).toBe(0);
		expect(await form(page).getByRole('button', { name: 'Refresh' }).count()).toBe(0);
		expect(await page.getByText('parameters have changed').count()).toBe(0);
		expect(await page.getByTestId('node-run-info-stale').count()).toBe(0);
	}),
);
