/* eslint-disable @n8n/community-nodes/no-restricted-imports */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';

import { builtCredentials, builtNodes } from '../../dev/base/builtNodes';
import { ROOT } from '../../dev/base/project';
import { node } from '../helpers/n8nWorkflows';
import {
	expectToBecome,
	choose as chooseFrom,
	closePanel,
	inEditor,
	nodeNamed,
	openNew,
	openPanel,
} from './editor';

const FORM = '[data-test-id=resource-mapper-container]';

let workflowId = '';

/** Opens the panel of a node in a workflow with one node of each type. */
async function openNode(page: Page, type: string): Promise<Locator> {
	if (!page.url().endsWith(`/workflow/${workflowId}`)) {
		const names = Object.values(builtNodes()).map(({ description }) => description.name);
		const nodes = names.map((name, at) => node(name, {}, { position: [at * 200, 0] }));
		workflowId = await openNew(page, { name: 'Panels', nodes, connections: {} });
	}
	return await openPanel(page, type);
}

test.each([
	['light', 'segmind.svg'],
	['dark', 'segmind.dark.svg'],
] as const)(
	'the %s theme shows %s on the canvas and in the panel',
	inEditor(async (page, colorScheme: 'light' | 'dark', file: string) => {
		await page.emulateMedia({ colorScheme });
		await openNode(page, 'segmind');
		const icon = readFileSync(join(ROOT, 'icons', file), 'utf8');
		for (const place of [nodeNamed(page, 'segmind'), page.getByTestId('ndv')]) {
			const source = async () => String(await place.locator('img').first().getAttribute('src'));
			await expectToBecome(
				source,
				expect.stringMatching(new RegExp(`/${file.replace(/\./g, '\\.')}$`)),
			);
			expect(await (await page.request.get(await source())).text()).toBe(icon);
		}
		await closePanel(page);
		await page.emulateMedia({ colorScheme: null });
	}),
);

test.each(Object.values(builtNodes()).map(({ description }) => description))(
	'the panel of $displayName shows the fields of each choice, and only required empty fields are red',
	inEditor(async (page, description) => {
		const parameters = await openNode(page, description.name);
		const { properties } = description;

		/** Tries every combination of the choices that show or hide other fields. `chosen` names the parameters that are already set. */
		async function walk(values: INodeParameters, chosen: string[]): Promise<void> {
			const shown = properties.filter((property) =>
				NodeHelpers.displayParameter(values, property, { typeVersion: 1 }, description),
			);
			const next = shown.find(
				({ name, type }) =>
					type !== 'resourceLocator' && !chosen.includes(name) && controlsOthers(name, properties),
			);
			if (next === undefined) {
				// The resource mapper shows the model's fields, which form.ts tests.
				const fields = shown.filter(
					({ type }) => !['notice', 'hidden', 'resourceMapper'].includes(type),
				);
				await expectToBecome(
					async () => ({
						...values,
						labels: await labelsOf(parameters.locator(`[data-test-id=input-label]:not(${FORM} *)`)),
						red: await labelsOf(
							parameters
								.getByTestId('parameter-item')
								.filter({ has: page.getByTestId('parameter-issues') }),
						),
					}),
					{
						...values,
						labels: [...(description.polling ? ['Poll Times', 'Mode'] : []), ...fields.map(nameOf)],
						red: fields.filter(isMarkedRed).map(nameOf),
					},
				);
				return;
			}
			for (const value of choicesOf(next)) {
				await choose(parameters, next, value);
				await walk({ ...values, [next.name]: value }, [...chosen, next.name]);
			}
		}
		await walk({}, []);
		await closePanel(page);
	}),
);

test.each(builtCredentials())(
	'the panel of the credential $displayName opens with its fields',
	inEditor(async (page, { name, properties }) => {
		await openNode(page, name === 'segmindApi' ? 'segmind' : 'segmindAccount');
		await page.getByTestId('credential-edit-button').click();
		const dialog = page.getByTestId('credential-edit-dialog');
		await dialog.getByText('Connection tested successfully').waitFor();
		const fields = properties.filter(({ type }) => type !== 'hidden');
		await expectToBecome(
			async () => await labelsOf(dialog.getByTestId('credential-connection-parameter')),
			fields.map(nameOf),
		);
		// The link to the page where users create a key.
		if (name === 'segmindApi') await dialog.getByRole('link', { name: 'API Keys page' }).waitFor();
		// Escape closes the dialog and the panel.
		await page.keyboard.press('Escape');
		await page.getByTestId('ndv').waitFor({ state: 'hidden' });
	}),
);

/** Whether a parameter shows or hides other fields. */
function controlsOthers(parameter: string, properties: INodeProperties[]): boolean {
	return properties.some(
		({ displayOptions }) => parameter in { ...displayOptions?.show, ...displayOptions?.hide },
	);
}

/** Whether n8n marks the untouched parameter red, because it's required and empty. JSON editors show that in another way. */
function isMarkedRed({ type, required, default: preset }: INodeProperties): boolean {
	const value = typeof preset === 'object' && preset && 'value' in preset ? preset.value : preset;
	return required === true && value === '' && type !== 'json';
}

const nameOf = ({ displayName }: INodeProperties) => displayName;

/** Returns the first line of each visible element, without the asterisk of required fields. */
async function labelsOf(elements: Locator): Promise<string[]> {
	const texts = await elements.filter({ visible: true }).allInnerTexts();
	return texts.map((text) => text.split('\n')[0].replace(/\s*\*$/, ''));
}

/** Returns the values to try for a parameter that shows or hides other fields. */
function choicesOf({ type, options }: INodeProperties): Array<string | boolean> {
	if (type === 'boolean') return [false, true];
	if (type === 'string') return ['', 'something'];
	return (options as INodePropertyOptions[]).map(({ value }) => value as string);
}

async function choose(
	parameters: Locator,
	{ name, type, options }: INodeProperties,
	value: string | boolean,
): Promise<void> {
	const input = parameters.getByTestId(`parameter-input-${name}`);
	if (typeof value === 'boolean') {
		// The checkbox itself is hidden behind the drawn switch.
		const isOn = await input.getByRole('switch').isChecked();
		if (isOn !== value) await input.locator('.el-switch').click();
	} else if (type === 'string') {
		await input.locator('input').fill(value);
	} else {
		const title = (options as INodePropertyOptions[]).find((one) => one.value === value)?.name;
		const isChosen = (await input.locator('input').inputValue()) === title;
		if (!isChosen) await chooseFrom(parameters.page(), name, title ?? value);
	}
}
