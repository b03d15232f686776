/** What is sent for what the user entered, and what is refused before any call. */
import type { INodeParameters } from 'n8n-workflow';

import { fileItem, runNode } from '../helpers/runNode';
import { model, rows } from '../helpers/inference';
import { useEmulator } from '../helpers/emulator';

const emulator = useEmulator();
const named = (name: string) => ({ __rl: true, mode: 'name', value: name });
const sentFor = async (
	parameters: INodeParameters,
	items?: Parameters<typeof runNode>[0]['items'],
) => {
	const { error } = await runNode({
		emulator: emulator.it,
		parameters: { operation: 'submit', model: model('nano-banana-pro'), ...parameters },
		items,
	});
	return { error, body: emulator.it.callsOf('submit')[0]?.body };
};

describe('fields', () => {
	test('values keep or take their declared type', async () => {
		const { body } = await sentFor({
			prompt: 'hello',
			inputs: rows(
				{ name: named('duration'), type: 'string', stringValue: '5' },
				{ name: named('five'), type: 'string', stringValue: '={{ 5 }}' },
				{ name: named('seed'), type: 'number', numberValue: '={{ "12" }}' },
				{ name: named('skip'), type: 'boolean', booleanValue: '={{ "false" }}' },
				{ name: named('mask'), type: 'json', jsonValue: 'null' },
				{ name: named('tags'), type: 'json', jsonValue: '={{ [1, "a"] }}' },
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
		emulator.it.fault({ on: 'submit', do: { body: { request_id: 'x1' } } });
		expect((await sentFor({ model: model(slug), prompt: 'hi' })).body).toEqual({ [name]: 'hi' });
	});

	test('an empty prompt is not sent', async () => {
		expect((await sentFor({ prompt: '', inputs: {} })).body).toEqual({});
	});

	test.each<[string, INodeParameters, string]>([
		[
			'a row of the name of the prompt',
			{ prompt: 'a', inputs: rows({ name: named('prompt'), type: 'string', stringValue: 'b' }) },
			"Input 'prompt' is given twice",
		],
		[
			'two rows of one name',
			{
				inputs: rows(
					{ name: named('seed'), type: 'number', numberValue: 1 },
					{ name: named('seed'), type: 'number', numberValue: 2 },
				),
			},
			"Input 'seed' is given twice",
		],
		[
			'a row without a name',
			{ inputs: rows({ name: named(''), type: 'string', stringValue: 'b' }) },
			'Input 1 has no name',
		],
		[
			'text for a number',
			{ inputs: rows({ name: named('seed'), type: 'number', numberValue: '={{ "many" }}' }) },
			"Input 'seed' is 'many', not a number",
		],
		[
			'a word for a boolean',
			{ inputs: rows({ name: named('go'), type: 'boolean', booleanValue: '={{ "yes" }}' }) },
			"Input 'go' is 'yes', not true or false",
		],
		[
			'broken JSON',
			{ inputs: rows({ name: named('tags'), type: 'json', jsonValue: '[1,' }) },
			"Input 'tags' is not valid JSON",
		],
		[
			'an object for text',
			{ inputs: rows({ name: named('style'), type: 'string', stringValue: '={{ ({a: 1}) }}' }) },
			"Input 'style' is an object, not text",
		],
		[
			'a missing binary field',
			{ inputs: rows({ name: named('image'), type: 'file', binaryFields: 'nope' }) },
			"no binary field 'nope'",
		],
		['a bad option', { options: { maxConcurrency: 0 } }, "Option 'Max Concurrency' is '0'"],
		[
			'a bad minimum',
			{ options: { minimumBalance: 'lots' } },
			"Option 'Minimum Balance' is 'lots'",
		],
	])('%s is refused by name before any call', async (_name, parameters, message) => {
		const { error } = await sentFor({ prompt: '', ...parameters }, [
			fileItem({ data: { bytes: Buffer.from('x') } }),
		]);
		expect(error?.message).toContain(message);
		expect(error?.description).toContain('Nothing was sent');
		expect(emulator.it.calls).toEqual([]);
	});
});

describe('file fields', () => {
	const picture = fileItem({
		data: { bytes: Buffer.from('one') },
		second: { bytes: Buffer.from('two'), mimeType: 'image/webp' },
	});

	test('are uploaded in one request and sent as URLs, in order', async () => {
		const { body } = await sentFor(
			{
				prompt: 'a',
				inputs: rows(
					{ name: named('image_urls'), type: 'file', binaryFields: 'data, second' },
					{ name: named('mask'), type: 'file', binaryFields: 'data' },
				),
			},
			[picture],
		);
		const [upload] = emulator.it.callsOf('upload');
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
		expect((upload.body as { data_urls: string[] }).data_urls).toEqual([
			'data:image/png;base64,b25l',
			'data:image/webp;base64,dHdv',
		]);
		const [first, second] = (body as { image_urls: string[] }).image_urls;
		expect(body).toEqual({ prompt: 'a', image_urls: [first, second], mask: first });
		expect(first).not.toBe(second);
	});

	test.each(['urls', 'file_urls'] as const)(
		'either upload answer serves: %s',
		async (uploadAnswer) => {
			emulator.it.set({ uploadAnswer });
			const { body } = await sentFor(
				{ prompt: 'a', inputs: rows({ name: named('image'), type: 'file', binaryFields: 'data' }) },
				[picture],
			);
			expect((body as { image: string }).image).toMatch(/^http/);
		},
	);

	test('can be inlined, as data URL or bare base64; lists where the model takes one, or when asked', async () => {
		const { body } = await sentFor(
			{
				prompt: '',
				inputs: rows(
					{ name: named('image_urls'), type: 'file', binaryFields: 'data', sendAs: 'dataUrl' },
					{ name: named('image'), type: 'file', binaryFields: 'data', sendAs: 'base64' },
					{
						name: named('others'),
						type: 'file',
						binaryFields: 'second',
						sendAs: 'base64',
						asList: true,
					},
				),
			},
			[picture],
		);
		expect(body).toEqual({
			image_urls: ['data:image/png;base64,b25l'],
			image: 'b25l',
			others: ['dHdv'],
		});
		expect(emulator.it.callsOf('upload')).toEqual([]);
	});

	test('a file fanned out to many items goes up once', async () => {
		await sentFor(
			{ prompt: 'a', inputs: rows({ name: named('image'), type: 'file', binaryFields: 'data' }) },
			[picture, picture, picture],
		);
		expect(emulator.it.callsOf('upload')).toHaveLength(1);
		expect(emulator.it.callsOf('submit')).toHaveLength(3);
	});

	test('an upload that is refused costs nothing and says so', async () => {
		emulator.it.fault({
			on: 'upload',
			times: 'always',
			do: { status: 413, body: '<html><body><h1>Too large</h1></body></html>' },
		});
		const { error } = await sentFor(
			{ prompt: 'a', inputs: rows({ name: named('image'), type: 'file', binaryFields: 'data' }) },
			[picture],
		);
		expect(error?.message).toMatch(/too large \(HTTP 413\): Too large/);
		expect(error?.description).toContain('Make the file smaller');
		expect(error?.description).not.toContain('Send As: URL');
		expect(error?.description).toContain('Nothing was charged');
		expect(emulator.it.jobs).toEqual([]);
	});
});

describe('json', () => {
	const json = (inputsJson: unknown) => ({ inputMode: 'json', inputsJson }) as INodeParameters;

	test('text is sent exactly as written', async () => {
		const text = '{ "seed": 12345678901234567890, "mask": null,\n "duration": "5" }';
		await sentFor(json(text));
		expect(emulator.it.callsOf('submit')[0].bodyBytes).toBe(Buffer.byteLength(text));
		expect(emulator.it.callsOf('submit')[0].body).toMatchObject({ mask: null, duration: '5' });
	});

	test('an object from an expression is sent as it is', async () => {
		expect((await sentFor(json('={{ ({ a: null, b: [1], c: "5" }) }}'))).body).toEqual({
			a: null,
			b: [1],
			c: '5',
		});
	});

	test.each([
		['[1]', 'a list'],
		['"text"', 'a string'],
		['null', 'null'],
		['{"a": 1,}', 'position'],
		['{"a":\n  oops}', 'line 2'],
	])('%p is refused, naming the position', async (text, what) => {
		const { error } = await sentFor(json(text));
		expect(error?.message).toContain(what);
		expect(emulator.it.calls).toEqual([]);
	});

	test('what n8n did not evaluate gets an error of its own in Request', async () => {
		const { error } = await runNode({
			emulator: emulator.it,
			parameters: { operation: 'getStatus', request: '{{ $json.request_id }}' },
		});
		expect(error?.message).toContain('text of an expression');
	});
});
