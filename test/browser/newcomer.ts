/* eslint-disable @n8n/community-nodes/no-restricted-imports, @n8n/community-nodes/no-restricted-globals, @n8n/community-nodes/no-dangerous-functions */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { Locator, Page } from 'playwright-core';

import { ROOT } from '../../dev/base/project';
import { N8nApi, OWNER, type SavedWorkflow } from '../../dev/n8n/n8nApi';
import { fillAccount } from '../../dev/n8n/sampleAccount';
import { node, slug } from '../helpers/n8nWorkflows';
import {
	addNode,
	expectToBecome,
	choose,
	closePanel,
	execute,
	EXECUTION_MS,
	field,
	form,
	goTo,
	host,
	inEditor,
	labels,
	nodeNamed,
	pickerEntry,
	openNodes,
	openPanel,
	openPicker,
	pictureWidth,
	waitForForm,
} from './editor';

describe('npm run editor', () => {
	let editor: ChildProcess;
	beforeAll(() => {
		editor = spawn(
			process.execPath,
			['--import', 'tsx', join('dev', 'n8n', 'editor.ts'), '--port', '0', '--job-seconds', '2'],
			{ cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] },
		);
	});
	afterAll(async () => {
		editor.kill('SIGTERM');
		if (editor.exitCode === null) await once(editor, 'exit');
	});

	test('the owner named in the greeting can run the example named there', async () => {
		let greeting = '';
		for await (const chunk of editor.stdout ?? []) {
			greeting += String(chunk);
			if (greeting.includes('Ctrl-C')) break;
		}
		for (const words of [OWNER.email, OWNER.password]) expect(greeting).toContain(words);
		const [, origin, id] = /Open (\S+)\/workflow\/(\S+), sign in/.exec(greeting) ?? [];
		const api = new N8nApi(origin);
		await api.signIn();
		const workflow = await api.call<SavedWorkflow>('GET', `/workflows/${id}`);
		const { status } = await api.waitForEnd(await api.run(workflow));
		expect([workflow.name, status]).toEqual(['Segmind: text to image', 'success']);
	});
});

