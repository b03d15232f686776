/** Files contain what their type says, and pictures differ by prompt. */
import { PNG } from 'pngjs';
import { WaveFile } from 'wavefile';
import { callWithoutKey, call, submit, useEmulatorWithManualClock } from './client';

const { emulator } = useEmulatorWithManualClock({ queueMs: 0, jobMs: 0 });

async function makeFile(model: string, input: Record<string, unknown>): Promise<Buffer> {
	const { json } = await submit(emulator, model, input);
	const { json: result } = await call(emulator, json.response_url);
	return (await callWithoutKey(emulator, result.output)).bytes;
}

test.each(['tiny', 'real'] as const)(
	'makes %s pictures, sounds and films; the pictures differ by prompt',
	async (media) => {
		emulator.set({ media });
		const [one, two] = [
			await makeFile('flux-dev', { prompt: 'a boat at sea', aspect_ratio: '9:16' }),
			await makeFile('flux-dev', { prompt: 'a boat at sea, night', aspect_ratio: '9:16' }),
		];
		expect(one.equals(two)).toBe(false);
		const { width, height } = PNG.sync.read(one);
		expect([width, height]).toEqual(media === 'tiny' ? [8, 8] : [288, 512]);
		const wave = new WaveFile(await makeFile('chatterbox-tts', { text: 'hello' }));
		expect(wave.getSamples(false, Int16Array).length).toBeGreaterThanOrEqual(400);
		const film = await makeFile('veo-3.1', { prompt: 'one' });
		for (const box of ['ftyp', 'moov', 'mdat']) expect(film.includes(box)).toBe(true);
	},
);

test('a prompt of any length with characters of XML makes a picture', async () => {
	emulator.set({ media: 'real' });
	for (let length = 76; length < 90; length++)
		PNG.sync.read(await makeFile('flux-dev', { prompt: `${'a'.repeat(length)}"<&>"`, width: 64 }));
});

/** Reads an MP4's header boxes. Sizes are 16.16 fixed-point numbers, and durations are counted in a unit that the file states. */
function filmFacts(film: Buffer): { seconds: number; width: number; height: number } {
	const movie = film.indexOf('mvhd');
	const track = film.indexOf('tkhd');
	return {
		seconds: film.readUInt32BE(movie + 20) / film.readUInt32BE(movie + 16),
		width: film.readUInt32BE(track + 80) / 65_536,
		height: film.readUInt32BE(track + 84) / 65_536,
	};
}

test.each([
	[{}, { seconds: 2, width: 320, height: 192 }],
	[
		{ duration: 5, aspect_ratio: '9:16' },
		{ seconds: 5, width: 180, height: 320 },
	],
	[
		{ duration: '4', ratio: '1280:720' },
		{ seconds: 4, width: 320, height: 180 },
	],
	[{ aspect_ratio: 'adaptive' }, { seconds: 2, width: 320, height: 192 }],
])('a film with the input %j has the duration and size %j', async (input, expected) => {
	emulator.set({ media: 'real' });
	expect(filmFacts(await makeFile('seedance-2.0-mini', { prompt: 'a boat', ...input }))).toEqual(
		expected,
	);
});

test('a sound has the requested duration', async () => {
	emulator.set({ media: 'real' });
	const sound = await makeFile('sound-generation', { text: 'rain', duration_seconds: 3 });
	const { data, fmt } = new WaveFile(sound) as unknown as {
		data: { chunkSize: number };
		fmt: { byteRate: number };
	};
	expect(data.chunkSize / fmt.byteRate).toBe(3);
});
