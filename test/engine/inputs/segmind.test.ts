/** The Segmind node by task: default models and lists, and the incoming item in the output. */
import type {
	INode,
	INodeExecutionData,
	INodeParameterResourceLocator,
	INodeParameters,
	INodeProperties,
} from 'n8n-workflow';

import { isShown } from '../../../dev/engine/version';
import { Segmind } from '../../../nodes/Segmind/Segmind.node';
import { TASKS } from '../../../nodes/shared/catalogue/tasks';
import { UNREACHABLE } from '../../helpers/forms';
import { model, runParams, submitParams } from '../../helpers/inference';
import { fileItem, search, succeed } from '../../helpers/runNode';
import { useVirtualEngine } from '../../helpers/virtualEngine';
import { listServer } from '../../helpers/modelForm';

const { emulator, runNode } = useVirtualEngine();
const run = async (parameters: INodeParameters, items?: INodeExecutionData[]) =>
	await runNode({ parameters, items });
const chargedCalls = () => emulator.callsOf('submit', 'v1');

test.each(TASKS)(
	'$resource: $operation without a choice runs the default model of the task',
	async ({ resource, operation, makes, question, defaultModel: slug }) => {
		const images = 'data:image/png;base64,iVBORw0KGgo=';
		const task = { resource, operation, prompt: 'a', ...(question && { images }) };
		const mimeType = { imageEdit: 'image/png', transcript: 'audio/mpeg' }[String(makes)];
		const items = mimeType && [fileItem({ data: { bytes: Buffer.from('a'), mimeType } })];
		const { json } = succeed(await run({ ...task, waitForCompletion: false }, items || undefined));
		expect(emulator.callsOf('upload')).toHaveLength(items ? 1 : 0);
		expect(chargedCalls().map(({ path }) => path)).toEqual([`/v2/${slug}`]);
		expect(json[0].model).toBe(slug);
	},
);

test.each([
	['https://www.segmind.com/models/fast-flux-schnell/api', false],
	['https://api.segmind.com/v1/fast-flux-schnell', false],
	['https://api.segmind.com/v2/fast-flux-schnell', true],
])(
	'a model given as %s runs; answering in one call (%s) is set by the option alone',
	async (url, answerInOneCall) => {
		const { error } = await run(runParams({ model: model(url) }, { answerInOneCall }));
		expect(error).toBeUndefined();
		const version = answerInOneCall ? 'v1' : 'v2';
		expect(chargedCalls().map(({ path }) => path)).toEqual([`/${version}/fast-flux-schnell`]);
	},
);

test("a URL below the credential's own address names a model, and one of another host sends nothing", async () => {
	const own = await run(runParams({ model: model(`${emulator.urls.api}/v2/fast-flux-schnell`) }));
	expect(own.error).toBeUndefined();
	const foreign = await run(
		runParams({ model: model('https://evil.example/v2/fast-flux-schnell') }),
	);
	expect(foreign.failed).toMatchObject([{ kind: 'badInput', charge: 'none' }]);
	expect(chargedCalls()).toHaveLength(1);
});

test.each<[string, string, string]>([
	['image', 'generate', 'nano-banana an-image'],
	['image', 'edit', 'qwen-image-edit-plus'],
	['image', 'upscale', 'esrgan'],
	['image', 'removeBackground', 'bg-removal-v2'],
	['image', 'analyze', 'gemini-3.1-flash-lite'],
	['video', 'generate', 'seedance-2.0-mini a-video'],
	['audio', 'generate', 'gemini-3.1-flash-tts a-voice'],
	['audio', 'generateSpeech', 'gemini-3.1-flash-tts a-voice'],
	['audio', 'generateMusic', 'lyria-2'],
	['audio', 'transcribe', 'eleven-labs-transcript'],
	['text', 'generate', 'gpt-5.4-mini'],
	['model', 'run', 'nano-banana odd an-image a-video a-voice'],
])('of a list with types, %s: %s shows %s', async (resource, operation, slugs) => {
	const types = { odd: 'tensor', 'an-image': 'textToImage', 'a-video': 'textToVideo' };
	const { url, close } = await listServer(
		Object.entries({ ...types, 'a-voice': 'textToSpeech' }).map(([slug, type]) => ({ slug, type })),
	);
	const credential = { endpointAdminUrl: url };
	const parameters = { resource, operation };
	const { results } = await search({ emulator, credential, method: 'searchModels', parameters });
	await close();
	expect(results.map(({ value }) => value)).toEqual(slugs.split(' '));
});

test.each(TASKS)(
	'$resource: $operation shows its default model with price and time, as the list does, and no notice',
	async ({ resource, operation, defaultModel }) => {
		const { description } = new Segmind();
		const node = { typeVersion: 1, parameters: { resource, operation } } as unknown as INode;
		const shown = description.properties.filter((property) => isShown(description, node, property));
		expect(shown.filter(({ type }) => type === 'notice')).toEqual([]);
		const { default: model } = shown.find(({ name }) => name === 'model') as INodeProperties;
		const { value, cachedResultName = '' } = model as INodeParameterResourceLocator;
		expect(value).toBe(defaultModel);
		expect(cachedResultName).toMatch(/^.+ · \$[\d.]+ · [\d.]+ s$/);
		const credential = { endpointAdminUrl: UNREACHABLE };
		const parameters = { resource, operation };
		const { results } = await search({ emulator, credential, method: 'searchModels', parameters });
		expect(results[0].name.startsWith(cachedResultName)).toBe(true);
	},
);

test("a model of another task runs too; a hint of the run names its task if an expression sets the model, because the node's own can't", async () => {
	const task = { resource: 'audio', operation: 'generate' };
	for (const slug of ['seedance-pro', '={{ "seedance-pro" }}']) {
		const { json, hints } = succeed(await run(runParams({ model: model(slug), ...task })));
		expect(json[0]).toMatchObject({ model: 'seedance-pro', status: 'COMPLETED' });
		const isHinted = hints.some((hint) => hint.includes('Video: Generate'));
		expect([slug, isHinted]).toEqual([slug, slug.startsWith('=')]);
	}
});

test('Wait for Completion has no effect with Answer in One Call', async () => {
	const { json, items } = succeed(await run(submitParams({}, { answerInOneCall: true })));
	expect(chargedCalls().map(({ path }) => path)).toEqual(['/v1/nano-banana-pro']);
	expect(json[0].status).toBe('COMPLETED');
	expect(items[0].binary).toHaveProperty('data');
});
