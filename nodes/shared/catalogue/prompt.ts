import { findModel } from './index';
import { isBlank } from '../base/text';
import { isObject } from '../service/schemas';
import type { CatalogueParameter } from './types';

/** The names that the prompt parameter has, the preferred one first: `messages` counts only if a model has none of the others. */
const PROMPT_NAMES = ['prompt', 'text', 'promptText', 'script', 'voice_script', 'messages'];

/**
 * Returns the model's name of the prompt parameter: from the built-in catalogue, otherwise from `listed`, otherwise `prompt`. If several parameters may
 * be the prompt, the required one is chosen.
 */
export function promptNameOf(slug: string, listed: readonly CatalogueParameter[] = []): string {
	return findPromptName(findModel(slug)?.parameters ?? []) ?? findPromptName(listed) ?? 'prompt';
}

function findPromptName(parameters: readonly CatalogueParameter[]): string | undefined {
	const found = PROMPT_NAMES.flatMap(
		(name) => parameters.find((parameter) => parameter.name === name) ?? [],
	);
	return (found.find(({ required }) => required) ?? found[0])?.name;
}

/** Converts the prompt to the value that the parameter of that name takes. */
export function promptValue(name: string, prompt: string): unknown {
	return name === 'messages' ? userMessages(prompt) : prompt;
}

/** Returns a conversation with the prompt as its only message; empty for an empty prompt. */
export function userMessages(prompt: string): Array<{ role: string; content: string }> {
	return isBlank(prompt) ? [] : [{ role: 'user', content: prompt }];
}

/** Whether a language model takes a system message in OpenAI's form (docs/service.md S140). */
export function takesSystemMessage(slug: string): boolean {
	return (
		/^(chatgpt|gpt|o\d|deepseek|qwen|qwq|kimi|glm)/i.test(slug) &&
		!/image|video|audio|tts|speech|asr|ocr|edit/i.test(slug)
	);
}

/** Whether a language model takes the system prompt as the parameter `instruction`, like Claude (docs/service.md S141). */
export function takesInstruction(slug: string, parameters: readonly string[]): boolean {
	return /^claude/i.test(slug) || parameters.includes('instruction');
}

/** Finds the prompt in a request body, or the last message of its conversation; undefined if there is none. */
export function promptIn(slug: string, body: Record<string, unknown>): string | undefined {
	const names = [promptNameOf(slug), ...PROMPT_NAMES];
	const given = names.map((name) => body[name]).find((value) => value !== undefined);
	const last: unknown = Array.isArray(given) ? given[given.length - 1] : given;
	const prompt = isObject(last) ? last.content : last;
	return typeof prompt === 'string' ? prompt : undefined;
}
