/** Which parameters the sentences about contradictions between values and the model's metadata name; their wording isn't tested. */
import type { CatalogueParameter, ModelMetadata } from '../../nodes/shared/catalogue';
import { findContradictions } from '../../nodes/shared/catalogue/contradictions';
import { fieldLabel } from '../../nodes/shared/catalogue/labels';

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
const METADATA: ModelMetadata = { parameters: PARAMETERS, source: 'list' };

/** Returns the parameter with which each sentence starts, and which of the `facts` the sentence contains. */
const readContradictions = (body: Record<string, unknown>, ...facts: string[]) =>
	findContradictions(body, METADATA).map((sentence) => {
		const [, name] = /^'([^']+)' /.exec(sentence) ?? [];
		return [name, ...facts.filter((fact) => sentence.includes(fact))];
	});

test.each<Record<string, unknown>>([
	{ prompt: 'a', steps: 50, duration: '5', size: 512, refine: false, cut: 0.5 },
	{ prompt: 'a', image: 'https://a/b.png', image_urls: ['https://a/b.png'], messages: [{}] },
	{ prompt: 'a', palette: { a: 1 } },
	// Null and an empty list are values.
	{ prompt: 'a', steps: null, image: null, image_urls: [] },
])('%j contradicts nothing', (body) => {
	expect(readContradictions(body)).toEqual([]);
});

test.each<[Record<string, unknown>, string, string[]]>([
	[{}, 'prompt', ['required']],
	[{ prompt: '' }, 'prompt', ['required']],
	[{ prompt: {} }, 'prompt', ['text', 'object']],
	[{ prompt: 'a', foo: 1 }, 'foo', ['not a parameter', 'image_urls', 'cut']],
	[{ prompt: 'a', imageURL: 'x' }, 'imageURL', ['not a parameter', "'image_urls'"]],
	[{ prompt: 'a', constructor: 1 }, 'constructor', ['not a parameter']],
	[{ prompt: 'a', duration: '8' }, 'duration', ['5, 10', "'8'"]],
	[{ prompt: 'a', duration: 5 }, 'duration', ['text', 'number 5']],
	[{ prompt: 'a', steps: '5' }, 'steps', ['number', "text '5'"]],
	[{ prompt: 'a', steps: 60 }, 'steps', ['60', '1 to 50']],
	[{ prompt: 'a', cut: 23 }, 'cut', ['23', 'at most 22 s']],
	[{ prompt: 'a', size: 640 }, 'size', ['512, 1024', '640']],
	[{ prompt: 'a', refine: 'true' }, 'refine', ['true or false', "text 'true'"]],
	[{ prompt: 'a', image_urls: 'https://a/b.png' }, 'image_urls', ['a list', 'https://a/b.png']],
	[{ prompt: 'a', image: ['https://a/b.png'] }, 'image', ['one value', 'a list']],
	[{ prompt: 'a', image: { url: 'x' } }, 'image', ['URL', 'object']],
])('%j gives a sentence about %s with %j', (body, name, facts) => {
	expect(readContradictions(body, ...facts)).toEqual([[name, ...facts]]);
});

test('a long value is shortened, and at most eight sentences are returned', () => {
	const [sentence] = findContradictions({ prompt: 'a', duration: 'x'.repeat(1_000) }, METADATA);
	expect(sentence.length).toBeLessThan(200);
	const body = Object.fromEntries(Array.from({ length: 50 }, (_unused, at) => [`unknown${at}`, 1]));
	expect(findContradictions(body, METADATA)).toHaveLength(8);
});

test('a sentence about a missing required file names the parameter and the label of its field', () => {
	const parameters: CatalogueParameter[] = [{ name: 'audio_url', type: 'file', required: true }];
	const [sentence] = findContradictions({}, { parameters, source: 'list' });
	expect(sentence).toContain("'audio_url'");
	expect(sentence).toContain(`'${fieldLabel(parameters[0])}'`);
});
