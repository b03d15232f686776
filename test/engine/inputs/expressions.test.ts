/* eslint-disable @n8n/community-nodes/no-restricted-globals */
/**
 * Expressions that would spoil a paid request fail before any call; all others are sent as n8n evaluates them. What everyField.test.ts does to every
 * field isn't repeated here.
 */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import {
	fileRow,
	model,
	numberRow,
	rows,
	submitParams,
	textRow,
	workflowParams,
} from '../../helpers/inference';
import { fileItem, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const item = fileItem({ data: { bytes: Buffer.from('x') } });

async function send({ additionalParameters, options, ...more }: INodeParameters) {
	const parameters = submitParams(more, {
		...(additionalParameters && { additionalParameters }),
		...(options as INodeParameters),
	});
	const result = await runNode({ parameters, items: [item] });
	return { ...result, body: emulator.callsOf('submit')[0]?.body };
}
const form = (value: INodeParameters) => ({ parameters: { mappingMode: 'defineBelow', value } });

const template = 'The {{ $json.name }} turns';
test.each<[string, INodeParameters, string]>([
	['in the second of two expressions', { prompt: '={{ 1 }} {{ $json.name }}' }, '{{ $json.name }}'],
	[
		'in the JSON of a row',
		{ additionalParameters: rows({ name: 'tags', type: 'json', jsonValue: `=["${template}"]` }) },
		'tags',
	],
	[
		'as null for the file field of a task that needs a file',
		{
			resource: 'audio',
			operation: 'transcribe',
			model: model('eleven-labs-transcript'),
			...form({ audio_url: '={{ null }}' }),
		},
		'Audio',
	],
	[
		'in a list',
		{ additionalParameters: rows({ name: 'a', type: 'json', jsonValue: '={{ [$json.name] }}' }) },
		"'a'",
	],
	['without its closing braces', { prompt: '=a {{ $json.name' }, 'Prompt'],
	['in a calculation', { prompt: '=Price: {{ $json.name * 2 }} EUR' }, 'Prompt'],
	['as an object in a text', { prompt: '=Describe {{ $json }}' }, 'Prompt'],
	['as an object before a line break', { prompt: '={{ $json }}\n' }, 'Prompt'],
	['as a list of objects in a text', { prompt: '=Describe {{ [{}] }}' }, 'Prompt'],
	['as an object that it adds to a text', { prompt: "={{ 'a ' + $json }}" }, 'Prompt'],
	['without braces', { prompt: '$json.name' }, 'Prompt'],
	['without braces, set to Expression', { prompt: '=$json.name' }, 'Prompt'],
	['without braces, by a method', { prompt: "$('Form').first().json['a b']" }, 'Prompt'],
	['without braces in the form', form({ image_urls: '$binary.photo' }), 'Images'],
	['without braces in a row', { additionalParameters: rows(textRow('a', '$json.a')) }, "'a'"],
])(
	'an expression that resolves to nothing %s fails before any call, and the error names the field',
	async (_where, parameters, field) => {
		const { failed } = await send(parameters);
		expect(failed).toMatchObject([{ kind: 'badInput', message: expect.stringContaining(field) }]);
		expect(emulator.calls).toEqual([]);
	},
);

test('the error for an input of a workflow that n8n cannot evaluate names the table of inputs', async () => {
	const parameters = workflowParams({ inputs: rows(textRow('a', "={{ $('Gone').item.json }}")) });
	const { failed } = await runNode({ node: 'segmindWorkflow', parameters });
	const message = expect.stringMatching(/\bInputs\b/);
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none', message }]);
});

test.each<[INodeParameters, RegExp]>([
	[{ prompt: '$json.name' }, /Expression.*\{\{ \$json\.name \}\}/],
	[{ additionalParameters: rows(fileRow('image', '$json.img')) }, /\{\{ \$json\.img \}\}/],
	[{ additionalParameters: rows(fileRow('image', 'photo 1')) }, /^(?!.*%20).*binary field/],
	[{ additionalParameters: rows(fileRow('image', 'a.b/photo 1.png')) }, /%20/],
	[{ additionalParameters: rows(fileRow('image', 'C:\\me\\cat.png')) }, /Files from Disk/],
	[{ additionalParameters: rows(fileRow('image', '/home/cat.png')) }, /Files from Disk/],
	[{ additionalParameters: rows(numberRow('seed', '={{ "12,5" }}')) }, /12\.5/],
	[{ additionalParameters: rows(numberRow('seed', '={{ "9007199254740993" }}')) }, /\bdigits\b/],
	[{ prompt: '=Describe {{ $json }}' }, /\{\{ \$json\.field \}\}/],
])('the error of %j shows what to write', async (more, wanted) => {
	const { failed } = await send(more);
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(`${failed[0].message} ${failed[0].description}`).toMatch(wanted);
	expect(emulator.calls).toEqual([]);
});

test.each([
	['an escaped brace', '=Explain \\{{ name }} in Jinja', '{{ name }} in Jinja'],
	['braces of Vue', "Explain {{ $t('hello') }}", "Explain {{ $t('hello') }}"],
	['braces of PHP', 'Explain {{ $items->links() }}', 'Explain {{ $items->links() }}'],
	['a word with a dollar sign', '$json is a variable', '$json is a variable'],
	['a price', '$5.00', '$5.00'],
	['braces of Helm', 'Explain {{ $values.image }}', 'Explain {{ $values.image }}'],
])('%s in a prompt is sent', async (_what, prompt, sent) => {
	const { body } = succeed(await send({ prompt }));
	expect(body).toMatchObject({ prompt: expect.stringContaining(sent) as string });
});

test('the value of an expression is sent if it is null, empty or a default', async () => {
	const { body } = succeed(
		await send({
			prompt: "=a {{ null }} b {{ '' }} c {{ $json.name ?? 'd' }}",
		}),
	);
	expect(body).toMatchObject({ prompt: expect.stringMatching(/^a .*b .*c d/) as string });
});

test('an optional field of the form is left out if its expression is undefined or null, with one hint for all such items', async () => {
	const parameters = submitParams(
		form({ aspect_ratio: '={{ $json.ratio }}', image_urls: '={{ $json.row.photo }}' }),
	);
	const items = [{}, { ratio: null }, { ratio: '1:1' }].map((json) => ({ json }));
	const { hints } = succeed(await runNode({ parameters, items }));
	const bodies = emulator.callsOf('submit').map(({ body }) => body);
	expect(bodies).toEqual([{ prompt: 'x' }, { prompt: 'x' }, { prompt: 'x', aspect_ratio: '1:1' }]);
	expect(hints).toEqual([
		expect.stringMatching(/^Item 1: .*Aspect Ratio/),
		expect.stringMatching(/^Items 1, 2, 3: .*Images/),
	]);
});

/** The values of an expression that are nothing, in a row of each type. */
const NOTHING: Array<[type: string, member: string, nothing: unknown[]]> = [
	['string', 'stringValue', [undefined, null]],
	['number', 'numberValue', [undefined, null, '', ' ']],
	['boolean', 'booleanValue', [undefined, null, '']],
	['json', 'jsonValue', [undefined, '']],
	['file', 'binaryFields', [undefined, null, '', []]],
];
const rowOf = (type: string, member: string, name = 'extra') =>
	rows({ name, type, [member]: '={{ $json.value }}' });

describe.each(NOTHING)('a row of type %s whose expression resolves to', (type, member, nothing) => {
	test.each(nothing)('%j is left out, with a hint', async (value) => {
		const parameters = submitParams({}, {
			additionalParameters: rowOf(type, member),
		} as IDataObject);
		const result = await runNode({ parameters, items: [{ json: { value } as IDataObject }] });
		const { hints } = succeed(result);
		expect(emulator.callsOf('submit')).toMatchObject([{ body: { prompt: 'x' } }]);
		expect(Object.keys(emulator.callsOf('submit')[0].body as object)).toEqual(['prompt']);
		expect(hints).toEqual([expect.stringMatching(/^Item 1: .*extra/)]);
	});

	test('undefined fails before any call for a required parameter, a needed file and an input of a workflow', async () => {
		const runs = [
			{ parameters: submitParams({ model: model('kling-2.6') }, withRow('prompt')) },
			{
				parameters: submitParams({ ...EDIT, model: model('p-image-edit') }, withRow('image_urls')),
			},
			{
				node: 'segmindWorkflow',
				parameters: workflowParams({ inputs: rowOf(type, member, 'prompt') }),
			},
		];
		for (const run of runs) {
			const { failed } = await runNode({ ...run, items: [item] });
			expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		}
		expect(emulator.calls).toEqual([]);
	});
	const EDIT = { resource: 'image', operation: 'edit' };
	const withRow = (name: string) =>
		({ additionalParameters: rowOf(type, member, name) }) as IDataObject;
});

test('an empty or null expression in the row of the file that a task needs fails, although the item has a file', async () => {
	for (const value of ["''", 'null']) {
		const { failed } = await send({
			resource: 'image',
			operation: 'edit',
			model: model('p-image-edit'),
			additionalParameters: rows(fileRow('image_urls', `={{ ${value} }}`)),
		});
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	}
	expect(emulator.calls).toEqual([]);
});

test("the default that the error of a workflow's input advises is accepted for every type", async () => {
	for (const [type, member] of NOTHING) {
		emulator.reset();
		const row = { name: 'extra', type, [member]: "={{ $json.none ?? '' }}" };
		const parameters = workflowParams({ inputs: rows(textRow('prompt', 'x'), row) });
		succeed(await runNode({ node: 'segmindWorkflow', parameters }));
		const sent = type === 'string' ? { prompt: 'x', extra: '' } : { prompt: 'x' };
		expect(emulator.callsOf('submit')).toMatchObject([{ body: sent }]);
	}
});

test('an empty text, and null as JSON, are sent', async () => {
	const additionalParameters = rows(textRow('a', "={{ '' }}"), textRow('b', ''), {
		name: 'c',
		type: 'json',
		jsonValue: '={{ null }}',
	});
	const { body } = succeed(await send({ additionalParameters }));
	expect(body).toEqual({ prompt: 'x', a: '', b: '', c: null });
});

test('a name of any length is cut where an error or a hint quotes it, so that the rest stays readable', async () => {
	const name = 'x'.repeat(20_000);
	const row = { additionalParameters: rows(textRow(name, '=a {{ $json.nothing }}')) };
	const { message } = (await send(row)).failed[0];
	expect(message).toContain('{{ $json.nothing }}');
	expect(message.length).toBeLessThan(500);
	const { hints } = succeed(await send(form({ [name]: '={{ $json.nothing }}' })));
	expect(hints).toEqual([expect.stringContaining('xxx')]);
	expect(hints[0].length).toBeLessThan(500);
});

const LATER = "$('Later').item.json.x";

test.each<[string, INodeParameters, string]>([
	['the prompt', { prompt: `={{ ${LATER} }}` }, 'Prompt'],
	['a part of the prompt', { prompt: `=a {{ ${LATER} }}` }, 'Prompt'],
	['an option', { options: { timeoutSeconds: `={{ ${LATER} }}` } }, 'Timeout'],
	['the form', form({ aspect_ratio: `={{ ${LATER} }}` }), 'Aspect Ratio'],
	[
		'a row',
		{ additionalParameters: rows(textRow('style', `={{ ${LATER} }}`)) },
		'Additional Parameters',
	],
])("n8n's own explanation of an expression in %s stays", async (_where, parameters, field) => {
	const { failed, error } = await send(parameters);
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(error?.message).toContain(field);
	expect(error?.message).toContain("'Later'");
	expect(error?.context).toMatchObject({ nodeCause: 'Later', descriptionKey: 'nodeNotFound' });
	expect(emulator.calls).toEqual([]);
});

test('without access to $env, the repair is named', async () => {
	const { N8N_BLOCK_ENV_ACCESS_IN_NODE: before } = process.env;
	// The default since n8n 2.
	process.env.N8N_BLOCK_ENV_ACCESS_IN_NODE = 'true';
	const { failed, error } = await send({ prompt: '={{ $env.HOME }}' }).finally(() => {
		if (before === undefined) delete process.env.N8N_BLOCK_ENV_ACCESS_IN_NODE;
		else process.env.N8N_BLOCK_ENV_ACCESS_IN_NODE = before;
	});
	expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(error?.description).toMatch(/N8N_BLOCK_ENV_ACCESS_IN_NODE|access to env vars denied/i);
	expect(emulator.calls).toEqual([]);
});

const onlyIfFirst = (other: string) => `={{ $json.isFirst ? ${LATER} : ${other} }}`;
test.each<[string, INodeParameters, IDataObject]>([
	['an option', {}, { timeoutSeconds: onlyIfFirst('60') }],
	['Max Items at Once', {}, { maxConcurrency: onlyIfFirst('2') }],
	[
		'a row',
		{},
		{ additionalParameters: rows(textRow('style', onlyIfFirst("'x'"))) as IDataObject },
	],
])(
	'a mistake in %s fails its own item only, also if that is the first',
	async (_what, more, options) => {
		const parameters = submitParams(more, options);
		const items = [{ isFirst: true }, {}].map((json) => ({ json }));
		const { json, error } = await runNode({
			parameters,
			items,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		expect(json).toMatchObject([{ error: {} }, { request_id: expect.any(String) as string }]);
		expect(emulator.callsOf('submit')).toHaveLength(1);
	},
);

test('a wrong Max Items at Once fails every item that has it', async () => {
	const parameters = submitParams({}, { maxConcurrency: '={{ $json.n }}' });
	const items = [{ n: 1 }, { n: 'x' }, { n: 3 }].map((json) => ({ json }));
	const { failed } = await runNode({ parameters, items });
	expect(failed).toMatchObject([{ item: 1, kind: 'badInput', charge: 'none' }]);
	expect(emulator.callsOf('submit')).toHaveLength(2);
});
