/** The list of models: the text of an entry, which search finds it, and the order. */
import type { INodeParameters } from 'n8n-workflow';

import { priceListText } from '../../../dev/emulator/routes/prices';
import { TASKS } from '../../../nodes/shared/catalogue/tasks';
import { catalogue, findModel } from '../../../nodes/shared/catalogue';
import { UNREACHABLE, useForms } from '../../helpers/forms';
import { model } from '../../helpers/inference';
import { runNode, search, succeed } from '../../helpers/runNode';

const { emulator, serveList } = useForms();
const OFFLINE = { endpointAdminUrl: UNREACHABLE };
const IMAGE = { resource: 'image', operation: 'generate' };
const EDIT = { resource: 'image', operation: 'edit' };
const TRANSCRIPT = 'eleven-labs-transcript';
const TRANSCRIBE = { resource: 'audio', operation: 'transcribe' };
const VIDEO = { resource: 'video', operation: 'generate' };

async function findEntries(
	filter?: string,
	credential: Record<string, string> = OFFLINE,
	parameters: INodeParameters = { resource: 'model', operation: 'run' },
) {
	return (await search({ emulator, method: 'searchModels', credential, filter, parameters }))
		.results;
}
const slugsFor = async (...query: Parameters<typeof findEntries>) =>
	(await findEntries(...query)).map(({ value }) => value);

test('an entry shows cost and time, if they are published, and that the model has no form', async () => {
	const { url } = await serveList([
		...['nano-banana', 'bg-removal-v2', 'seedance-2.5', 'seedream-5-pro'].map((slug) => ({ slug })),
		{ slug: 'painter-9' },
		{ slug: 'painter-8', parameters: { prompt: { type: 'str' } } },
	]);
	const names = (await findEntries('', { endpointAdminUrl: url })).map(({ name }) => name);
	expect(names.sort()).toEqual([
		'bg-removal-v2 · $0.00089 · 0.7 s',
		'nano-banana · $0.04 · 14 s · takes several images',
		'painter-8',
		'painter-9 · parameters by name',
		'seedance-2.5 · $1.90 · makes sound · takes first + last frame',
		'seedream-5-pro · $0.10 · 99 s · parameters by name',
	]);
	expect((await findEntries('nano banana pro'))[0].name).toBe(
		'Nano Banana Pro · $0.16 · 61 s · takes several images',
	);
});

test.each([
	['voice', 'tts-eleven-labs'],
	['Text to Speech', 'myshell-tts'],
	['upscale', 'esrgan'],
	['remove background', 'bria-remove-background'],
	['lip sync', 'p-video-avatar'],
	['LLM', 'claude-4.5-sonnet'],
	['chat', 'gpt-5.4-mini'],
	['video', 'veo-3.1'],
])('"%s" finds %s, and not everything', async (filter, slug) => {
	const slugs = await slugsFor(filter);
	expect(slugs).toContain(slug);
	expect(slugs.length).toBeLessThan(catalogue.length / 3);
});

test('a word finds no ability in the middle of a word, such as "portrait"', async () => {
	expect(await slugsFor('ai')).not.toContain('nano-banana');
});

test.each<[string, INodeParameters, string]>([
	['sound', VIDEO, 'seedance-2.0-mini'],
	['video with sound', VIDEO, 'kling-2.6'],
	['first and last frame', VIDEO, 'hailuo-02-fast'],
	['lip sync', VIDEO, 'sync.so-lipsync-2-pro'],
	['talking', VIDEO, 'sadtalker'],
	['subtitles', VIDEO, 'video-captioner'],
	['caption', VIDEO, 'veed-subtitles'],
	['join', VIDEO, 'video-stitch'],
	['outpaint', EDIT, 'bria-expand-image'],
	['transparent', EDIT, 'bg-removal-v2'],
	['logo', IMAGE, 'recraft-v3'],
	['cheap', IMAGE, 'p-image'],
	['voice over', { resource: 'audio', operation: 'generateSpeech' }, 'tts-eleven-labs'],
	['whisper', TRANSCRIBE, TRANSCRIPT],
	['subtitles', TRANSCRIBE, TRANSCRIPT],
])('"%s" in the list of %j finds %s, before models of other tasks', async (filter, task, slug) => {
	const entries = await findEntries(filter, OFFLINE, { ...task, model: model('') });
	const slugs = entries.map(({ value }) => value);
	const ofTask = await slugsFor('', OFFLINE, { ...task, model: model('') });
	const hits = slugs.filter((value) => ofTask.includes(value));
	expect(hits).toContain(slug);
	expect(slugs.slice(0, hits.length)).toEqual(hits);
});

