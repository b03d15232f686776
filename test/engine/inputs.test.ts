/** The body that is sent for the user's inputs, and the inputs that fail before any call. */
import { randomUUID } from 'node:crypto';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { CHARGE, NOTHING_SENT } from '../../nodes/shared/base/failure';
import { STATUSES } from '../../nodes/shared/errors/statusTable';
import { rejectionPattern } from '../helpers/errorTexts';
import { fileItem, runNode } from '../helpers/runNode';
import {
	fileRow,
	model,
	numberRow,
	rows,
	submitParams,
	textRow,
	workflowParams,
} from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();
const send = async (
	{ additionalParameters, options, ...parameters }: INodeParameters,
	items?: Parameters<typeof runNode>[0]['items'],
) => {
	const { error } = await runNode({
		emulator,
		parameters: submitParams(parameters, {
			...(additionalParameters && { additionalParameters }),
			...(options as IDataObject),
		} as IDataObject),
		items,
	});
	return { error, body: emulator.callsOf('submit')[0]?.body };
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

	const item = fileItem({ data: { bytes: Buffer.from('x') } });
	const expectNotSent = async (parameters: INodeParameters, message: string) => {
		const { error } = await send(parameters, [item]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain(NOTHING_SENT);
		expect(emulator.calls).toEqual([]);
	};

	test.each<[string, INodeParameters[], string]>([
		['a name given twice', [numberRow('n', 1), numberRow('n', 2)], "Input 'n' is given twice"],
		['no name', [textRow('', 'b')], 'The name of input 1 is empty'],
		['text for a number', [numberRow('n', '={{ "x" }}')], "Input 'n' is 'x', but must be a number"],
		[
			'a word for a boolean',
			[{ name: 'go', type: 'boolean', booleanValue: '={{ "yes" }}' }],
			"Input 'go' is 'yes', but must be true or false",
		],
		[
			'broken JSON',
			[{ name: 'tags', type: 'json', jsonValue: '[1,' }],
			"Input 'tags' is not valid JSON",
		],
		['an object', [textRow('a', '={{ ({a: 1}) }}')], "Input 'a' is an object, but must be text"],
		[
			'a missing binary field',
			[fileRow('image', 'nope')],
			"Input 'image' is 'nope', which is neither",
		],
		['the name of the prompt', [textRow('prompt', 'b')], "Input 'prompt' is given twice"],
	])(
		'rows with %s fail before any call, and the error names the row',
		async (_name, values, message) => {
			await expectNotSent({ prompt: 'a', additionalParameters: rows(...values) }, message);
		},
	);

	test.each<[IDataObject, string]>([
		[{ maxConcurrency: 0 }, "Option 'Max Items at Once' is '0'"],
		[{ minimumBalance: 'lots' }, "Option 'Min Balance' is 'lots'"],
		[{ maximumCost: 'much' }, "Option 'Max Cost' is 'much'"],
		[{ maximumCost: -1 }, "Option 'Max Cost' is '-1'"],
		[{ maximumCost: 'Infinity' }, "Option 'Max Cost' is 'Infinity'"],
		[{ maximumCost: '={{ $json.budget }}' }, "Option 'Max Cost' is empty"],
		[{ maximumCost: '' }, "Option 'Max Cost' is empty"],
		[{ minimumBalance: '={{ null }}' }, "Option 'Min Balance' is empty"],
	])('the option %j fails before any call, and the error names it', async (options, message) => {
		await expectNotSent({ options: options as INodeParameters }, message);
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
		emulator.reset();
		await runNode({
			emulator,
			node: 'segmindWorkflow',
			parameters: workflowParams(
				{ waitForCompletion: false, inputs: rows(fileRow('prompt')) },
				{ sendFilesAs: 'base64' },
			),
			items: [picture],
		});
		expect(emulator.callsOf('submit')[0].body).toEqual({ prompt: 'b25l' });
		expect(emulator.callsOf('upload')).toEqual([]);
	});

	test('a file that many items share is uploaded once', async () => {
		await send(
			{
				prompt: 'a',
				additionalParameters: rows(fileRow('image')),
			},
			[picture, picture, picture],
		);
		expect(emulator.callsOf('upload')).toHaveLength(1);
		expect(emulator.callsOf('submit')).toHaveLength(3);
	});

	test('an upload that is rejected is free, and the error says so', async () => {
		emulator.fault({
			on: 'upload',
			times: 'always',
			do: { status: 413, body: '<html><body><h1>Too large</h1></body></html>' },
		});
		const { error } = await send(
			{
				prompt: 'a',
				additionalParameters: rows(fileRow('image')),
			},
			[picture],
		);
		expect(error?.message).toMatch(rejectionPattern('413', ': Too large'));
		expect(error?.description).toContain(STATUSES['413'].todo);
		expect(error?.description).toContain(CHARGE.none);
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
		emulator.reset();
		await runNode({
			emulator,
			node: 'segmindWorkflow',
			parameters: workflowParams(
				{ waitForCompletion: false },
				{ requestBody: '{"prompt": "y", "none": null}' },
			),
		});
		expect(emulator.callsOf('submit')[0].body).toEqual({ prompt: 'y', none: null });
	});
});
