/** The form of a model's parameters in the real editor: choosing a model, filling in its fields, and keeping their values. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { node } from '../helpers/n8nWorkflows';
import {
	expectToBecome,
	choose,
	closePanel,
	field,
	form,
	goTo,
	host,
	inEditor,
	labels,
	pickerEntry,
	openNodes,
	openPanel,
	openPicker,
} from './editor';

const NODE = 'segmind';

/** Opens the node in a new workflow. If `item` is given, it's the node's input. */
async function openNode(page: Page, parameters?: INodeParameters, item?: IDataObject) {
	const nodes = [
		node('manualTrigger'),
		node(NODE, { resource: 'model', prompt: 'a fox', ...parameters }),
	];
	await openNodes(page, nodes, item && { manualTrigger: [{ json: item }] });
	await openPanel(page, NODE);
	// If another model is chosen before the first form has arrived, its form shows the advanced fields too.
	if (parameters?.model === undefined) await field(page, 'aspect_ratio').waitFor();
}

/** Executes the step in the open panel. Returns the input that reached the service. */
async function executeStep(page: Page): Promise<unknown> {
	const { emulator } = host;
	const jobsBefore = emulator.jobs.length;
	const button = page.getByTestId('node-execute-button');
	await button.click();
	await expectToBecome(
		async () => [emulator.jobs.length, await button.innerText()],
		[jobsBefore + 1, 'Execute step'],
	);
	return emulator.jobs.at(-1)?.input;
}

/** Leaves the workflow and opens it again. */
async function reopen(page: Page): Promise<void> {
	await closePanel(page);
	const { pathname } = new URL(page.url());
	await goTo(page, '/home/workflows');
	await goTo(page, pathname);
	await openPanel(page, NODE);
}

/** Locates a field together with its label and buttons. */
const row = (page: Page, name: string): Locator =>
	form(page)
		.locator('.parameter-item')
		.filter({ has: field(page, name) });

const expectLabels = async (page: Page, wanted: unknown[]) =>
	await expectToBecome(async () => await labels(page), wanted);

async function expectValues(page: Page, wanted: Record<string, string>): Promise<void> {
	const value = async (name: string) =>
		await field(page, name).locator('input, textarea').first().inputValue();
	for (const [name, text] of Object.entries(wanted))
		await expectToBecome(async () => [name, await value(name)], [name, text]);
}

async function chooseModel(page: Page, title: RegExp): Promise<void> {
	await openPicker(page, 'model');
	await pickerEntry(page, title).click();
}

const VEO_LABELS = [
	'Image (file)',
	'Duration (seconds) $',
	'Resolution $',
	'Generate Audio',
	'Aspect Ratio',
	'Negative Prompt',
];
const menuItem = (page: Page, text: string | RegExp) =>
	page.getByRole('menuitem').filter({ hasText: text, visible: true });

const CHOSEN = { duration: '10', resolution: '1080p', generate_audio: 'False' };

test(
	'choosing a model shows its form; values are kept and sent, and another model clears them',
	inEditor(async (page) => {
		await openNode(page);
		await chooseModel(page, /^Veo 3.1 Fast ·/);
		await expectLabels(page, VEO_LABELS);
		await choose(page, 'duration', '10');
		await choose(page, 'resolution', '1080p');
		await choose(page, 'generate_audio', 'False');
		await expectValues(page, CHOSEN);

		await closePanel(page);
		await openPanel(page, 'manualTrigger');
		await closePanel(page);
		await openPanel(page, NODE);
		await expectLabels(page, VEO_LABELS);
		await expectValues(page, CHOSEN);

		await chooseModel(page, /^Veo 3.1 Fast ·/);
		await expectValues(page, CHOSEN);

		expect(await executeStep(page)).toEqual({
			prompt: 'a fox',
			duration: 10,
			resolution: '1080p',
			generate_audio: false,
		});
		await closePanel(page);
		await page.reload();
		await openPanel(page, NODE);
		await expectValues(page, CHOSEN);

		await chooseModel(page, /^Flux.1 Dev ·/);
		// The service marks the other fields as advanced: the user finds them under "Add parameter to send".
		await expectLabels(page, [ASPECT]);
		expect(await executeStep(page)).toEqual({ prompt: 'a fox' });
	}),
);

