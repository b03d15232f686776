/** A request that was charged but made no file, or no text, says so in one hint. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { model, requestParams, runParams, workflowParams } from '../../helpers/inference';
import { useVirtualEngine } from '../../helpers/virtualEngine';

const { emulator, runNode } = useVirtualEngine();
const REFUSAL = 'I cannot draw a person.';
const URL = 'https://files.example/a.png';
const answer = (content: unknown, finish_reason = 'stop', more: IDataObject = {}) => ({
	choices: [{ message: { role: 'assistant', content, ...more }, finish_reason }],
});

/** Runs a model with this response. Returns its hints. */
async function hintsOf(slug: string, body: unknown, more: INodeParameters = {}): Promise<string[]> {
	emulator.fault({ on: 'result', do: { body: { status: 'COMPLETED', ...(body as object) } } });
	const parameters = runParams({ model: model(slug), ...more }, { downloadOutput: false });
	const { hints, items, error } = await runNode({ parameters });
	expect(error).toBeUndefined();
	expect(items[0].json).toMatchObject({ status: 'COMPLETED' });
	return hints;
}

const IMAGE = 'nano-banana-pro';
const TEXT = 'gpt-5.4';

test.each<[string, string, unknown, string]>([
	['words instead of an image', IMAGE, { output: REFUSAL }, `image: '${REFUSAL}'`],
	['an answer instead of an image', IMAGE, { output: answer(REFUSAL) }, `image: '${REFUSAL}'`],
	['words instead of a video', 'seedance-2.0', { output: REFUSAL }, `video: '${REFUSAL}'`],
	['words instead of speech', 'chatterbox-tts', { output: REFUSAL }, `audio: '${REFUSAL}'`],
	['a reason as a page', IMAGE, { output: { 'html-message': REFUSAL } }, `image: '${REFUSAL}'`],
	['a URL in an answer', IMAGE, { output: answer(URL) }, `image: '${URL}'`],
	['an error beside others', IMAGE, { error: REFUSAL, score: 7 }, `image: '${REFUSAL}'`],
	['other members', IMAGE, { output: { score: 7 } }, `image: '{"score":7}'`],
	['null instead of images', IMAGE, { output: [null] }, 'image'],
	['an empty list of images', IMAGE, { images: [] }, 'image'],
	[
		'an image that was held back',
		IMAGE,
		{ output: { candidates: [{ finishReason: 'IMAGE_SAFETY' }] } },
		"image: 'IMAGE_SAFETY'",
	],
	[
		'an image that was held back, with the reasons',
		IMAGE,
		{
			output: {
				candidates: [
					{ content: {}, finishReason: 'IMAGE_SAFETY', finishMessage: REFUSAL, index: 0 },
				],
			},
		},
		`image: '${REFUSAL}'`,
	],
	[
		'a prompt that was blocked',
		'gemini-2.5-flash',
		{ output: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, modelVersion: 'a' } },
		"text: 'PROHIBITED_CONTENT'",
	],
	[
		'a text that was held back, with ratings',
		'gemini-2.5-flash',
		{
			output: {
				candidates: [{ finishReason: 'SAFETY', safetyRatings: [{ category: 'A', blocked: true }] }],
			},
		},
		"text: 'SAFETY'",
	],
	[
		'thoughts without a text',
		TEXT,
		{ output: answer('', 'stop', { reasoning_content: 'Hm.' }) },
		"text: 'stop'",
	],
	['an empty text', TEXT, { output: answer('') }, "text: 'stop'"],
	['blanks', TEXT, { output: JSON.stringify(answer(' \n')) }, "text: 'stop'"],
	['a filtered text', TEXT, { output: answer(null, 'content_filter') }, "text: 'content_filter'"],
	['a refusal', TEXT, { output: answer(null, 'stop', { refusal: 'No.' }) }, "text: 'No.'"],
	[
		'no part of a text',
		'claude-4.5-sonnet',
		{ output: { content: [], stop_reason: 'refusal' } },
		"text: 'refusal'",
	],
])('%s', async (_what, slug, body, what) => {
	expect(await hintsOf(slug, body)).toEqual([expect.stringContaining(what)]);
});

test.each<[string, string, unknown]>([
	['a file beside words', IMAGE, { output: answer(REFUSAL), images: [{ url: URL }] }],
	['an output of unknown shape', 'my-endpoint', { output: { masks: [{ score: 1 }] } }],
	['a file of another kind', IMAGE, { output: 'https://files.example/layers.zip' }],
	['a text', TEXT, { output: answer('hello') }],
	['a plain text', TEXT, { output: 'hello' }],
	['a call of a tool', TEXT, { output: answer(null, 'tool_calls', { tool_calls: [{ id: 'a' }] }) }],
	[
		'a call of a tool beside an empty text',
		TEXT,
		{ output: answer('', 'tool_calls', { tool_calls: [{ id: 'a' }] }) },
	],
	['the words of a model of an unknown kind', 'my-endpoint', { output: REFUSAL }],
])('%s counts as the output', async (_what, slug, body) => {
	expect(await hintsOf(slug, body)).toEqual([]);
});

test('the task says what a model of an unknown kind makes', async () => {
	const task = { resource: 'image', operation: 'generate' };
	const hints = await hintsOf('my-endpoint', { output: REFUSAL }, task);
	expect(hints).toEqual([expect.stringContaining(REFUSAL)]);
});

test('an answer that was filtered is missing, not merely no JSON', async () => {
	const task = {
		resource: 'text',
		operation: 'generate',
		outputFormat: 'json',
		jsonSchemaExample: '{"a": 1}',
	};
	const hints = await hintsOf(TEXT, { output: answer(null, 'content_filter') }, task);
	expect(hints).toEqual([expect.stringContaining('content_filter')]);
});

test('in one call', async () => {
	emulator.fault({ on: 'v1', do: { status: 200, body: REFUSAL, contentType: 'text/plain' } });
	const { hints } = await runNode({ parameters: runParams({}, { answerInOneCall: true }) });
	expect(hints).toEqual([expect.stringContaining(REFUSAL)]);
});

test('Get Result knows the model from the item of the request', async () => {
	const request_id = emulator.submitElsewhere({ slug: IMAGE, input: {} });
	emulator.fault({
		on: 'result',
		times: 2,
		do: { body: { status: 'COMPLETED', output: REFUSAL } },
	});
	const hintsFor = async (request: IDataObject) =>
		(await runNode({ parameters: requestParams('getResult', { request: request as never }) }))
			.hints;
	expect(await hintsFor({ request_id, model: IMAGE })).toEqual([expect.stringContaining(REFUSAL)]);
	expect(await hintsFor({ request_id })).toEqual([]);
});

test('a workflow returns what its author chose: only nothing at all is missing', async () => {
	for (const [value, count] of [
		[REFUSAL, 0],
		[null, 1],
	] as const) {
		const output = [{ keyname: 'a', value }];
		emulator.fault({ on: ['result', 'poll'], do: { body: { status: 'COMPLETED', output } } });
		const { hints } = await runNode({ node: 'segmindWorkflow', parameters: workflowParams() });
		expect(hints).toHaveLength(count);
	}
});
