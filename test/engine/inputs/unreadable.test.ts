/** Parameters that an AI or a script wrote: what the node can't read makes the item fail before anything is sent. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	model,
	rows,
	runParams,
	submitParams,
	textRow,
	workflowParams,
} from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode, submits } = useVirtualEngine();
const VALUE = { aspect_ratio: '16:9' };
const DEFINE = { mappingMode: 'defineBelow' };
const NOTHING_SENT = [{ kind: 'badInput', charge: 'none' }];

test.each<[string, unknown]>([
	['a plain map', VALUE],
	['JSON text', JSON.stringify({ ...DEFINE, value: VALUE })],
	['an expression', '={{ $json.parameters }}'],
	['a list', [VALUE]],
	['a value by expression', { ...DEFINE, value: '={{ $json.value }}' }],
	['a value as JSON text', { ...DEFINE, value: JSON.stringify(VALUE) }],
	['a value as a list', { ...DEFINE, value: [VALUE] }],
	['automatic mapping', { mappingMode: 'autoMapInputData', value: null }],
	['automatic mapping with values', { mappingMode: 'autoMapInputData', value: VALUE }],
	['members beside the mode', { ...DEFINE, ...VALUE }],
])(
	'a form that is %s fails before anything is sent, and the error shows the right form',
	async (...row) => {
		const parameters = submitParams({ parameters: row[1] as INodeParameters });
		const items = [{ json: { value: VALUE, parameters: { ...DEFINE, value: VALUE } } }];
		const { failed } = await runNode({ parameters, items });
		expect(failed).toMatchObject(NOTHING_SENT);
		expect(failed[0].message).toContain('"value": {');
		expect(emulator.calls).toEqual([]);
	},
);

/** What the editor stores besides the values. */
const EDITOR = {
	matchingColumns: [],
	schema: [],
	attemptToConvertTypes: false,
	convertFieldsToString: false,
};

test.each<[string, unknown, object]>([
	['absent', undefined, {}],
	['null', null, {}],
	['an empty object', {}, {}],
	['values alone', { value: VALUE }, VALUE],
	['untouched', { ...DEFINE, value: null, ...EDITOR }, {}],
	['empty', { ...DEFINE, value: {}, ...EDITOR }, {}],
	['filled in', { ...DEFINE, value: VALUE, ...EDITOR }, VALUE],
	['stored by a later editor', { ...DEFINE, value: VALUE, ...EDITOR, isNew: true }, VALUE],
])('a form that is %s is valid', async (_what, parameters, sent) => {
	const body = await bodyOf({ parameters: parameters as INodeParameters });
	expect(body).toEqual({ prompt: 'x', ...sent });
});

async function bodyOf(more: INodeParameters, asTool = false): Promise<Record<string, unknown>> {
	const { failed } = await runNode({ parameters: submitParams(more), asTool });
	expect(failed).toEqual([]);
	return submits()[0].body as Record<string, unknown>;
}

test('a form that an agent fills in is valid', async () => {
	// n8n 1.85 evaluates $fromAI only in an agent's run; what it returns there is the value of an expression.
	const value = { aspect_ratio: "={{ '16:9' }}" };
	const body = await bodyOf({ parameters: { ...DEFINE, value, schema: [] } }, true);
	expect(body).toMatchObject(VALUE);
});

test.each([
	['model', runParams({}, { additionalParameters: rows({ name: 'seed', type: 'text' }) })],
	['workflow', workflowParams({ inputs: rows({ name: 'seed', type: 'integer', value: 1 }) })],
])('a row of an unknown type fails before anything is sent: %s', async (what, parameters) => {
	const node = what === 'model' ? 'segmind' : 'segmindWorkflow';
	expect((await runNode({ node, parameters })).failed).toMatchObject(NOTHING_SENT);
	expect(emulator.calls).toEqual([]);
});

test('a hint names a row of type Text whose value is empty', async () => {
	const inputs = rows({ name: 'style', type: 'string', value: 'oil' }, textRow('prompt', 'x'));
	const { hints } = await runNode({
		node: 'segmindWorkflow',
		parameters: workflowParams({ inputs }),
	});
	expect(hints).toEqual([expect.stringContaining("'style'")]);
});

test.each<[string, INodeParameters, string]>([
	['segmind', { resource: 'picture', operation: 'generate' }, 'image'],
	['segmind', { resource: 'image', operation: 'create' }, 'removeBackground'],
	...['constructor', '__proto__', 'toString', ''].map(
		(operation): [string, INodeParameters, string] => [
			'segmind',
			{ resource: 'text', operation },
			'generate',
		],
	),
	['segmindFineTune', { resource: 'constructor', operation: 'get' }, 'weight'],
	['segmind', { resource: 'request', operation: 'get' }, 'getResult'],
	['segmindWorkflow', { operation: 'start' }, 'run'],
	['segmindAsset', { operation: 'create' }, 'upload'],
	['segmindCredits', { operation: 'read' }, 'getUsage'],
	['segmindEndpoint', { operation: 'list' }, 'getAll'],
	['segmindFineTune', { resource: 'model', operation: 'get' }, 'weight'],
	['segmindFineTune', { resource: 'job', operation: 'list' }, 'getAll'],
	['segmindAccount', { resource: 'key', operation: 'create' }, 'apiKey'],
	['segmindAccount', { resource: 'apiKey', operation: 'add' }, 'rename'],
])('%s with %j: the error names the choices', async (node, parameters, choice) => {
	const more = { model: model('nano-banana'), prompt: 'x' };
	const items = [fileItem({ data: { bytes: Buffer.from('x') } })];
	const { failed } = await runNode({ node, parameters: { ...more, ...parameters }, items });
	expect(failed).toMatchObject(NOTHING_SENT);
	expect(failed[0].message).toContain(choice);
	expect(emulator.calls).toEqual([]);
});

test('a model whose slug is a number, and an item that contains itself, run', async () => {
	const { failed } = await runNode({ parameters: runParams({ model: 5 }) });
	expect(failed).toMatchObject([{ httpCode: 404 }]);
	const json: IDataObject = { a: 1 };
	json.self = json;
	const { json: out } = succeed(await runNode({ parameters: runParams(), items: [{ json }] }));
	expect(out[0]).toMatchObject({ status: 'COMPLETED' });
});
