import type { Picture } from '../media/pictures';

/** The families of language models, by the form of their messages. `unknown` models get OpenAI's form, but no system message that isn't needed. */
export type Family = 'openai' | 'claude' | 'gemini' | 'unknown';

/** An earlier message. */
export interface Turn {
	role: 'user' | 'assistant';
	text: string;
}

/** What a language model reads: messages before the prompt, and the prompt, to which the pictures belong. */
export interface Conversation {
	system: string;
	turns: readonly Turn[];
	prompt: string;
}

/** What the slugs of other models of these makers contain. */
const NO_LANGUAGE_MODEL = /image|video|audio|tts|speech|asr|ocr|edit|embed|transcri|omni|lora/i;
const OPENAI_FORM = /^(chatgpt|gpt|o\d|deepseek|qwen|qwq|kimi|glm|llama|grok|mistral|mixtral)/i;

/** Guesses the family from the slug (docs/service.md S140). */
export function familyOf(slug: string): Family {
	if (NO_LANGUAGE_MODEL.test(slug)) return 'unknown';
	if (/^claude/i.test(slug)) return 'claude';
	if (/^gemini/i.test(slug)) return 'gemini';
	return OPENAI_FORM.test(slug) ? 'openai' : 'unknown';
}

/** Makes the value of `messages` in the form of a family (docs/service.md S139 to S143). Claude gets its system prompt elsewhere. */
export function messagesOf(
	family: Family,
	{ system, turns, prompt }: Conversation,
	pictures: readonly Picture[],
): unknown {
	if (family === 'gemini') {
		const parts = pictures.map(({ mimeType, data }) => ({ inlineData: { mimeType, data } }));
		const contents = [
			...turns.map(({ role, text }) => ({
				role: role === 'user' ? 'user' : 'model',
				parts: [{ text }],
			})),
			{ role: 'user', parts: [{ text: prompt }, ...parts] },
		];
		return system ? { system_instruction: { parts: { text: system } }, contents } : { contents };
	}
	const parts = pictures.map(({ mimeType, data }) =>
		family === 'claude'
			? { type: 'image', source: { type: 'base64', media_type: mimeType, data } }
			: { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } },
	);
	return [
		...(system ? [{ role: 'system', content: system }] : []),
		...turns.map(({ role, text }) => ({ role, content: text })),
		{
			role: 'user',
			content: parts.length > 0 ? [{ type: 'text', text: prompt }, ...parts] : prompt,
		},
	];
}
