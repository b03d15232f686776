/** Audio: Transcribe sends the item's sound file, and outputs the transcript as `text`. */
import type { INodeParameters } from 'n8n-workflow';

import { useEmulator } from '../../helpers/emulator';
import { fileItem, runNode, succeed } from '../../helpers/runNode';

const emulator = useEmulator();

const TASK = { resource: 'audio', operation: 'transcribe', options: { pollIntervalSeconds: 0.05 } };
const sound = { bytes: Buffer.from('s'), mimeType: 'audio/mpeg', fileName: 'talk.mp3' };

async function transcribe(more: INodeParameters = {}, asTool = false) {
	return await runNode({
		emulator,
		parameters: { ...TASK, ...more },
		items: [fileItem({ recording: sound })],
		asTool,
	});
}

const SHAPES = ['outputJson', 'outputObject', 'outputText', 'text', 'transcript'] as const;

test.each(SHAPES)(
	'the transcript is in text for a result in the form %s, in both versions of the API',
	async (transcriptShape) => {
		emulator.set({ transcriptShape });
		for (const answerInOneCall of [false, true]) {
			const options = { ...TASK.options, answerInOneCall };
			const { items } = succeed(await transcribe({ options }));
			expect(items[0].json).toMatchObject({
				text: expect.stringMatching(/\w/) as string,
				model: 'eleven-labs-transcript',
			});
			// Only the input's file.
			expect(Object.keys(items[0].binary ?? {})).toEqual(['recording']);
		}
	},
);

/** Returns the output of a request whose result has these members. */
async function resultOf(members: Record<string, unknown>, parameters: INodeParameters = {}) {
	emulator.fault({ on: 'result', do: { rewrite: { with: members } } });
	const { items } = succeed(await transcribe(parameters));
	return items[0].json;
}

test('other fields that the model returned are in output', async () => {
	const words = [{ word: 'Hi', start: 0 }];
	const output = JSON.stringify({ text: 'Hi', language_code: 'en', words });
	expect(await resultOf({ output })).toMatchObject({
		text: 'Hi',
		output: { language_code: 'en', words },
	});
	expect(await resultOf({ output: { transcript: 'Hi' } })).not.toHaveProperty('output');
	expect(await resultOf({ output: { text: '' } })).toMatchObject({ text: '' });
});

test.each<[string, unknown]>([
	['a list', [{ text: 'Hi' }]],
	['an object whose text is not a string', { text: 7, segments: ['Hi'] }],
])('a result that is %s is output unchanged', async (_what, output) => {
	const json = await resultOf({ output });
	expect(json).toMatchObject({ output });
	expect(json).not.toHaveProperty('text');
});

test('the same result of any other task has its text in output', async () => {
	const output = { text: 'Hi' };
	const json = await resultOf(
		{ output },
		{ operation: 'generate', model: 'eleven-labs-transcript' },
	);
	expect(json).toMatchObject({ output });
});

test('outputs the text when an agent calls it', async () => {
	const { items } = succeed(await transcribe({}, true));
	expect(items[0].json).toMatchObject({ text: expect.any(String) as string });
});
