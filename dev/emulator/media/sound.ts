import { createHash } from 'node:crypto';

const sampleRate = 8000;

/** A mono WAV of these samples, each from -1 to 1. */
async function wav(samples: Float32Array): Promise<Buffer> {
	const { WaveFile } = await import('wavefile');
	const wave = new WaveFile();
	wave.fromScratch(
		1,
		sampleRate,
		'16',
		Int16Array.from(samples, (sample) => Math.round(20_000 * Math.max(-1, Math.min(1, sample)))),
	);
	return Buffer.from(wave.toBuffer());
}

/** A playable WAV of a melody that follows from the text, this many seconds long. */
export async function playSound(text: string, seconds: number): Promise<Buffer> {
	const hash = createHash('sha256').update(text).digest();
	const notes = [0, 1, 2, 3].map((index) => 220 * 2 ** ((hash[index] % 24) / 12));
	const length = Math.round(sampleRate * seconds);
	return await wav(
		Float32Array.from({ length }, (_unused, index) => {
			const place = (index / length) * notes.length;
			// Each note fades out before the next, otherwise the change would click.
			const loudness = Math.sin(Math.PI * (place % 1));
			return (
				0.45 * loudness * Math.sin((2 * Math.PI * notes[Math.floor(place)] * index) / sampleRate)
			);
		}),
	);
}
