/** Made files are what they say, and differ by prompt. */
import { PNG } from 'pngjs';
import { WaveFile } from 'wavefile';
import { bare, call, submit, useDrivenEmulator } from './client';

const { emulator } = useDrivenEmulator({ queueMs: 0, jobMs: 0 });

async function made(model: string, input: Record<string, unknown>): Promise<Buffer> {
	const { json } = await submit(emulator.it, model, input);
	const { json: result } = await call(emulator.it, json.response_url);
	return (await bare(emulator.it, result.output)).bytes;
}

test.each(['tiny', 'real'] as const)('%s pictures, sounds and films', async (media) => {
	emulator.it.set({ media });
	const [one, two] = [
		await made('flux-dev', { prompt: 'a boat at sea', aspect_ratio: '9:16' }),
		await made('flux-dev', { prompt: 'a boat at sea, night', aspect_ratio: '9:16' }),
	];
	expect(one.equals(two)).toBe(false);
	const { width, height } = PNG.sync.read(one);
	expect([width, height]).toEqual(media === 'tiny' ? [8, 8] : [288, 512]);
	const wave = new WaveFile(await made('chatterbox-tts', { text: 'hello' }));
	expect(wave.getSamples(false, Int16Array).length).toBeGreaterThanOrEqual(400);
	const film = await made('veo-3.1', { prompt: 'one' });
	for (const box of ['ftyp', 'moov', 'mdat']) expect(film.includes(box)).toBe(true);
});
