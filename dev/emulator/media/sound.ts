import { createHash } from 'node:crypto';

const sampleRate = 8000;

/** Four notes that follow from the text, in Hz. */
function melody(text: string): number[] {
	const hash = createHash('sha256').update(text).digest();
	return [0, 1, 2, 3].map((index) => 220 * 2 ** ((hash[index] % 24) / 12));
}

/** A playable mono WAV of the text's melody, this many seconds long. */
export async function playSound(text: string, seconds: number): Promise<Buffer> {
	const { WaveFile } = await import('wavefile');
	const notes = melody(text);
	const length = Math.round(sampleRate * seconds);
	const samples = Int16Array.from({ length }, (_, index) => {
		const place = (index / length) * notes.length;
		// Each note fades out before the next, otherwise the change would click.
		const loudness = Math.sin(Math.PI * (place % 1));
		return Math.round(
			9000 * loudness * Math.sin((2 * Math.PI * notes[Math.floor(place)] * index) / sampleRate),
		);
	});
	const wave = new WaveFile();
	wave.fromScratch(1, sampleRate, '16', samples);
	return Buffer.from(wave.toBuffer());
}
