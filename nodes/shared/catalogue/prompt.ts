import { findModel } from './index';
import type { CatalogueParameter } from './types';

/** What models call what a person types as the prompt; `messages` where a model takes nothing else. */
const PROMPT_NAMES = ['prompt', 'text', 'promptText', 'script', 'messages'];

/**
 * The name under which a model takes the prompt: of several the one it requires, and what is built in comes before what the list says.
 * `prompt` where nothing is known.
 */
export function promptParameter(slug: string, listed: readonly CatalogueParameter[] = []): string {
	return promptAmong(findModel(slug)?.parameters ?? []) ?? promptAmong(listed) ?? 'prompt';
}

function promptAmong(parameters: readonly CatalogueParameter[]): string | undefined {
	const found = PROMPT_NAMES.flatMap(
		(name) => parameters.find((parameter) => parameter.name === name) ?? [],
	);
	return (found.find(({ required }) => required) ?? found[0])?.name;
}

/** The prompt as the parameter of that name takes it. */
export function promptValue(name: string, prompt: string): unknown {
	return name === 'messages' ? userMessages(prompt) : prompt;
}

/** A conversation that the prompt begins; none for an empty one. */
export function userMessages(prompt: string): Array<{ role: string; content: string }> {
	return prompt === '' ? [] : [{ role: 'user', content: prompt }];
}

/** True for a language model that takes a system message in OpenAI's form (docs/service.md S140). */
export function takesSystemMessage(slug: string): boolean {
	return (
		/^(chatgpt|gpt|o\d|deepseek|qwen|qwq|kimi|glm)/i.test(slug) &&
		!/image|video|audio|tts|speech|asr|ocr|edit/i.test(slug)
	);
}

/** True for a language model whose system prompt is the parameter `instruction`, as Claude's is (docs/service.md S141). */
export function takesInstruction(slug: string, parameters: readonly string[]): boolean {
	return /^claude/i.test(slug) || parameters.includes('instruction');
}
