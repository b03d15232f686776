import type { INodeParameters } from 'n8n-workflow';
import type { Page } from 'playwright-core';

import { readExample } from '../../dev/base/workflows';
import { node, slug } from '../helpers/n8nWorkflows';
import {
	closePanel,
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
			.getByText(/The picture has too many hands/)
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

// test/engine/nodes/examples.test.ts compares the stored forms of all recipes with what the method returns. This test is about what n8n does with them.
test.each([
	['the fields of the list', 0],
	['one field less than the list', 1],
])(
	'with a stored form of %s, a node whose output was looked at is not run again by a later step',
	inEditor(async (page, _stored: string, lessCount: number) => {
		const recipe = readExample('batch-of-prompts.json');
		const { parameters } = recipe.nodes.find(({ name }) => name === NODE)?.parameters as {
			parameters: { schema: unknown[] };
		};
		parameters.schema.splice(parameters.schema.length - lessCount);
		recipe.nodes.push(node('noOp', {}, { name: 'Next', position: [900, 64] }));
		recipe.connections[NODE] = { main: [[{ node: 'Next', type: 'main', index: 0 }]] };
		await openNew(page, recipe);
		await execute(page);
		await openPanel(page, NODE);
		await waitForForm(page);
		// n8n compares the forms once the method has returned.
		await page.waitForLoadState('networkidle');
		expect(await form(page).getByRole('button', { name: 'Refresh' }).count()).toBe(lessCount);
		expect(await page.getByTestId('node-run-info-stale').count()).toBe(0);
		await closePanel(page);
		await openPanel(page, 'Next');
		await page.getByTestId('node-execute-button').click();
		await page.getByText('Node executed successfully').first().waitFor();
		expect(host.emulator.jobs).toHaveLength(6);
	}),
);
