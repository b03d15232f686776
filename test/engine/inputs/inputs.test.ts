/** The body that is sent for the user's inputs, and the inputs that fail before any call. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { fileItem, runNode } from '../../helpers/runNode';
import {
	fileRow,
	model,
	numberRow,
	rows,
	submitParams,
	textRow,
	workflowParams,
} from '../../helpers/inference';
import { useEmulator } from '../../helpers/emulator';

const emulator = useEmulator();
const send = async (
	{ additionalParameters, options, ...parameters }: INodeParameters,
	items?: Parameters<typeof runNode>[0]['items'],
) => {
	const { failed } = await runNode({
		emulator,
		parameters: submitParams(parameters, {
			...(additionalParameters && { additionalParameters }),
			...(options as IDataObject),
		} as IDataObject),
		items,
	});
	return { failed, body: emulator.callsOf('submit')[0]?.body };
};
/** Runs a workflow. Returns the body that was sent. */
const sendToWorkflow = async (
	more: INodeParameters,
	options: IDataObject,
	items?: Parameters<typeof runNode>[0]['items'],
) => {
	emulator.reset();
	const parameters = workflowParams({ waitForCompletion: false, ...more }, options);
	await runNode({ emulator, node: 'segmindWorkflow', parameters, items });
	return emulator.callsOf('submit')[0].body;
};

