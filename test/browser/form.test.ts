/** The form of a model's parameters in the real editor: choosing, filling in, keeping. */
import type { Page } from 'playwright-core';

import { chain, node } from '../helpers/n8nWorkflows';
import { useSingleN8n } from '../helpers/singleN8n';
import {
	becomes,
	closePanel,
	execute,
	offer,
	openPanel,
	openPicker,
	openWorkflow,
	useEditor,
} from './editor';

const host = useSingleN8n();
const inEditor = useEditor(host);
beforeEach(() => host.it.emulator.reset());

const NODE = 'segmindInference';

async function openNode(page: Page): Promise<void> {
	const { api, credentials } = host.it;
	const nodes = [node('manualTrigger'), node(NODE, { prompt: 'a fox' }, { position: [400, 0] })];
	const { id } = await api.createWorkflow(chain('Form', nodes), credentials);
	await openWorkflow(page, id);
	await openPanel(page, NODE);
}

async function chooseModel(page: Page, title: RegExp): Promise<void> {
	await openPicker(page, 'model');
	await offer(page, title).click();
}

const VEO = [
	'image (URL or binary field)',
	'duration (seconds, e.g. 8)',
	'resolution (changes the price)',
	'generate_audio',
	'aspect_ratio',
	'negative_prompt',
];
const field = (page: Page, name: string) => page.getByTestId(`parameter-input-${name}`);

async function choose(page: Page, name: string, choice: string): Promise<void> {
	await field(page, name).click();
	await page
		.getByTestId('parameter-input-item')
		.filter({ visible: true, has: page.getByText(choice, { exact: true }) })
		.click();
}

/** Names of the form's fields, as they stand there. */
async function labels(page: Page): Promise<string[]> {
	const texts = await page
		.getByTestId('resource-mapper-container')
		.getByTestId('input-label')
		.filter({ visible: true })
		.allInnerTexts();
	return texts.map((text) => text.split('\n')[0]).slice(1);
}

/** What stands in fields. */
async function shown(page: Page, names: string[]): Promise<Record<string, string>> {
	const inputs = names.map(async (name) => [
		name,
		await field(page, name).locator('input, textarea').first().inputValue(),
	]);
	return Object.fromEntries((await Promise.all(inputs)) as Array<[string, string]>);
}

const FILLED = { duration: '10', resolution: '1080p', generate_audio: 'False' };
const isFilled = async (page: Page) =>
	await becomes(async () => await shown(page, Object.keys(FILLED)), FILLED);

test(
	'choosing a model shows its form; what is filled in is kept and sent, and another model clears it',
	inEditor(async (page) => {
		await openNode(page);
		await chooseModel(page, /^Veo 3.1 \(/);
		await becomes(async () => await labels(page), VEO);
		await choose(page, 'duration', '10');
		await choose(page, 'resolution', '1080p');
		await choose(page, 'generate_audio', 'False');
		await isFilled(page);

		await closePanel(page);
		await openPanel(page, 'manualTrigger');
		await closePanel(page);
		await openPanel(page, NODE);
		await becomes(async () => await labels(page), VEO);
		await isFilled(page);

		await chooseModel(page, /^Veo 3.1 \(/);
		await isFilled(page);

		await closePanel(page);
		await execute(page, 'Workflow executed successfully');
		expect(host.it.emulator.jobs.at(-1)?.input).toEqual({
			prompt: 'a fox',
			duration: 10,
			resolution: '1080p',
			generate_audio: false,
		});
		await page.reload();
		await openPanel(page, NODE);
		await isFilled(page);

		await chooseModel(page, /^Imagen 4 \(/);
		// The service calls the others advanced: they wait under "Add parameter to send".
		await becomes(async () => await labels(page), ['aspect_ratio']);
		await closePanel(page);
		await execute(page, 'Workflow executed successfully');
		expect(host.it.emulator.jobs.at(-1)?.input).toEqual({ prompt: 'a fox' });
	}),
);

test(
	'an unknown slug and an expression: a notice in the place of the form',
	inEditor(async (page) => {
		await openNode(page);
		const model = page.getByTestId('resource-locator-model');
		await model.getByTestId('rlc-mode-selector').click();
		await page.getByTestId('mode-id').filter({ visible: true }).click();
		const slug = model.locator('[data-test-id=rlc-input] input, input[data-test-id=rlc-input]');
		await slug.fill('my-endpoint-7');
		await page.getByTestId('empty-fields-notice').waitFor();
		await slug.fill('veo-3.1');
		await becomes(async () => await labels(page), VEO);

		// Switched to an expression: rows are what is left.
		await model.hover();
		await page
			.getByTestId('model-parameter-input-options-container')
			.getByTestId('radio-button-expression')
			.click();
		await page.getByText('An expression gives the model').waitFor();
		await becomes(async () => await page.getByTestId('resource-mapper-container').count(), 0);
	}),
);
