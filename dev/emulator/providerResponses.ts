import type { TextFamily } from './models';
import { promptOf } from './prompt';

/** A language model provider's own response (docs/service.md S135). It repeats the question, so that a test can see which request a response belongs to. */
export function providerResponse(
	family: TextFamily,
	input: Record<string, unknown>,
): Record<string, unknown> {
	const question = promptOf(input);
	const answer = `Emulated answer to: ${question}`;
	const promptTokens = wordCount(question);
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

/** A transcript as ElevenLabs returns it. What Segmind makes of it isn't published; the order `transcriptShape` (orders.ts) selects one of the likely forms. */
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
