import { isObject } from '../service/schemas';

/**
 * Returns the text of a language model's response, if the response has the format of OpenAI, Anthropic or Gemini; otherwise undefined. If there are several
 * choices, it takes the first one, like the providers' own clients.
 */
export function languageModelText(output: unknown): string | undefined {
	if (!isObject(output)) return undefined;
	return openAiText(output) ?? anthropicText(output) ?? geminiText(output);
}

/** Returns the provider's token counts: `usage`, or Gemini's `usageMetadata`. */
export function tokenUsage(output: unknown): Record<string, unknown> | undefined {
	if (!isObject(output)) return undefined;
	return [output.usage, output.usageMetadata].find(isObject);
}

function openAiText({ choices }: Record<string, unknown>): string | undefined {
	const first = Array.isArray(choices) ? (choices[0] as unknown) : undefined;
	if (!isObject(first)) return undefined;
	if (typeof first.text === 'string') return first.text;
	return isObject(first.message) ? textOfContent(first.message.content) : undefined;
}

function anthropicText({ content }: Record<string, unknown>): string | undefined {
	return Array.isArray(content) ? textOfContent(content) : undefined;
}

function geminiText({ candidates }: Record<string, unknown>): string | undefined {
	const first = Array.isArray(candidates) ? (candidates[0] as unknown) : undefined;
	return isObject(first) && isObject(first.content)
		? textOfContent(first.content.parts)
		: undefined;
}

function textOfContent(content: unknown): string | undefined {
	if (typeof content === 'string') return content;
	if (!Array.isArray(content)) return undefined;
	const texts = content.flatMap((part) =>
		isObject(part) && typeof part.text === 'string' && part.thought !== true ? [part.text] : [],
	);
	return texts.length > 0 ? texts.join('') : undefined;
}
