import { isObject } from '../service/schemas';
import { hasOtherValues, withoutCallDetails } from '../service/otherValues';

/** What a language model's response contains, in the format of OpenAI, Anthropic or Gemini (docs/service.md S136 to S138). */
interface ChatResponse {
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

/** How a language model ended its response. */
export interface Ending {
	/** Its refusal or the provider's sentence; without one, the provider's word, such as `stop` or `content_filter`; '' if there is none. */
	reason: string;
	/** Whether it reached its token limit, so that its text is incomplete or missing. */
	isCut: boolean;
	/** Whether the response has nothing else than reasons, thoughts and what describes the call: no text, for example. */
	isBare: boolean;
}

export const NO_ENDING: Ending = { reason: '', isCut: false, isBare: false };

/** Reads how a language model ended its response. Any other value has no reason. */
export function readEnding(value: unknown): Ending {
	const { choices, candidates, stop_reason, promptFeedback } = objectOf(value);
	const answers = [...listOf(choices), ...listOf(candidates)].map(objectOf);
	const messages = answers.map(({ message }) => objectOf(message));
	const { blockReason, blockReasonMessage } = objectOf(promptFeedback);
	const words = onlyTexts([
		stop_reason,
		blockReason,
		...answers.map(({ finish_reason, finishReason }) => finish_reason ?? finishReason),
	]);
	const refusals = onlyTexts([
		...messages.map(({ refusal }) => refusal),
		...answers.map(({ finishMessage }) => finishMessage),
		blockReasonMessage,
	]);
	const thoughts = onlyTexts(
		messages.flatMap(({ reasoning, reasoning_content }) => [reasoning, reasoning_content]),
	);
	const known = { files: new Set<string>(), texts: new Set([...refusals, ...thoughts]) };
	const [reason = ''] = [...refusals, ...words];
	return {
		reason,
		isCut: words.some((word) => /^(length|max_tokens)$/i.test(word)),
		isBare: reason !== '' && !hasOtherValues(withoutCallDetails(value), known),
	};
}

function onlyTexts(values: unknown[]): string[] {
	return values.filter((value) => typeof value === 'string');
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
