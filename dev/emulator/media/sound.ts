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

/** The two lowest resonances of the mouth for each vowel, Hz: what makes it that vowel. */
const FORMANTS: Record<string, [number, number]> = {
	a: [730, 1090],
	e: [530, 1840],
	i: [270, 2290],
	o: [570, 840],
	u: [300, 870],
};
/** Seconds of a vowel, of any other letter, and of the silence between two words. */
const VOWEL_S = 0.11;
const CONSONANT_S = 0.05;
const PAUSE_S = 0.09;
/** Characters spoken at the most. */
const LONGEST_SPEECH = 400;

/** A playable WAV of a robot's voice that says the text: a buzzing pitch through the resonances of its vowels, hisses between them. */
export async function speak(text: string): Promise<Buffer> {
	const letters = [...text.toLowerCase().slice(0, LONGEST_SPEECH)];
	const parts = letters.map((letter, index) => {
		const formants = FORMANTS[letter === 'y' ? 'i' : letter];
		const pitch = 115 + 25 * Math.sin((index / letters.length) * 9);
		if (formants) return voiced(formants, pitch);
		return /[a-z]/.test(letter) ? hiss(letter) : new Float32Array(Math.round(sampleRate * PAUSE_S));
	});
	const samples = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0) || 400);
	let at = 0;
	for (const part of parts) {
		samples.set(part, at);
		at += part.length;
	}
	return await wav(samples);
}

function voiced(formants: [number, number], pitch: number): Float32Array {
	const length = Math.round(sampleRate * VOWEL_S);
	const pulses = Float32Array.from({ length }, (_unused, index) =>
		index % Math.round(sampleRate / pitch) === 0 ? 1 : 0,
	);
	const [low, high] = formants.map((frequency) => resonated(pulses, frequency));
	return pulses.map(
		(_unused, index) =>
			0.5 * Math.sin((Math.PI * index) / length) ** 0.5 * (low[index] + 0.6 * high[index]),
	);
}

/** A resonance with 90 Hz of width. */
function resonated(input: Float32Array, frequency: number): Float32Array {
	const radius = Math.exp((-Math.PI * 90) / sampleRate);
	const turn = 2 * radius * Math.cos((2 * Math.PI * frequency) / sampleRate);
	const output = new Float32Array(input.length);
	for (const [index, value] of input.entries())
		output[index] =
			value + turn * (output[index - 1] ?? 0) - radius ** 2 * (output[index - 2] ?? 0);
	return output;
}

/** The same for the same letter: every run makes the same file. */
function hiss(letter: string): Float32Array {
	let state = letter.charCodeAt(0) * 7919;
	const loudness = /[sfzxhtkcp]/.test(letter) ? 0.16 : 0.04;
	return Float32Array.from({ length: Math.round(sampleRate * CONSONANT_S) }, () => {
		state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
		return loudness * (state / 1_073_741_824 - 1);
	});
}
