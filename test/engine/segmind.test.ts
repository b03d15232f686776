/** The Segmind node by task: default models and lists, and the incoming item in the output. */
import type { INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { Segmind } from '../../nodes/Segmind/Segmind.node';
import { TASKS } from '../../nodes/Segmind/tasks';
import { findModel } from '../../nodes/shared/catalogue';
import { priceText } from '../../nodes/shared/catalogue/modelPicker';
import { model, runParams, submitParams } from '../helpers/inference';
import { search } from '../helpers/runNode';
import { useVirtualEngine } from '../helpers/virtualEngine';
import { listServer } from '../helpers/modelForm';

const { emulator, runNode } = useVirtualEngine();
const run = async (parameters: INodeParameters, items?: INodeExecutionData[]) =>
	await runNode({ parameters, items });
const chargedCalls = () => emulator.callsOf('submit', 'v1');

describe.each(TASKS)(
	'$resource: $operation',
	({ resource, operation, makes, topic, question, model: defaultModel }) => {
		test('without a choice, the default model of the task runs', async () => {
			const { error, json } = await run({
				resource,
				operation,
				prompt: 'a lighthouse',
				waitForCompletion: false,
				...(question && { images: 'data:image/png;base64,iVBORw0KGgo=' }),
			});
			expect(emulator.callsOf('upload')).toEqual([]);
			expect(error).toBeUndefined();
			expect(chargedCalls().map(({ path }) => path)).toEqual([`/v2/${defaultModel.slug}`]);
			expect(json[0].model).toBe(defaultModel.slug);
		});

		test('a list with model types shows the models of the task and, without a topic, those of an unknown kind', async () => {
			const server = await listServer([
				{ slug: 'odd', type: 'tensor' },
				{ slug: 'an-image', type: 'textToImage' },
				{ slug: 'a-video', type: 'textToVideo' },
				{ slug: 'a-voice', type: 'textToSpeech' },
			]);
			const { results } = await search({
				emulator,
				credential: { endpointAdminUrl: server.url },
				method: 'searchModels',
				parameters: { resource, operation },
			});
			await server.close();
			const fitting: Record<string, string[]> = {
				image: ['an-image'],
				video: ['a-video'],
				audio: ['a-voice'],
			};
			expect(results.map(({ value }) => value)).toEqual([
				...(makes ? (fitting[makes] ?? []) : ['an-image', 'a-video', 'a-voice']).filter(
					(slug) => !topic || (topic === 'speech' && slug === 'a-voice'),
				),
				...(topic ? [] : ['odd']),
				// The chosen model is in every list.
				defaultModel.slug,
			]);
		});
	},
);

test("the Model field of each task names its default's price before the first run", () => {
	const fields = new Segmind().description.properties.filter(({ name }) => name === 'model');
	expect(fields).toHaveLength(TASKS.length);
	for (const { hint = '', default: chosen } of fields) {
		const { value, cachedResultName } = chosen as { value: string; cachedResultName: string };
		expect(hint).toContain(cachedResultName);
		expect(hint).toContain(priceText(findModel(value)?.cost));
		// n8n's lint allows 120 characters.
		expect(hint.length).toBeLessThanOrEqual(120);
	}
});

test('a model of another task runs too', async () => {
	const { json, error } = await run({
		...runParams({ model: model('seedance-pro') }),
		resource: 'audio',
		operation: 'generate',
	});
	expect(error).toBeUndefined();
	expect(json[0]).toMatchObject({ model: 'seedance-pro', status: 'COMPLETED' });
});

test('Wait for Completion has no effect with Answer in One Call', async () => {
	const { json, items } = await run(submitParams({}, { answerInOneCall: true }));
	expect(chargedCalls().map(({ path }) => path)).toEqual(['/v1/nano-banana-pro']);
	expect(json[0].status).toBe('COMPLETED');
	expect(items[0].binary).toHaveProperty('data');
});