test.each([
	['nano-banana', 'takes several images'],
	['qwen-image-edit-plus', 'takes 3 images'],
	['faceswap-v5', 'takes 2 images'],
	['grok-imagine-image', 'makes up to 4'],
	['flux-dev', 'makes several'],
	['seedream-4', 'takes several images · makes several'],
	['seedance-2.0-mini', 'makes sound · takes first + last frame'],
	['veo-3.1', 'makes sound'],
	['p-image', ''],
])('the entry of %s has the marks "%s"', async (slug, marks) => {
	const entry = (await findEntries(slug)).find(({ value }) => value === slug);
	expect(entry?.name.split(' · ').slice(3).join(' · ')).toBe(marks);
});

test.each<[string, INodeParameters, string, string]>([
	['variants', IMAGE, 'grok-imagine-image', 'makes up to 4'],
	['variations', IMAGE, 'ideogram-4', 'makes up to 8'],
	['several results', IMAGE, 'flux-dev', 'makes several'],
	['several results', EDIT, 'seedream-4', 'takes several images · makes several'],
	['two images', EDIT, 'qwen-image-edit-plus', 'takes 3 images'],
	['reference', VIDEO, 'sora-2', 'takes a reference'],
	['9:16', VIDEO, 'kling-2.1', '9:16'],
	['1080p', VIDEO, 'hailuo-2.3', '1080p'],
	['10 seconds', VIDEO, 'kling-2.6', '10 s long · makes sound'],
	['10s', VIDEO, 'wan2.7-t2v', '10 s long'],
	['10-second 1080p', VIDEO, 'seedance-2.0', '10 s long · 1080p'],
	['2k', IMAGE, 'seedream-4', '2K · takes several images'],
	['transparent', IMAGE, 'gpt-image-2', 'transparent'],
	['inpaint', EDIT, 'bria-gen-fill', 'takes a mask'],
])('"%s" in the list of %j finds %s and says why: "%s"', async (filter, task, slug, marks) => {
	const entry = (await findEntries(filter, OFFLINE, task)).find(({ value }) => value === slug);
	expect(entry?.name.split(' · ').slice(3).join(' · ')).toBe(marks);
});

test.each([
	['10 seconds', 'veo-3.1-fast'],
	['1 second', 'kling-2.6'],
	['2 images', 'kling-2.6'],
	['6:1', 'kling-2.1'],
])('a figure finds only what is exactly that: "%s" does not find %s', async (filter, slug) => {
	expect(findModel(slug)).toBeDefined();
	expect(await slugsFor(filter)).not.toContain(slug);
});

test('finds a model by its type in the list ("3D"); text that matches nothing finds none', async () => {
	const { url } = await serveList([{ slug: 'shape-1', type: 'imageTo3D' }, { slug: 'esrgan' }]);
	expect(await slugsFor('3D', { endpointAdminUrl: url })).toEqual(['shape-1']);
	expect(await slugsFor('qqqqqq')).toEqual([]);
	expect(await slugsFor('x'.repeat(100_000))).toEqual([]);
});

test("lists the task's default, then by price, and last those without a price", async () => {
	const { url, calls } = await serveList([
		{ slug: 'strange', type: 'tensor' },
		{ slug: 'painter-9', type: 'textToImage' },
		{ slug: 'imagen-4', type: 'textToImage' },
		{ slug: 'nano-banana', type: 'textToImage' },
		{ slug: 'p-image', type: 'textToImage' },
		{ slug: 'flux-dev', type: 'textToImage' },
	]);
	const credential = { endpointAdminUrl: url };
	const byPrice = ['p-image', 'flux-dev', 'imagen-4', 'painter-9'];
	expect(await slugsFor('', credential, { ...IMAGE, model: model('') })).toEqual([
		'nano-banana',
		...byPrice,
	]);
	expect(await slugsFor('cheapest', credential, IMAGE)).toEqual(
		'p-image flux-dev nano-banana imagen-4 painter-9'.split(' '),
	);
	await slugsFor('', { ...credential, apiKey: 'another-key' });
	expect(calls).toEqual(['GET /inference-model-information/list']);
});

test.each<[string, INodeParameters, string, string]>([
	['remove background', IMAGE, 'bg-removal-v2', 'Remove background from an image'],
	['upscale', VIDEO, 'esrgan', 'Upscale an image'],
	['voice over', VIDEO, 'tts-eleven-labs', 'Generate speech'],
	['music', VIDEO, 'lyria-2', 'Generate music'],
	['sound', IMAGE, 'sound-generation', 'Generate audio'],
	['chat', IMAGE, 'gpt-5.4-mini', 'Generate text'],
	['face swap', VIDEO, 'faceswap-v5', 'Edit an image · takes 2 images'],
	['transcribe', IMAGE, TRANSCRIPT, 'Transcribe audio'],
	['lip sync', EDIT, 'p-video-avatar', 'Generate a video'],
	['poster', EDIT, 'nano-banana', '14 s · takes several images'],
	['poster', VIDEO, 'nano-banana', 'Generate an image · takes several images'],
])('"%s" in the list of %j: %s is shown with "%s"', async (filter, task, slug, shown) => {
	const entry = (await findEntries(filter, OFFLINE, task)).find(({ value }) => value === slug);
	expect(entry?.name.split(' · ').slice(2).join(' · ')).toBe(shown);
});

