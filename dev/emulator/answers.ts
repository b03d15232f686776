import type { TextFamily } from './models';
import { promptOf } from './prompt';

/** A language model provider's own response (docs/service.md S135). It repeats the question, so that a test can see which request it belongs to. */
export function providerAnswer(
	family: TextFamily,
	input: Record<string, unknown>,
): Record<string, unknown> {
	const question = promptOf(input);
	const answer = `Emulated answer to: ${question}`;
	const asked = words(question);
	const told = words(answer);
	if (family === 'anthropic') {
		return {
			id: 'msg_emulated',
			type: 'message',
			role: 'assistant',
			content: [{ type: 'text', text: answer }],
			stop_reason: 'end_turn',
			usage: { input_tokens: asked, output_tokens: told },
		};
	}
	if (family === 'gemini') {
		return {
			candidates: [
				{ content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP', index: 0 },
			],
			usageMetadata: {
				promptTokenCount: asked,
				candidatesTokenCount: told,
				totalTokenCount: asked + told,
			},
		};
	}
	return {
		id: 'chatcmpl-emulated',
		object: 'chat.completion',
		choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
		usage: { prompt_tokens: asked, completion_tokens: told, total_tokens: asked + told },
	};
}

/**
 * A transcript as ElevenLabs itself returns it. What Segmind makes of that isn't published; `transcriptShape` of the orders has the forms
 * that are likely.
 */
export function transcriptAnswer(text: string): Record<string, unknown> {
	return {
		language_code: 'eng',
		language_probability: 0.98,
		text,
		words: text
			.split(/\s+/)
			.filter(Boolean)
			.map((word, at) => ({ text: word, start: at / 2, end: at / 2 + 0.4, type: 'word' })),
	};
}

const words = (text: string): number => text.split(/\s+/).filter(Boolean).length;
