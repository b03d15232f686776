import { isObject } from '../service/schemas';
import type { Form } from './remainder';

/** What a language model's response contains, in the format of OpenAI, Anthropic or Gemini (docs/service.md S136 to S138). */
export interface ChatResponse {
	/** The parts of the text. If there are several choices, it's the first one's, as in the providers' own clients. */
	texts: string[];
	/** The provider's token counts. */
	usage?: Record<string, unknown>;
}

/** Reads a language model's response. Undefined if it has no text, like any other value. */
export function readChatResponse(value: unknown): ChatResponse | undefined {
	const { choices, content, candidates, usage, usageMetadata } = objectOf(value);
	const choice = objectOf(listOf(choices)[0]);
	const candidate = objectOf(listOf(candidates)[0]);
	const texts =
		textsOf(objectOf(choice.message).content) ??
		textsOf(listOf(content)) ??
		textsOf(objectOf(candidate.content).parts);
	return texts && { texts, usage: [usage, usageMetadata].find(isObject) };
}

/** Whether a language model reached its token limit, so that its text is incomplete or missing. */
export function isCutAnswer(value: unknown): boolean {
	const { choices, candidates, stop_reason } = objectOf(value);
	const reasons = [...listOf(choices), ...listOf(candidates)]
		.map(objectOf)
		.map(({ finish_reason, finishReason }) => finish_reason ?? finishReason);
	return [stop_reason, ...reasons].some(
		(reason) => typeof reason === 'string' && /^(length|max_tokens)$/i.test(reason),
	);
}

function textsOf(content: unknown): string[] | undefined {
	if (typeof content === 'string') return [content];
	const texts = listOf(content)
		.map(objectOf)
		.flatMap(({ text, thought }) => (typeof text === 'string' && thought !== true ? [text] : []));
	return texts.length > 0 ? texts : undefined;
}

function listOf(value: unknown): unknown[] {
	return Array.isArray(value) ? value : [];
}

function objectOf(value: unknown): Record<string, unknown> {
	return isObject(value) ? value : {};
}

function members(names: string, inner: Exclude<Form, true> = {}): Exclude<Form, true> {
	return Object.assign(Object.fromEntries(names.split(' ').map((name) => [name, true])), inner);
}

const PARTS = members('type thoughtSignature');

/** What the providers put around a text: about the response, not what it says. */
export const ENVELOPE: Form = members(
	'id object created model type role system_fingerprint service_tier stop_reason usage usageMetadata modelVersion responseId',
	{
		choices: members('index finish_reason', { message: members('role', { content: PARTS }) }),
		content: PARTS,
		candidates: members('index finishReason', { content: members('role', { parts: PARTS }) }),
	},
);
