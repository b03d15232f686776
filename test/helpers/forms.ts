/** For whole test files: forms of models, from model lists that a test serves itself. */
import { randomUUID } from 'node:crypto';

import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	ResourceMapperField,
} from 'n8n-workflow';

import { listServer, modelForm } from './modelForm';
import { useEmulator } from './emulator';
import { model, submitParams } from './inference';
import { runNode } from './runNode';

export const UNREACHABLE = 'http://127.0.0.1:9';

/** A model with its parameters in the format of the service's list. */
export const PAINTER = {
	slug: 'painter-9',
	title: 'Painter 9',
	type: 'textToImage',
	is_visible: true,
	parameters: {
		prompt: { type: 'str', label: 'Prompt', isRequired: true, displayOrder: 1 },
		seed: { type: 'int', default: '-1', displayOrder: 9, isAdvanced: true },
		steps: { type: 'slider', default: '4', min: '1', max: '50', displayOrder: 2 },
		style: {
			type: 'str',
			component: 'dropdown',
			options: [
				{ label: 'Oil', value: 'oil' },
				{ label: 'Ink', value: 'ink' },
			],
			default: 'oil',
			displayOrder: 3,
			affectsPricing: true,
		},
		size: { type: 'int', values: ['512', '1024'], isRequired: true, displayOrder: 4 },
		reference: { type: 'image', displayOrder: 5 },
		references: { type: 'image[]', displayOrder: 6 },
		refine: { type: 'bool', default: false, displayOrder: 7 },
		palette: { type: 'dict', displayOrder: 8 },
		tags: { type: 'array', displayOrder: 8 },
		internal: { type: 'str', hidden: true },
	},
};
export const loadForm = async (
	listUrl: string,
	slug = PAINTER.slug,
	more: Partial<Parameters<typeof modelForm>[0]> = {},
) => await modelForm({ listUrl, slug, ...more });
export const labelsOf = (fields: ResourceMapperField[]) =>
	fields.map(({ displayName, type }) => `${displayName}: ${type}`);
export const fieldById = (fields: ResourceMapperField[], id: string) =>
	fields.find((field) => field.id === id) as ResourceMapperField;

/** Many models require a prompt. */
const DEFAULT_PROMPT = 'the default prompt';

export function useForms() {
	const emulator = useEmulator();
	const servers: Array<{ close(): Promise<void> }> = [];
	afterEach(async () => {
		for (const server of servers.splice(0)) await server.close();
	});
	return {
		emulator,
		/** Serves a list of models until the test ends. */
		async serveList(models: unknown) {
			const server = await listServer(models);
			servers.push(server);
			return server;
		},
		/** Runs the node with a form's values. Returns the body that was sent, without the default prompt; the emulator accepts any slug. */
		async runWithForm(
			slug: string,
			parameters: IDataObject | undefined,
			{ additionalParameters, ...more }: INodeParameters = {},
			items?: INodeExecutionData[],
			asTool = false,
		) {
			emulator.fault({ on: 'submit', do: { body: { request_id: randomUUID() } } });
			const all = submitParams(
				{
					model: model(slug),
					prompt: DEFAULT_PROMPT,
					...(parameters && { parameters }),
					...more,
				} as INodeParameters,
				{ ...(additionalParameters && { additionalParameters }) } as IDataObject,
			);
			const result = await runNode({
				emulator,
				parameters: all,
				items,
				asTool,
			});
			const sent = emulator.callsOf('submit')[0]?.body as IDataObject | undefined;
			const members = Object.entries(sent ?? {}).filter(([, value]) => value !== DEFAULT_PROMPT);
			return { ...result, body: sent && Object.fromEntries(members) };
		},
	};
}
