/** Output Format JSON: the answer of a language model becomes fields. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, rows, runParams } from '../../helpers/inference';
import { succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const EXAMPLE = {
	title: 'a',
	tags: ['b'],
	price: 1.5,
	stock: { count: 1, sold: false, note: null },
};
const SCHEMA = {
	type: 'object',
	properties: {
		title: { type: 'string' },
		tags: { type: 'array', items: { type: 'string' } },
		price: { type: 'number' },
		stock: {
			type: 'object',
			properties: { count: { type: 'number' }, sold: { type: 'boolean' }, note: {} },
			required: ['count', 'sold', 'note'],
		},
	},
	required: ['title', 'tags', 'price', 'stock'],
};
const ask = (more: INodeParameters = {}, options: IDataObject = {}) =>
	runParams(
		{
			resource: 'text',
			operation: 'generate',
			model: model('gpt-5.4-mini'),
			prompt: 'a',
			outputFormat: 'json',
			jsonSchemaExample: JSON.stringify(EXAMPLE),
			...more,
		},
		options,
	);
const format = () => (emulator.callsOf('submit')[0].body as IDataObject).response_format;
const respondWith = (content: string) =>
	emulator.fault({
		on: 'result',
		do: { rewrite: { with: { output: JSON.stringify({ choices: [{ message: { content } }] }) } } },
	});

test.each(['gpt-5.4-mini', 'claude-4.5-sonnet', 'gemini-2.5-flash'])(
	'%s gets the schema of an example, here from an expression, and its answer is in data',
	async (slug) => {
		const parameters = ask({ model: model(slug), jsonSchemaExample: '={{ $json }}' });
		const { items } = succeed(await runNode({ parameters, items: [{ json: EXAMPLE }] }));
		const json_schema = { name: 'output', schema: SCHEMA };
		expect(format()).toEqual({ type: 'json_schema', json_schema });
		const { data, text } = items[0].json;
		expect(data).toMatchObject({ tags: [expect.any(String)], price: 7, stock: { sold: true } });
		expect(JSON.parse(String(text))).toEqual(data);
	},
);

test('a schema of your own is sent unchanged; without Simplify there is no data', async () => {
	const inputSchema = { type: 'object', properties: { a: { type: 'integer' } } };
	const parameters = ask({ schemaType: 'manual', inputSchema: JSON.stringify(inputSchema) });
	const { items } = succeed(await runNode({ parameters: { ...parameters, simplify: false } }));
	expect(format()).toMatchObject({ json_schema: { schema: inputSchema } });
	expect(items[0].json).not.toHaveProperty('data');
});

test.each([
	['in a fence', '```json\n{"a": 1}\n```', { a: 1 }],
	['in a fence on one line', '```json {"a": 1}```', { a: 1 }],
	['in a fence among words', 'Sure!\n```json\n[1]\n```\nAnything else?', [1]],
	['in a fence and has a fence', '```json\n{"a": "```js```"}\n```', { a: '```js```' }],
	['in two fences', '```json\n{"a": 1}\n```\nor\n```json\n{"a": 2}\n```', undefined],
	['in words beside a fence', '{"a": 1}\n```bash\nls\n```', undefined],
	['in a fence without an end', 'Sure!\n```json\n{"a": 1}', { a: 1 }],
	['beside a mark of a fence', 'Sure! {"a": "```"}', { a: '```' }],
	['an endless fence', `\`\`\`${' '.repeat(60_000)}.`, undefined],
	['a list', ' [1] ', [1]],
	['a list among words', 'Sure! [1]', undefined],
	['after thoughts', '<think>{"a": 0}?</think>\n{"a": 1}', { a: 1 }],
	['only thoughts without an end', '<think>{"a": 0}?', undefined],
	['after thoughts, in a fence', '<think>```</think>```json\n{"a": 1}\n```', { a: 1 }],
	[
		'among words',
		'Sure! As in [2]: {"a": "}", "b": {"c": "\\""}}. 7 > 5',
		{ a: '}', b: { c: '"' } },
	],
	['two objects', 'Either {"a": 1} or {"a": 2}', undefined],
	['an object beside a gap', 'For {name}: {"a": 1}', undefined],
	['an object in a list among words', 'Sure! [{"a": 1}]', undefined],
	['an object beside a list with one', '{"a": 1} or [{"a": 2}]', undefined],
	['an object beside the start of another', '{"a": 1} or {"a": ', undefined],
	['an object beside the end of another', '"a": 1} or {"a": 2}', undefined],
	['JSON about thoughts', '{"a": "</think>{"}', { a: '</think>{' }],
	['broken', 'Sure! {"a": 1', undefined],
	['almost JSON', 'Sure! {a: 1}', undefined],
	['in mixed brackets', 'Sure! {"a": [1}]', undefined],
	['not JSON', 'Sure!', undefined],
	['only a string', '"a"', undefined],
])('an answer that is %s', async (_what, content, data) => {
	respondWith(content);
	const { items, hints } = succeed(await runNode({ parameters: ask() }));
	expect(items[0].json).toMatchObject({ text: content });
	expect(items[0].json.data).toEqual(data);
	expect(hints).toHaveLength(data === undefined ? 1 : 0);
});

test('an agent gets data instead of text', async () => {
	const { items } = succeed(await runNode({ parameters: ask(), asTool: true }));
	expect(items[0].json).toHaveProperty('data.title');
	expect(items[0].json).not.toHaveProperty('text');
});

test.each<[string, string, INodeParameters, IDataObject?]>([
	[
		'a response_format of your own too',
		'response_format',
		{},
		{ additionalParameters: rows({ name: 'response_format', type: 'json', jsonValue: '{}' }) },
	],
	['an example that is a list', 'JSON Example', { jsonSchemaExample: '[1]' }],
	['an example that is not JSON', 'JSON Example', { jsonSchemaExample: '{a: 1}' }],
	['a schema that is empty', 'Input Schema', { schemaType: 'manual', inputSchema: '' }],
	[
		'a schema with a gap',
		'Input Schema',
		{ schemaType: 'manual', inputSchema: '={"k": "{{ $json.k }}"}' },
	],
])('%s: the error names %s, and nothing is sent', async (_what, field, more, options = {}) => {
	const { failed } = await runNode({ parameters: ask(more, options) });
	const message = expect.stringContaining(field);
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
	expect(emulator.calls).toEqual([]);
});
