/** The files of examples/ are as the editor would save them; test/e2e runs them in a real n8n. */
import type { IDataObject, INode, INodeTypeDescription, ResourceMapperField } from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';

import { exampleFiles, readExample } from '../../../dev/base/workflows';
import { parametersOf as parametersInList } from '../../../dev/emulator/modelParameters';
import { models } from '../../../dev/emulator/models';
import { issuesOf, parametersOf } from '../../../dev/engine/version';
import { SegmindFineTuneTrigger } from '../../../nodes/SegmindFineTuneTrigger/SegmindFineTuneTrigger.node';
import { SegmindTrigger } from '../../../nodes/SegmindTrigger/SegmindTrigger.node';
import { useForms } from '../../helpers/forms';
import { modelForm, storedForm } from '../../helpers/modelForm';
import { ACTION_NODES } from '../../helpers/packageNodes';

const { emulator, serveList } = useForms();

/** Returns a node's description as n8n changes it for an agent's tool (tool-generation/ai-tools in n8n). */
function asTool(description: INodeTypeDescription): INodeTypeDescription {
	return {
		...description,
		inputs: [],
		outputs: [NodeConnectionTypes.AiTool],
		properties: [
			{
				displayName: 'Tool Description',
				name: 'descriptionType',
				type: 'options',
				options: [
					{ name: 'Set Automatically', value: 'auto' },
					{ name: 'Set Manually', value: 'manual' },
				],
				default: 'auto',
			},
			{
				displayName: 'Description',
				name: 'toolDescription',
				type: 'string',
				default: description.description,
				displayOptions: { show: { descriptionType: ['manual'] } },
			},
			...description.properties,
		],
	};
}

const OURS = new Map<string, INodeTypeDescription>(
	[...Object.values(ACTION_NODES), SegmindFineTuneTrigger, SegmindTrigger].flatMap((NodeClass) => {
		const { description } = new NodeClass();
		const type = `n8n-nodes-segmind.${description.name}`;
		return [
			[type, description],
			[`${type}Tool`, asTool(description)],
		];
	}),
);

describe.each(exampleFiles())('%s', (file) => {
	const ours = readExample(file).nodes.filter(({ type }) => OURS.has(type));

	test('contains no credential, only the name that n8n gives the first one', () => {
		for (const { type, credentials } of ours)
			expect(credentials).toEqual(
				OURS.get(type)?.credentials?.[0].name === 'segmindSessionApi'
					? { segmindSessionApi: { id: null, name: 'Segmind session' } }
					: { segmindApi: { id: null, name: 'Segmind account' } },
			);
	});

	test.each(ours)('$name has its parameters as the editor stores them', (node) => {
		const description = OURS.get(node.type) as INodeTypeDescription;
		expect(node.typeVersion).toBe(description.version);
		// parametersOf leaves out unknown and hidden parameters, and defaults.
		expect(parametersOf(description, node, false)).toEqual(node.parameters);
		const complete = { ...node, parameters: parametersOf(description, node, true) };
		expect(issuesOf(description, complete)).toBeNull();
	});
});

/** Returns the node's parameters with their defaults, which the editor doesn't store. */
const completeParameters = ({ type, ...node }: INode) =>
	parametersOf(OURS.get(type) as INodeTypeDescription, { ...node, type }, true);

const WITH_FORM = exampleFiles().flatMap((file) =>
	readExample(file)
		.nodes.filter((node) => OURS.has(node.type) && completeParameters(node)?.parameters)
		.map((node) => [file, node.name, node] as const),
);

describe.each(WITH_FORM)('%s: the form of %s', (_file, _name, node) => {
	const form = node.parameters.parameters as unknown as IDataObject;
	const schema = form?.schema as unknown as ResourceMapperField[];
	const slug = (completeParameters(node).model as { value: string }).value;
	const formOptions = { slug, asTool: node.type.endsWith('Tool') };

	test('is stored, as the editor stores it, so that opening the node does not change it', async () => {
		const { fields } = await modelForm({ listUrl: 'http://127.0.0.1:9', ...formOptions });
		// A field behind "Add parameter" is on the form once it has a value.
		const filledIn = fields.map(({ removed, ...field }) =>
			removed && !(field.id in (form.value as object)) ? { ...field, removed } : field,
		);
		expect(form).toEqual(storedForm(filledIn, form.value as IDataObject));
	});

	test("is not outdated if the service's list uses other names", async () => {
		const listUrl = emulator.urls.admin;
		const again = await modelForm({ listUrl, ...formOptions, parameters: form });
		expect(schema).toEqual(again.fields);
	});

	test('keeps every field if the list has one parameter more', async () => {
		const listed = models.find((one) => one.slug === slug);
		const parameters = { ...(listed && parametersInList(listed)), brand_new: { type: 'str' } };
		const { url } = await serveList([{ slug, parameters }]);
		const again = await modelForm({ listUrl: url, ...formOptions, parameters: form });
		// The hidden field lists the types of all fields.
		const shown = again.fields.filter(({ display }) => display);
		expect(shown).toEqual(expect.arrayContaining(schema.filter(({ display }) => display)));
		expect(shown.some(({ id }) => id === 'brand_new')).toBe(true);
	});
});
