import type { CatalogueParameter, ModelMetadata } from '../../nodes/shared/catalogue';
import { contradictions } from '../../nodes/shared/catalogue/contradictions';
import { metadataOf } from '../../nodes/shared/catalogue/modelList';

const PARAMETERS: CatalogueParameter[] = [
	{ name: 'prompt', type: 'string', required: true },
	{ name: 'steps', type: 'number', min: 1, max: 50 },
	{ name: 'duration', type: 'string', choices: ['5', '10'] },
	{ name: 'size', type: 'number', choices: [512, 1024] },
	{ name: 'refine', type: 'boolean' },
	{ name: 'image', type: 'file' },
	{ name: 'image_urls', type: 'file', list: true },
	{ name: 'messages', type: 'json', list: true },
	{ name: 'palette', type: 'json' },
	{ name: 'cut', type: 'number', max: 22, unit: 's' },
];
const of = (
	parameters: CatalogueParameter[],
	source: ModelMetadata['source'] = 'list',
): ModelMetadata => ({ parameters, source });

test.each<[string, Record<string, unknown>, string[]]>([
	[
		'nothing wrong',
		{
			prompt: 'a',
			steps: 50,
			duration: '5',
			size: 512,
			refine: false,
			image: 'https://a/b.png',
			image_urls: ['https://a/b.png'],
			messages: [{}],
			palette: { a: 1 },
			cut: 0.5,
		},
		[],
	],
	[
		'null and an empty list are values',
		{ prompt: 'a', steps: null, image: null, image_urls: [] },
		[],
	],
	['required, missing', {}, ["'prompt' is required, but was not sent."]],
	['required, empty', { prompt: '' }, ["'prompt' is required, but was not sent."]],
	[
		'an unknown name',
		{ prompt: 'a', foo: 1 },
		[
			"'foo' is not a parameter of the model; it has prompt, steps, duration, size, refine, image, image_urls, messages, palette, cut.",
		],
	],
	[
		'a name in another spelling',
		{ prompt: 'a', imageURL: 'x' },
		["'imageURL' is not a parameter of the model; it has 'image_urls'."],
	],
	[
		'a choice that is none',
		{ prompt: 'a', duration: '8' },
		["'duration' takes one of 5, 10, but the text '8' was sent."],
	],
	[
		'a number for text',
		{ prompt: 'a', duration: 5 },
		[`'duration' takes text, but the number 5 was sent.`],
	],
	[
		'text for a number',
		{ prompt: 'a', steps: '5' },
		["'steps' takes a number, but the text '5' was sent."],
	],
	[
		'a word for a number',
		{ prompt: 'a', steps: 'many' },
		["'steps' takes a number, but the text 'many' was sent."],
	],
	[
		'text for a boolean',
		{ prompt: 'a', refine: 'true' },
		["'refine' takes true or false, but the text 'true' was sent."],
	],
	['out of range', { prompt: 'a', steps: 60 }, ["'steps' is 60, but takes 1 to 50."]],
	['out of half a range', { prompt: 'a', cut: 23 }, ["'cut' is 23, but takes at most 22 s."]],
	[
		'a number that is no choice',
		{ prompt: 'a', size: 640 },
		["'size' takes one of 512, 1024, but the number 640 was sent."],
	],
	[
		'one for a list',
		{ prompt: 'a', image_urls: 'https://a/b.png' },
		["'image_urls' takes a list, but the text 'https://a/b.png' was sent."],
	],
	[
		'a list for one',
		{ prompt: 'a', image: ['https://a/b.png'] },
		["'image' takes one value, but a list was sent."],
	],
	[
		'an object for a file',
		{ prompt: 'a', image: { url: 'x' } },
		["'image' takes a file's URL, but an object was sent."],
	],
	['an object for text', { prompt: {} }, ["'prompt' takes text, but an object was sent."]],
	[
		'a member of Object',
		{ prompt: 'a', constructor: 1 },
		[expect.stringContaining("'constructor' is not a parameter")],
	],
])('%s', (_name, body, said) => {
	expect(contradictions(body, of(PARAMETERS))).toEqual(said);
});

test('a long value is cut, many sentences too', () => {
	const [sentence] = contradictions({ prompt: 'a', duration: 'x'.repeat(1_000) }, of(PARAMETERS));
	expect(sentence.length).toBeLessThan(200);
	const body = Object.fromEntries(Array.from({ length: 50 }, (_unused, at) => [`unknown${at}`, 1]));
	expect(contradictions(body, of(PARAMETERS))).toHaveLength(8);
});

test('the built-in catalogue knows the main parameters only, and says so', () => {
	const metadata = metadataOf('kling-2.6', 'http://127.0.0.1:9');
	expect(contradictions({ prompt: 'a', duration: 5, camera: 1 }, metadata)).toEqual([
		`'duration' takes text, but the number 5 was sent.`,
		expect.stringMatching(
			/'camera' is not among the parameters known of the model \(prompt, .*\); it may have more\./,
		),
	]);
});

test.each(['chatterbox-turbo-tts', 'my-endpoint'])(
	'%s: nothing is said of what is not known for certain',
	(slug) => {
		expect(
			contradictions({ foo: 1, temperature: 'x' }, metadataOf(slug, 'http://127.0.0.1:9')),
		).toEqual([]);
	},
);