describe('fields', () => {
	test('values are sent with their declared type', async () => {
		const { body } = await send({
			prompt: 'hello',
			additionalParameters: rows(
				textRow('duration', '5'),
				textRow('five', '={{ 5 }}'),
				numberRow('seed', '={{ "12" }}'),
				{ name: 'skip', type: 'boolean', booleanValue: '={{ "false" }}' },
				{ name: 'mask', type: 'json', jsonValue: 'null' },
				{ name: 'tags', type: 'json', jsonValue: '={{ [1, "a"] }}' },
			),
		});
		expect(body).toEqual({
			prompt: 'hello',
			duration: '5',
			five: '5',
			seed: 12,
			skip: false,
			mask: null,
			tags: [1, 'a'],
		});
	});

	test.each([
		['gemini-2.5-flash-tts', 'text'],
		['runway-gen4-turbo', 'promptText'],
		['my-own-model', 'prompt'],
	])('the prompt of %s is sent as %s', async (slug, name) => {
		emulator.fault({ on: 'submit', do: { body: { request_id: randomUUID() } } });
		expect((await send({ model: model(slug), prompt: 'hi' })).body).toEqual({ [name]: 'hi' });
	});

	test('the largest exact integer is sent as a number', async () => {
		const row = numberRow('seed', '={{ "9007199254740991" }}');
		const { body } = await send({ prompt: 'hi', additionalParameters: rows(row) });
		expect(body).toEqual({ prompt: 'hi', seed: 9007199254740991 });
	});

	describe.each([
		['half an emoji', '🦊'.slice(0, 1)],
		['a NUL character', '\0'],
	])('%s', (_what, half) => {
		test('is sent as U+FFFD in every text', async () => {
			const { body } = await send({
				prompt: `a ${half}🦊`,
				additionalParameters: rows(textRow('style', half), {
					name: 'tags',
					type: 'json',
					jsonValue: JSON.stringify([{ a: half }]),
				}),
			});
			expect(body).toEqual({ prompt: 'a \ufffd🦊', style: '\ufffd', tags: [{ a: '\ufffd' }] });
		});

		test('stays in Request Body', async () => {
			const requestBody = JSON.stringify({ prompt: half });
			expect((await send({ options: { requestBody } })).body).toEqual({ prompt: half });
		});
	});

	test('the error for an expression that breaks JSON names what makes it safe', async () => {
		const items = [{ json: { text: 'a "fox"' } }];
		const requestBody = '={"prompt": "{{ $json.text }}"}';
		const { failed } = await send({ options: { requestBody } }, items);
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(failed[0].description).toContain('{{ JSON.stringify($json.text) }}');
		const safe = '={"prompt": {{ JSON.stringify($json.text) }}}';
		expect((await send({ options: { requestBody: safe } }, items)).body).toEqual({
			prompt: 'a "fox"',
		});
	});

	const item = fileItem({ data: { bytes: Buffer.from('x') } });
	const additional = (...values: INodeParameters[]) => ({ additionalParameters: rows(...values) });
	const boolean = { name: 'go', type: 'boolean', booleanValue: '={{ "yes" }}' };
	const json = { name: 'tags', type: 'json', jsonValue: '[1,' };
	const option = (name: string, value: unknown) => ({
		options: { [name]: value } as INodeParameters,
	});

	test.each<[string, string, INodeParameters]>([
		['a name given twice', "'n'", additional(numberRow('n', 1), numberRow('n', 2))],
		['no name', 'Input 1', additional(textRow('', 'b'))],
		['text for a number', "'n'", additional(numberRow('n', '={{ "x" }}'))],
		[
			'digits that JSON would change',
			"'n'",
			additional(numberRow('n', '={{ "9007199254740993" }}')),
		],
		['a number that lost its digits', "'n'", additional(numberRow('n', 2 ** 64))],
		['a word for a boolean', "'go'", additional(boolean)],
		['broken JSON', "'tags'", additional(json)],
		['an object for text', "'a'", additional(textRow('a', '={{ ({a: 1}) }}'))],
		['a missing binary field', "'image'", additional(fileRow('image', 'nope'))],
		['the name of the prompt', "'prompt'", additional(textRow('prompt', 'b'))],
		['zero items at once', 'Max Items at Once', option('maxConcurrency', 0)],
		['a word as the balance', 'Min Balance', option('minimumBalance', 'lots')],
		['null as the balance', 'Min Balance', option('minimumBalance', '={{ null }}')],
		['a word as the cost', 'Max Cost', option('maximumCost', 'much')],
		['a negative cost', 'Max Cost', option('maximumCost', -1)],
		['an infinite cost', 'Max Cost', option('maximumCost', 'Infinity')],
		['an empty cost', 'Max Cost', option('maximumCost', '')],
	])('%s fails before any call, and the error names %s', async (_what, name, parameters) => {
		const { failed } = await send({ prompt: 'a', ...parameters }, [item]);
		expect(failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
		expect(failed[0].message).toContain(name);
		expect(emulator.calls).toEqual([]);
	});
});

describe('file fields', () => {
	const picture = fileItem({
		data: { bytes: Buffer.from('one') },
		second: { bytes: Buffer.from('two'), mimeType: 'image/webp' },
	});

	test('are uploaded in one request and sent as URLs, in order', async () => {
		const { body } = await send(
			{
				prompt: 'a',
				additionalParameters: rows(fileRow('image_urls', 'data, second'), fileRow('mask')),
			},
			[picture],
		);
		const [upload] = emulator.callsOf('upload');
		expect(emulator.callsOf('upload')).toHaveLength(1);
		expect((upload.body as { data_urls: string[] }).data_urls).toEqual([
			'data:image/png;base64,b25l',
			'data:image/webp;base64,dHdv',
		]);
		const [first, second] = (body as { image_urls: string[] }).image_urls;
		expect(body).toEqual({ prompt: 'a', image_urls: [first, second], mask: first });
		expect(first).not.toBe(second);
	});

	test('two URLs are separated by a comma, which may also be part of a URL', async () => {
		const urls = ['https://a.b/w_1,h_2/x.png?a,b', 'https://a.b/y.png'];
		const row = fileRow('images', urls.join(','));
		const { body } = await send({ additionalParameters: rows(row) });
		expect(body).toEqual({ prompt: 'x', images: urls });
	});

	test.each([
		['url', /^http/],
		['dataUrl', /^data:image\/png;base64,b25l$/],
		['base64', /^b25l$/],
	])(
		'Send Files As %s applies to all files; a list is sent if the model takes one, or several are named',
		async (sendFilesAs, pattern) => {
			const { body } = await send(
				{
					additionalParameters: rows(
						fileRow('image_urls'),
						fileRow('mask'),
						fileRow('others', 'data, data'),
					),
					options: { sendFilesAs },
				},
				[picture],
			);
			const one = expect.stringMatching(pattern) as string;
			expect(body).toEqual({ prompt: 'x', image_urls: [one], mask: one, others: [one, one] });
			expect(emulator.callsOf('upload')).toHaveLength(sendFilesAs === 'url' ? 1 : 0);
		},
	);

	test('the option Send Files As also applies to files of the form and of a workflow', async () => {
		const { body } = await send(
			{
				model: model('esrgan'),
				prompt: '',
				parameters: { mappingMode: 'defineBelow', value: { image: 'data' } },
				options: { sendFilesAs: 'base64' },
			},
			[picture],
		);
		expect(body).toEqual({ image: 'b25l' });
		const inputs = rows(fileRow('prompt'));
		const sent = await sendToWorkflow({ inputs }, { sendFilesAs: 'base64' }, [picture]);
		expect(sent).toEqual({ prompt: 'b25l' });
		expect(emulator.callsOf('upload')).toEqual([]);
	});

	test('a file that many items share is uploaded once', async () => {
		await send({ additionalParameters: rows(fileRow('image')) }, [picture, picture, picture]);
		expect(emulator.callsOf('upload')).toHaveLength(1);
		expect(emulator.callsOf('submit')).toHaveLength(3);
	});

	test('an upload that is rejected is free, and the error says so', async () => {
		const action = { status: 413, body: '<html><body><h1>Too large</h1></body></html>' };
		emulator.fault({ on: 'upload', times: 'always', do: action });
		const { failed } = await send({ additionalParameters: rows(fileRow('image')) }, [picture]);
		expect(failed).toMatchObject([{ kind: 'rejected', httpCode: 413, charge: 'none' }]);
		expect(failed[0].message).toContain('Too large');
		expect(emulator.jobs).toEqual([]);
	});
});

describe('Request Body', () => {
	const json = (requestBody: unknown) => ({ options: { requestBody } }) as INodeParameters;

	test('text is sent exactly as written', async () => {
		const text = '{ "seed": 12345678901234567890, "mask": null,\n "duration": "5" }';
		await send(json(text));
		expect(emulator.callsOf('submit')[0].bodyBytes).toBe(Buffer.byteLength(text));
		expect(emulator.callsOf('submit')[0].body).toMatchObject({ mask: null, duration: '5' });
	});

	test('replaces prompt, form and rows; Segmind Workflow has the option too', async () => {
		const { body } = await send({
			prompt: '={{ ({}) }}',
			parameters: { mappingMode: 'defineBelow', value: { seed: 1 } },
			additionalParameters: rows(textRow('', 'x')),
			...json('{"a": 1}'),
		});
		expect(body).toEqual({ a: 1 });
		const requestBody = '{"prompt": "y", "none": null}';
		expect(await sendToWorkflow({}, { requestBody })).toEqual({ prompt: 'y', none: null });
	});
});
