import { createHash } from 'node:crypto';

const SAMPLE_RATE_HZ = 8000;

/** Makes a playable mono WAV of a melody that depends on the text. */
export async function makeSound(text: string, seconds: number): Promise<Buffer> {
	const hash = createHash('sha256').update(text).digest();
	const notes = [0, 1, 2, 3].map((index) => 220 * 2 ** ((hash[index] % 24) / 12));
	const length = Math.round(SAMPLE_RATE_HZ * seconds);
	const samples = Int16Array.from({ length }, (_unused, index) => {
		const place = (index / length) * notes.length;
		// Each note fades out before the next one, because an abrupt change would click.
		const loudness = 9_000 * Math.sin(Math.PI * (place % 1));
		return loudness * Math.sin((2 * Math.PI * notes[Math.floor(place)] * index) / SAMPLE_RATE_HZ);
	});
	const { WaveFile } = await import('wavefile');
	const wave = new WaveFile();
	wave.fromScratch(1, SAMPLE_RATE_HZ, '16', samples);
	return Buffer.from(wave.toBuffer());
}
