/** Transcription models return the text of a sound file, in each format the service might use. */
import type { Orders } from '../../dev/emulator';
import { callWithoutKey, call, submit, useEmulatorWithManualClock, type AnyValue } from './client';

const { emulator } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0, v1Ms: 0 });
const MODEL = 'eleven-labs-transcript';

async function resultOf(model: string, input: object): Promise<AnyValue> {
	const { json } = await submit(emulator, model, input);
	return (await call(emulator, json.response_url)).json;
}

/** Makes a sound file that says this text. Returns its URL. */
const speak = async (text: string): Promise<string> =>
	(await resultOf('chatterbox-tts', { text })).output;

test.each<[Orders['transcriptShape'], (result: AnyValue) => string]>([
	['outputJson', ({ output }) => JSON.parse(output).text],
	['outputObject', ({ output }) => output.text],
	['outputText', ({ output }) => output],
	['text', ({ text }) => text],
	['transcript', ({ transcript }) => transcript],
])('returns a transcript in the format %s', async (transcriptShape, wordsOf) => {
	emulator.set({ transcriptShape });
	const result = await resultOf(MODEL, { audio_url: await speak('Good evening.') });
	expect(result.status).toBe('COMPLETED');
	expect(wordsOf(result)).toBe('Good evening.');
});

test('transcribes an uploaded file, and names a file that was made elsewhere', async () => {
	const { bytes } = await callWithoutKey(emulator, await speak('Good night.'));
	const uploaded = await call(emulator, `${emulator.urls.upload}/upload-asset`, {
		headers: { accept: 'application/json, text/plain, */*' },
		body: { data_urls: [`data:audio/wav;base64,${bytes.toString('base64')}`] },
	});
	const transcribe = async (audio_url: string) =>
		JSON.parse((await resultOf(MODEL, { audio_url })).output).text as string;
	expect(await transcribe(uploaded.json.urls[0])).toBe('Good night.');
	expect(await transcribe('https://example.com/talk.mp3')).toContain('talk.mp3');
});

test.each<[Orders['transcriptShape'], RegExp, RegExp]>([
	['outputJson', /json/, /"text":"Good evening\."/],
	['outputText', /^text\/plain/, /^Good evening\.$/],
	['transcript', /json/, /^\{"transcript":"Good evening\."\}$/],
])('returns a v1 transcript in the format %s', async (transcriptShape, type, body) => {
	emulator.set({ transcriptShape });
	const audio_url = await speak('Good evening.');
	const { headers, text } = await call(emulator, `${emulator.urls.api}/v1/${MODEL}`, {
		body: { audio_url },
	});
	expect(headers['content-type']).toMatch(type);
	expect(text).toMatch(body);
});

test('a transcription without a file fails', async () => {
	expect(await resultOf(MODEL, { prompt: 'a' })).toMatchObject({ status: 'FAILED' });
});