test(
	'while the form belongs to another model, a hint says so; Refresh Parameter List loads the right form',
	inEditor(async (page) => {
		// Before a first run, n8n can't evaluate the prompt, so it doesn't load another form (docs/n8n.md N283).
		await openNode(page, { prompt: '={{ $json.prompt ?? "a fox" }}' });
		const formOfDefault = await labels(page);
		await chooseModel(page, /^Veo 3.1 Fast ·/);
		const hint = page.getByTestId('output-panel').getByText('belong to another model');
		await hint.waitFor();
		expect(await labels(page)).toEqual(formOfDefault);
		await form(page).getByTestId('action-toggle').first().click();
		await menuItem(page, 'Refresh Parameter List').click();
		// Beside a stored form, the advanced fields are visible too.
		await expectLabels(page, [...VEO_LABELS, 'Seed']);
		await hint.waitFor({ state: 'hidden' });
		expect(await executeStep(page)).toEqual({ prompt: 'a fox' });
	}),
);

test(
	'an unknown slug and an expression show a notice instead of the form',
	inEditor(async (page) => {
		await openNode(page);
		const model = page.getByTestId('resource-locator-model');
		await model.getByTestId('rlc-mode-selector').click();
		await page.getByTestId('mode-slug').filter({ visible: true }).click();
		const slug = model.locator('[data-test-id=rlc-input] input, input[data-test-id=rlc-input]');
		await slug.fill('my-endpoint-7');
		await form(page).getByText('The parameters of this model are not known').waitFor();
		await slug.fill('veo-3.1-fast');
		await expectLabels(page, VEO_LABELS);

		// If the model is an expression, only Additional Parameters remain.
		await model.hover();
		await page
			.getByTestId('model-parameter-input-options-container')
			.getByTestId('radio-button-expression')
			.click();
		await page.getByText('The model is set by an expression').waitFor();
		await expectToBecome(async () => await form(page).count(), 0);
	}),
);

const STEPS = 'Steps (1–50) $';
const ASPECT = 'Aspect Ratio';
const UNSET = { aspect_ratio: "Model's Default (1:1)" };

/** Adds a field of the form. If only one field can be added, the button adds it without a menu. */
async function add(page: Page, name: RegExp | 'the only one'): Promise<void> {
	await form(page).getByRole('button', { name: 'Add parameter to send' }).click();
	if (name !== 'the only one') await menuItem(page, name).click();
}

async function remove(page: Page, name: string): Promise<void> {
	await page.getByTestId(`remove-field-button-${name}`).click();
}

test(
	'a removed field is empty when it is added again; an added advanced field is kept',
	inEditor(async (page) => {
		await openNode(page);
		await chooseModel(page, /^Flux.1 Dev ·/);
		await choose(page, 'aspect_ratio', '16:9');
		await add(page, /^Steps/);
		await expectLabels(page, [ASPECT, STEPS]);
		await field(page, 'steps').locator('input').fill('7');
		expect(await executeStep(page)).toEqual({ prompt: 'a fox', aspect_ratio: '16:9', steps: 7 });

		await remove(page, 'steps');
		await expectLabels(page, [ASPECT]);
		await add(page, /^Steps/);
		await expectValues(page, { steps: '' });
		await remove(page, 'aspect_ratio');
		await expectLabels(page, [STEPS]);
		expect(await executeStep(page)).toEqual({ prompt: 'a fox' });
		// An empty field stays on the form.
		await reopen(page);
		await expectLabels(page, [STEPS]);
		await expectValues(page, { steps: '' });

		await add(page, /^Aspect Ratio$/);
		await expectLabels(page, [ASPECT, STEPS]);
		await expectValues(page, UNSET);
		await field(page, 'steps').locator('input').fill('9');
		expect(await executeStep(page)).toEqual({ prompt: 'a fox', steps: 9 });
	}),
);

async function switchTo(page: Page, name: string, mode: 'fixed' | 'expression'): Promise<void> {
	await row(page, name).hover();
	await row(page, name).getByTestId(`radio-button-${mode}`).click();
}

async function writeExpression(page: Page, name: string, text: string): Promise<void> {
	await switchTo(page, name, 'expression');
	await field(page, name).locator('.cm-content').fill(text);
}

