import { Jimp } from 'jimp';
import { WaveFile } from 'wavefile';
import { startEmulator, type Emulator } from '../../dev/emulator';
import { bare, call, submit } from './client';

let emulator: Emulator;
beforeAll(async () => {
	emulator = await startEmulator({ queueMs: 0, jobMs: 0 });
});
afterEach(() => emulator.reset());
afterAll(async () => await emulator.close());

async function made(model: string, input: Record<string, unknown>): Promise<Buffer> {
	const { json } = await submit(emulator, model, input);
	const { json: result } = await call(emulator, json.response_url);
	return (await bare(emulator, result.output)).bytes;
}

/** Names of the top-level boxes, whose sizes must add up to the file. */
function boxes(file: Buffer): string[] {
	const names: string[] = [];
	let at = 0;
	while (at < file.length) {
		names.push(file.toString('latin1', at + 4, at + 8));
		const size = file.readUInt32BE(at);
		expect(size).toBeGreaterThanOrEqual(8);
		at += size;
	}
	expect(at).toBe(file.length);
	return names;
}

describe.each(['tiny', 'real'] as const)('%s media', (media) => {
	beforeEach(() => emulator.set({ media }));

	test('images decode and differ by prompt', async () => {
		const [one, two, again] = [
			await made('flux-dev', { prompt: 'one' }),
			await made('flux-dev', { prompt: 'two' }),
			await made('flux-dev', { prompt: 'one' }),
		];
		expect(one.equals(two)).toBe(false);
		expect(one.equals(again)).toBe(true);
		const { width, height } = (await Jimp.read(one)).bitmap;
		expect([width, height]).toEqual(media === 'tiny' ? [8, 8] : [512, 512]);
	});

	test('sounds are WAV', async () => {
		const wave = new WaveFile(await made('chatterbox-tts', { text: 'hello' }));
		expect(wave.fmt).toMatchObject({ numChannels: 1, sampleRate: 8000, bitsPerSample: 16 });
		const samples = wave.getSamples(false, Int16Array) as unknown as Int16Array;
		expect(samples).toHaveLength(media === 'tiny' ? 400 : 16_000);
		expect(Math.max(...samples)).toBeGreaterThan(4000);
	});

	test('films are MP4', async () => {
		const names = boxes(await made('veo-3.1', { prompt: 'one' }));
		expect(names).toEqual(expect.arrayContaining(['ftyp', 'moov', 'mdat']));
	});
});

test('pictures show the prompt and follow the size asked for', async () => {
	emulator.set({ media: 'real' });
	const image = await Jimp.read(await made('flux-dev', { prompt: 'A word', aspect_ratio: '16:9' }));
	expect([image.bitmap.width, image.bitmap.height]).toEqual([512, 288]);
	const colours = new Set<number>();
	for (let x = 0; x < 512; x++) colours.add(image.getPixelColor(x, 144));
	expect(colours.has(0xffffffff)).toBe(true);
	const sized = await Jimp.read(
		await made('flux-2-pro', { prompt: 'A word', width: 320, height: 200 }),
	);
	expect([sized.bitmap.width, sized.bitmap.height]).toEqual([320, 200]);
});
