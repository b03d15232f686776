import type { TextFamily } from './conversation';
import { promptOf } from './prompt';

/** Makes a language model provider's response (docs/service.md S135). */
export function providerResponse(
	family: TextFamily,
	input: Record<string, unknown>,
	answer = `Emulated answer to: ${promptOf(input)}`,
): Record<string, unknown> {
	const prompt = promptOf(input);
	const promptTokens = wordCount(prompt);
	const answerTokens = wordCount(answer);
	if (family === 'anthropic') {
		return {
			id: 'msg_emulated',
			type: 'message',
			role: 'assistant',
			content: [{ type: 'text', text: answer }],
			stop_reason: 'end_turn',
			usage: { input_tokens: promptTokens, output_tokens: answerTokens },
		};
	}
	if (family === 'gemini') {
		return {
			candidates: [
				{ content: { role: 'model', parts: [{ text: answer }] }, finishReason: 'STOP', index: 0 },
			],
			usageMetadata: {
				promptTokenCount: promptTokens,
				candidatesTokenCount: answerTokens,
				totalTokenCount: promptTokens + answerTokens,
			},
		};
	}
	return {
		id: 'chatcmpl-emulated',
		object: 'chat.completion',
		choices: [{ index: 0, message: { role: 'assistant', content: answer }, finish_reason: 'stop' }],
		usage: {
			prompt_tokens: promptTokens,
			completion_tokens: answerTokens,
			total_tokens: promptTokens + answerTokens,
		},
	};
}

/** Makes a transcript as ElevenLabs returns it. Segmind's own form isn't published; the order `transcriptShape` selects a likely one. */
export function transcriptResponse(text: string): Record<string, unknown> {
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

const wordCount = (text: string): number => text.split(/\s+/).filter(Boolean).length;