describe('with mouse and keyboard', () => {
	beforeEach(() => host.emulator.set({ media: 'real' }));

	/** Returns the last job's model and input. */
	const sent = () => {
		const { model, input } = host.emulator.jobs.at(-1) ?? {};
		return [model, input];
	};

	test(
		'from an empty workflow to a picture: Segmind is listed first, its actions are grouped by resource, and three clicks and a prompt are enough',
		inEditor(async (page) => {
			await goTo(page, '/workflow/new');
			await page.getByTestId('node-creator-plus-button').click();
			await openActions(page);
			const actions = page.getByTestId('item-iterator-item');
			const wanted = [
				...['ANY MODEL ACTIONS', 'Get many models', 'Run any model'],
				'AUDIO ACTIONS',
				...['Generate audio', 'Generate music', 'Generate speech', 'Transcribe audio'],
				'IMAGE ACTIONS',
				...['Analyze an image', 'Edit an image', 'Generate an image'],
				...['Remove background from an image', 'Upscale an image'],
				'REQUEST ACTIONS',
				'Get many requests',
				'Get the result of a request',
				'Get the status of a request',
				...['TEXT ACTIONS', 'Generate text'],
				...['VIDEO ACTIONS', 'Generate a video'],
			];
			// The list grows while it's drawn.
			await expectToBecome(
				async () => (await actions.allInnerTexts()).filter((text) => !text.startsWith('When ')),
				wanted,
			);
			await addAction(page, 'Generate an image');
			await field(page, 'prompt').locator('textarea').fill('a lighthouse');
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByTestId('ndv-view-binary-data').click({ timeout: EXECUTION_MS });
			expect(await pictureWidth(output)).toBeGreaterThan(100);
			expect(sent()).toEqual(['nano-banana', { prompt: 'a lighthouse' }]);
			await closePanel(page);
			await nodeNamed(page, 'Generate an image').waitFor();
		}),
	);

	const FILE = { image: expect.stringMatching(/^http/) as string };
	test.each<[action: string, slug: string, prompt: string, input: object]>([
		['Upscale an image', 'esrgan', '', FILE],
		['Remove background from an image', 'bg-removal-v2', '', FILE],
		['Generate speech', 'gemini-3.1-flash-tts', 'Hello', { text: 'Hello' }],
		['Generate music', 'lyria-2', 'a calm piano', { prompt: 'a calm piano' }],
	])(
		'"%s" runs with its default after four clicks: plus, Segmind, the action, Execute step',
		inEditor(async (page, action: string, slug: string, prompt: string, input: object) => {
			await addAfterPicture(page, action);
			if (prompt !== '') await field(page, 'prompt').locator('textarea').fill(prompt);
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByTestId('ndv-view-binary-data').waitFor({ timeout: EXECUTION_MS });
			expect(sent()).toEqual([slug, input]);
		}),
	);

	test(
		'"Analyze an image" answers in fields after two more clicks, and Edit Fields uses one of them',
		inEditor(async (page) => {
			await addAfterPicture(page, 'Analyze an image');
			await choose(page, 'outputFormat', 'JSON');
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByTestId('ndv-view-binary-data').waitFor({ timeout: EXECUTION_MS });
			await showFields(output);
			await output.getByText('title', { exact: true }).waitFor();
			const [model, input] = sent();
			expect(model).toBe('gemini-3.1-flash-lite');
			expect(input).toMatchObject({ response_format: { type: 'json_schema' } });
			expect(JSON.stringify(input)).toContain('inlineData');
			await closePanel(page);
			await nodeNamed(page, 'Analyze an image').getByTestId('canvas-handle-plus').click();
			await page.getByTestId('node-creator-search-bar').fill('Edit Fields');
			await addNode(page, 'Edit Fields (Set)');
			await showFields(page.getByTestId('ndv-input-panel'));
			await dragIntoFields(page, 'title');
			await page.getByTestId('node-parameters').getByText('{{ $json.data.title }}').waitFor();
			await page.getByTestId('node-execute-button').click();
			await output.getByText(/image of \d+ bytes/).waitFor();
		}),
	);

	test(
		'makes a 16:9 video of 5 s from a picture in six clicks and a prompt',
		inEditor(async (page) => {
			await addAfterPicture(page, 'Generate a video');
			await field(page, 'prompt').locator('textarea').fill('waves roll');
			await choose(page, 'duration', '5');
			await choose(page, 'aspect_ratio', '16:9');
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByTestId('ndv-view-binary-data').click({ timeout: EXECUTION_MS });
			await output.locator('video').waitFor();
			expect(sent()).toEqual([
				'seedance-2.0-mini',
				{
					prompt: 'waves roll',
					first_frame_url: expect.stringMatching(/^http/),
					duration: 5,
					aspect_ratio: '16:9',
				},
			]);
		}),
	);

	test(
		'the output field "text" can be dragged into the next node before anything has run',
		inEditor(async (page) => {
			await openNodes(page, [
				node('manualTrigger'),
				node('segmind', { resource: 'text', prompt: 'Why is the sky blue?' }),
				node('set', { options: {} }, { typeVersion: 3.4 }),
			]);
			const parameters = await openPanel(page, 'set');
			await dragIntoFields(page, 'text');
			await parameters.getByText('{{ $json.text }}').waitFor();
			await closePanel(page);
			await execute(page);
			expect(host.emulator.jobs).toHaveLength(1);
		}),
	);

	test(
		'the default model and its form change with the resource; a chosen model stays',
		inEditor(async (page) => {
			await openNodes(page, [node('manualTrigger'), node('segmind', { prompt: 'a fox' })]);
			await openPanel(page, 'segmind');
			const model = () =>
				page.getByTestId('resource-locator-model').locator('input').last().inputValue();
			await expectToBecome(model, 'Nano Banana · $0.04 · 14 s');
			const forms = {
				Video: [
					'Seedance 2.0 Mini · $0.40 · 159 s',
					'First Frame (file), Duration (seconds) $, Resolution $, Aspect Ratio, Generate Audio, Last Frame (file)',
				],
				Audio: [
					'Gemini 3.1 Flash TTS · $0.0067 · 8 s',
					'Voice 1, Voice 2 (second speaker), Temperature (0–2)',
				],
				Text: ['GPT 5.4 Mini · $0.00054 · 5 s', 'Temperature, Max Tokens'],
				'Any Model': ['Nano Banana · $0.04 · 14 s', 'Images (files), Aspect Ratio'],
			};
			for (const [resource, wanted] of Object.entries(forms)) {
				await choose(page, 'resource', resource);
				await expectToBecome(async () => [await model(), (await labels(page)).join(', ')], wanted);
			}
			await choose(page, 'resource', 'Image');
			await openPicker(page, 'model');
			await pickerEntry(page, 'Seedream').first().waitFor();
			expect(await pickerEntry(page, 'Seedance').count()).toBe(0);
			await page.getByTestId('rlc-search').filter({ visible: true }).fill('banana');
			await pickerEntry(page, 'Seedream').first().waitFor({ state: 'hidden' });
			await pickerEntry(page, /^Nano Banana Pro · \$[\d.]+ · \d+ s\b/).click();
			await form(page).getByText('Output Resolution $', { exact: true }).waitFor();
			await choose(page, 'resource', 'Video');
			await expectToBecome(model, expect.stringMatching(/^Nano Banana Pro/));
			await page.getByTestId('output-panel').getByText('Image: Generate or Image: Edit').waitFor();
		}),
	);

	test(
		'an additional parameter is sent, and Answer in One Call hides Wait for Completion',
		inEditor(async (page) => {
			await openNodes(page, [node('manualTrigger'), node('segmind', { prompt: 'a fox' })]);
			const parameters = await openPanel(page, 'segmind');
			await waitForForm(page);
			const waiting = parameters.getByText('Wait for Completion', { exact: true });
			await waiting.waitFor();
			await addOption(page, 'Additional Parameters');
			await parameters.getByRole('button', { name: 'Add Parameter', exact: true }).click();
			await field(page, 'name').locator('input').fill('seed');
			await choose(page, 'type', 'Number');
			await field(page, 'numberValue').locator('input').fill('7');
			await addOption(page, 'Answer in One Call');
			await field(page, 'answerInOneCall').locator('.el-switch').click();
			await waiting.waitFor({ state: 'hidden' });
			await closePanel(page);
			await execute(page);
			expect(sent()).toEqual(['nano-banana', { prompt: 'a fox', seed: 7 }]);
			expect(host.emulator.callsOf('v1')).toHaveLength(1);
		}),
	);

	test(
		'a conversation is defined by rows or, after one choice, by a list, which is sent before the prompt',
		inEditor(async (page) => {
			await openNodes(
				page,
				[node('manualTrigger'), node('segmind', { resource: 'text', prompt: 'So?' })],
				{ manualTrigger: [{ json: { messages: [{ human: 'Hi', ai: 'Hello' }] } }] },
			);
			const parameters = await openPanel(page, 'segmind');
			await waitForForm(page);
			await addOption(page, 'Conversation');
			await parameters.getByRole('button', { name: 'Add Message', exact: true }).click();
			await field(page, 'role').waitFor();
			await field(page, 'message').waitFor();
			await choose(page, 'defineAs', 'List');
			await field(page, 'role').waitFor({ state: 'hidden' });
			const list = field(page, 'list');
			await list.hover();
			await parameters
				.getByTestId('list-parameter-input-options-container')
				.getByTestId('radio-button-expression')
				.click();
			await list.locator('.cm-content').fill('{{ $json.messages }}');
			// The editor has stored the expression once it shows the result.
			await parameters
				.getByTestId('parameter-expression-preview-list')
				.getByText('Hello')
				.waitFor();
			await closePanel(page);
			await execute(page);
			expect(sent()).toEqual([
				'gpt-5.4-mini',
				{
					messages: [
						{ role: 'user', content: 'Hi' },
						{ role: 'assistant', content: 'Hello' },
						{ role: 'user', content: 'So?' },
					],
				},
			]);
		}),
	);

	test(
		'a dry run sends nothing, and shows what a run would send and cost',
		inEditor(async (page) => {
			await openNodes(page, [node('manualTrigger'), node('segmind', { prompt: 'a fox' })]);
			await openPanel(page, 'segmind');
			await waitForForm(page);
			await addOption(page, 'Dry Run');
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByText('dry_run').first().waitFor({ timeout: EXECUTION_MS });
			await output.getByText(/would be sent for about/).waitFor();
			expect(host.emulator.jobs).toEqual([]);
		}),
	);

	test(
		'two options make an item of each file and keep the fields of the input; a third names the files',
		inEditor(async (page) => {
			const options = {
				additionalParameters: { values: [{ name: 'max_images', type: 'number', numberValue: 3 }] },
				fileName: '={{ $json.sku }}',
			};
			const parameters = { model: slug('seedream-4'), prompt: 'a fox', options };
			const pinData = { manualTrigger: [{ json: { sku: 'A-1' } }] };
			await openNodes(page, [node('manualTrigger'), node('segmind', parameters)], pinData);
			await openPanel(page, 'segmind');
			await waitForForm(page);
			for (const [title, name] of [
				['Include Other Input Fields', 'includeOtherFields'],
				['One Item per File', 'oneItemPerFile'],
			]) {
				await addOption(page, title);
				await field(page, name).locator('.el-switch').click();
			}
			await page.getByTestId('node-execute-button').click();
			const output = page.getByTestId('output-panel');
			await output.getByText('3 items').waitFor({ timeout: EXECUTION_MS });
			for (const name of ['A-1.png', 'A-1-1.png', 'A-1-2.png'])
				await output.getByText(name, { exact: true }).waitFor();
			// The JSON view renders only what fits into the panel.
			await output.getByText('Table', { exact: true }).click();
			const kept = output.getByText('A-1', { exact: true });
			await expectToBecome(async () => await kept.count(), 3);
		}),
	);
});

