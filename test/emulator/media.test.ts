import { PNG } from 'pngjs';
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
		const { width, height } = PNG.sync.read(one);
		expect([width, height]).toEqual(media === 'tiny' ? [8, 8] : [512, 512]);
	});

	test('sounds are WAV', async () => {
		const wave = new WaveFile(await made('chatterbox-tts', { text: 'hello' }));
		expect(wave.fmt).toMatchObject({ numChannels: 1, sampleRate: 8000, bitsPerSample: 16 });
		const samples = wave.getSamples(false, Int16Array) as unknown as Int16Array;
		expect(samples.length).toBeGreaterThanOrEqual(400);
		expect(Math.max(...samples)).toBeGreaterThan(4000);
	});

	test('films are MP4', async () => {
		const names = boxes(await made('veo-3.1', { prompt: 'one' }));
		expect(names).toEqual(expect.arrayContaining(['ftyp', 'moov', 'mdat']));
	});
});

/** How many of a picture's pixels have another colour in another one of the same size. */
function changed(one: PNG, other: PNG): number {
	let count = 0;
	for (let at = 0; at < one.data.length; at += 4)
		if (one.data.readUInt32BE(at) !== other.data.readUInt32BE(at)) count++;
	return count;
}

test('pictures show what the prompt names, in the size asked for', async () => {
	emulator.set({ media: 'real' });
	const picture = async (prompt: string, size: Record<string, unknown>) =>
		PNG.sync.read(await made('flux-2-pro', { prompt, ...size }));
	const wide = { width: 512, height: 288 };
	const sea = await picture('a boat at sea', wide);
	expect([sea.width, sea.height]).toEqual([512, 288]);
	// Another time of the day is another sky, and more than half of the picture.
	expect(changed(sea, await picture('a boat at sea, night', wide))).toBeGreaterThan(
		(512 * 288) / 2,
	);
	const ratio = PNG.sync.read(await made('flux-dev', { prompt: 'x', aspect_ratio: '9:16' }));
	expect([ratio.width, ratio.height]).toEqual([288, 512]);
});

test('what is said lasts as long as its text', async () => {
	emulator.set({ media: 'real' });
	const lengthOf = async (input: Record<string, unknown>) =>
		new WaveFile(await made('chatterbox-tts', input)).getSamples(false, Int16Array).length;
	const word = await lengthOf({ text: 'hello' });
	expect(await lengthOf({ text: 'hello, and welcome to all of you' })).toBeGreaterThan(4 * word);
});