/** Reads the expressions in these fields, each with the preview of its result below the field. */
async function readExpressions(page: Page, names: string[]): Promise<Record<string, string[]>> {
	const read = names.map(async (name) => {
		const text = await field(page, name).locator('.cm-content').innerText();
		const preview = row(page, name).locator('[data-test-id^=parameter-expression-preview]');
		// n8n displays non-breaking spaces.
		return [name, [text, (await preview.innerText()).replace(/\u00a0/g, ' ')]];
	});
	return Object.fromEntries((await Promise.all(read)) as Array<[string, string[]]>);
}

test(
	'expressions in text, number and dropdown fields are previewed, sent with the types that the model expects, and kept',
	inEditor(async (page) => {
		await openNode(page, {}, { ratio: '16:9', seconds: '10', loud: 3 });
		await chooseModel(page, /^Veo 3.1 Fast ·/);
		await add(page, 'the only one');
		const written = {
			seed: ['{{ $json.loud + 4 }}', '7'],
			// The choices of this dropdown are numbers.
			duration: ['{{ $json.seconds }}', '10'],
			resolution: ['{{ $json.loud * 240 }}p', '720p'],
			generate_audio: ['{{ $json.loud > 5 }}', 'false'],
			// The model doesn't have this choice.
			aspect_ratio: ['{{ $json.ratio.replace("16", "17") }}', '17:9'],
			negative_prompt: ['no {{ $json.seconds }} cats', 'no 10 cats'],
		};
		for (const [name, [text]] of Object.entries(written)) await writeExpression(page, name, text);
		const expectExpressions = async () =>
			await expectToBecome(async () => await readExpressions(page, Object.keys(written)), written);
		await expectExpressions();
		await chooseModel(page, /^Veo 3.1 Fast ·/);
		await expectExpressions();
		const input = {
			prompt: 'a fox',
			seed: 7,
			duration: 10,
			resolution: '720p',
			generate_audio: false,
			aspect_ratio: '17:9',
			negative_prompt: 'no 10 cats',
		};
		expect(await executeStep(page)).toEqual(input);
		await reopen(page);
		await expectExpressions();

		// Switched back to fixed, the field has the value that the expression resulted in.
		await switchTo(page, 'generate_audio', 'fixed');
		// n8n has opened the dropdown: click elsewhere to close it.
		await page.getByText('Wait for Completion', { exact: true }).click();
		await expectValues(page, { generate_audio: 'False' });
		await remove(page, 'duration');
		await add(page, 'the only one');
		await expectValues(page, { duration: "Model's Default (5)" });
		expect(await executeStep(page)).toEqual({ ...input, duration: undefined });
	}),
);

/** A form as an old workflow has stored it: its list of fields is out of date. */
const outdatedForm = (slug: string, value: IDataObject) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [...Object.keys(value), '.form'].map((id) => ({
		id,
		displayName: id === '.form' ? slug : id,
		required: false,
		defaultMatch: false,
		canBeUsedToMatch: false,
		display: id !== '.form',
		type: 'string',
		...(id === '.form' && { options: [] }),
	})),
	attemptToConvertTypes: false,
	convertFieldsToString: false,
});

test(
	'Refresh keeps and shows every expression, even of a field that the model no longer has',
	inEditor(async (page) => {
		const model = { __rl: true, mode: 'list', value: 'flux-dev', cachedResultName: 'Flux.1 Dev' };
		const values = {
			glow: '={{ $json.later }}',
			shine: '={{ $json.ratio }}',
			broken: '={{ oops( }}',
			steps: '={{ $json.later }}',
		};
		const parameters = outdatedForm('flux-dev', values) as unknown as INodeParameters;
		await openNode(page, { model, parameters }, { ratio: '16:9' });
		await form(page).getByRole('button', { name: 'Refresh' }).click();
		await expectLabels(page, [
			ASPECT,
			'Negative Prompt',
			STEPS,
			expect.stringMatching(/^Seed/),
			'glow',
			'shine',
			'broken',
		]);
		await expectToBecome(async () => await readExpressions(page, Object.keys(values)), {
			glow: ['{{ $json.later }}', 'undefined'],
			shine: ['{{ $json.ratio }}', '16:9'],
			broken: ['{{ oops( }}', '[ERROR: invalid syntax]'],
			steps: ['{{ $json.later }}', 'undefined'],
		});
	}),
);