/** Searches for Segmind in the open node creator, expects it to be the first entry, and opens its actions. */
async function openActions(page: Page): Promise<void> {
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
async function addAction(page: Page, name: string): Promise<void> {
	await addNode(page, name);
	await waitForForm(page);
}

/** Adds a node by choosing one of Segmind's actions, after a node that outputs a picture. */
async function addAfterPicture(page: Page, action: string): Promise<void> {
	const { picture } = await fillAccount(host.emulator);
	await openNodes(page, [
		node('manualTrigger'),
		node('httpRequest', { url: picture, options: {} }, { typeVersion: 4.2 }),
	]);
	await nodeNamed(page, 'httpRequest').getByTestId('canvas-handle-plus').click();
	await openActions(page);
	await addAction(page, action);
}

/** Shows the fields of an item with files, of which n8n shows the files first. */
async function showFields(panel: Locator): Promise<void> {
	await panel.getByTestId('radio-button-schema').click();
}

/** Drags a field of the input into the open Edit Fields node. */
async function dragIntoFields(page: Page, name: string): Promise<void> {
	await page.getByTestId('ndv-input-panel').getByText(name, { exact: true }).hover();
	await page.mouse.down();
	const { x, y, width, height } = (await page
		.getByTestId('node-parameters')
		.getByText('Drag input fields here')
		.boundingBox()) as { x: number; y: number; width: number; height: number };
	await page.mouse.move(x + width / 2, y + height / 2, { steps: 10 });
	await page.mouse.up();
}

/** Adds an option from the list of the open panel. */
async function addOption(page: Page, name: string): Promise<void> {
	await page.getByPlaceholder('Add Option').click();
	await page
		.getByTestId('collection-parameter-option')
		.filter({ visible: true, hasText: name })
		.click();
}
