import { findModel } from './index';
import { isObject } from '../service/schemas';
import type { CatalogueParameter } from './types';

/** The names that the prompt parameter has, the preferred one first: `messages` counts only if a model has none of the others. */
const PROMPT_NAMES = [
	'prompt',
	'text',
	'promptText',
	'text_prompt',
	'script',
	'voice_script',
	'messages',
];

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

/** Finds the prompt in a request body, or the last message of its conversation; undefined if there is none. */
export function promptIn(slug: string, body: Record<string, unknown>): string | undefined {
	const names = [promptNameOf(slug), ...PROMPT_NAMES];
	const given = names.map((name) => body[name]).find((value) => value !== undefined);
	// The forms of the families of language models (docs/service.md S139 to S143).
	const messages = isObject(given) ? given.contents : given;
	const last: unknown = Array.isArray(messages) ? messages[messages.length - 1] : messages;
	const content = isObject(last) ? (last.content ?? last.parts) : last;
	const part: unknown = Array.isArray(content) ? content[0] : content;
	const prompt = isObject(part) ? part.text : part;
	return typeof prompt === 'string' ? prompt : undefined;
}