test('a search lists matches in the task, then in other tasks', async () => {
	const type = 'textToImage';
	const { url } = await serveList([
		{ slug: 'film-1', title: 'Neon Film', type: 'textToVideo' },
		{ slug: 'sign-1', title: 'Neon Sign', type },
		{ slug: 'other-1', type, description: 'Makes pictures with a neon glow.' },
	]);
	const found = await slugsFor('neon', { endpointAdminUrl: url }, IMAGE);
	expect(found).toEqual(['sign-1', 'film-1']);
});

test.each<[string, INodeParameters]>([
	['of another task', { ...IMAGE, model: model('bg-removal-v2') }],
	['that is retired', { ...IMAGE, model: model('sd1.5-txt2img') }],
	['that nobody knows', { ...TRANSCRIBE, model: model('my-endpoint-7') }],
	['given as the URL of its page', { ...IMAGE, model: model('https://segmind.com/models/esrgan') }],
])(
	'without a search, the list has the chosen model, even a model %s',
	async (_what, parameters) => {
		const { value } = parameters.model as { value: string };
		const slugs = await slugsFor('', {}, parameters);
		expect(slugs).toContain(value.split('/').pop());
		expect(new Set(slugs).size).toBe(slugs.length);
	},
);

test.each<[string, string, string, string]>([
	['image', 'upscale', 'esrgan topaz-image-upscale', 'nano-banana bg-removal-v2'],
	['image', 'removeBackground', 'bg-removal-v2 bria-remove-background', 'esrgan'],
	['audio', 'generateSpeech', 'tts-eleven-labs dia openvoice', 'lyria-2 sound-generation'],
	[
		...(['image', 'analyze'] as const),
		'gemini-3.1-flash-lite gpt-5.4-mini claude-4.5-sonnet o4-mini',
		'deepseek-chat gpt-image-2 gemini-3.1-flash-tts nano-banana',
	],
	['audio', 'generateMusic', 'lyria-2 ace-step-music', 'grok-tts'],
])('%s, %s lists %s, but not %s', async (resource, operation, these, others) => {
	const task = { resource, operation, model: model('') };
	const slugs = await slugsFor('', OFFLINE, task);
	expect(slugs).toEqual(expect.arrayContaining(these.split(' ')));
	for (const other of others.split(' ')) {
		expect(findModel(other)).toBeDefined();
		expect(slugs).not.toContain(other);
	}
	expect(slugs.length).toBeLessThan(catalogue.length / 10);
});

test.each([
	['hunyuan3d-2.1', '3d'],
	['text-embedding-3-small', 'embedding'],
	['kling-create-voice', 'voice'],
	['ideogram-describe', 'describe'],
	['heygen-avatar-v-create', 'create avatar'],
])('%s is only in the list of Any Model, and a search for "%s" finds it', async (slug, filter) => {
	for (const { resource, operation } of TASKS) {
		const task = { resource, operation, model: model('') };
		expect((await slugsFor('', OFFLINE, task)).includes(slug)).toBe(resource === 'model');
	}
	const entry = (await findEntries(filter, OFFLINE, IMAGE)).find(({ value }) => value === slug);
	expect(entry?.name).toContain('Run any model');
});

const NANO_BANANA = 'Nano Banana · $0.04 · 14 s · takes several images';
const served = priceListText();
test("shows today's prices, which are read once, without the key, and orders by them", async () => {
	const { url, calls } = await serveList(served.replace('$0.0364 | 14.3s', '$0.0001 | 5s'));
	const credential = { ...OFFLINE, baseUrl: url };
	expect((await findEntries('cheap', credential, IMAGE))[0].name).toBe(
		'Nano Banana · $0.0001 · 5 s · takes several images',
	);
	expect(await slugsFor('nano-banana', credential)).toContain('nano-banana-pro');
	const parameters = { resource: 'model', operation: 'getMany', search: 'nano-banana', limit: 1 };
	const { json } = succeed(await runNode({ emulator, credential, parameters }));
	expect(json).toMatchObject([{ slug: 'nano-banana', average_cost: 0.0001, average_seconds: 5 }]);
	expect(calls).toEqual(['GET /llms.txt']);
});

test.each<[string, string | undefined]>([
	['nothing', ''],
	['a web page', '<html>Segmind</html>'],
	['HTTP 503', undefined],
	['more than a megabyte', `${served.replace('$0.0364', '$0.09')}${' '.repeat(1_000_000)}`],
])('if the list of prices is %s, the built-in ones are shown', async (_what, text) => {
	const { url } = await serveList(text);
	const found = await findEntries('nano-banana', { ...OFFLINE, baseUrl: url }, IMAGE);
	expect(found[0].name).toBe(NANO_BANANA);
});
