import type { Kind } from './types';

/**
 * What the models of each modality make (docs/service.md S282, S284), in the words of `splitWords`. A kind puts a model into the lists of the tasks that
 * make it; a modality without a kind, and an unknown one, are only in the list of Any Model. A search finds all.
 */
const KIND_OF_MODALITY = new Map<string, Kind | undefined>([
	['text to image', 'image'],
	['image to image', 'imageEdit'],
	['image inpainting', 'imageEdit'],
	['text to video', 'video'],
	['image to video', 'video'],
	['video to video', 'video'],
	['text to audio', 'audio'],
	['text to speech', 'audio'],
	['audio to audio', 'audio'],
	['video to audio', 'audio'],
	['audio to text', 'transcript'],
	['speech to text', 'transcript'],
	['text', 'text'],
	['text to text', 'text'],
	// Image: Analyze sends pictures as language models take them. These models are tools of many kinds, each with parameters of its own.
	['image to text', undefined],
	['video to text', undefined],
	['image to 3d', undefined],
	['text to embed', undefined],
	['voice', undefined],
]);

/** Writes `imageTOImage` and `image_to_image` as `image to image`, because the service uses several forms. */
export function splitWords(words: string): string {
	return words
		.slice(0, 100)
		.replace(/([a-z0-9])(To|TO)(?=[A-Z0-9])/g, '$1 to ')
		.replace(/[_-]+/g, ' ')
		.trim()
		.toLowerCase();
}

/** Finds the kind of a modality, such as `Text-to-Video Generation`, `Text Generation (LLM)` or `imageTOImage`; undefined if it has none or is unknown. */
export function findKind(modality: string): Kind | undefined {
	const phrase = splitWords(modality)
		.replace(/ \(.*$/, '')
		.replace(/ (generation|transformation)$/, '');
	return KIND_OF_MODALITY.get(phrase);
}
