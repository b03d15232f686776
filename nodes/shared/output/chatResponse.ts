import { isObject } from '../service/schemas';
import { isAnythingLeft, NOTHING_HELD, type Form } from './remainder';

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
	/** Whether the response has nothing else than reasons, thoughts and the envelope of a provider: no text, for example. */
	isBare: boolean;
}

export const NO_ENDING: Ending = { reason: '', isCut: false, isBare: false };

/** Reads how a language model ended its response. Any other value has no reason. */
export function readEnding(value: unknown): Ending {
	const { choices, candidates, stop_reason, promptFeedback } = objectOf(value);
	const answers = [...listOf(choices), ...listOf(candidates)].map(objectOf);
	const words = [
		stop_reason,
		objectOf(promptFeedback).blockReason,
		...answers.map(({ finish_reason, finishReason }) => finish_reason ?? finishReason),
	].filter((word) => typeof word === 'string');
	const refusals = answers
		.map(({ message, finishMessage }) => objectOf(message).refusal ?? finishMessage)
		.filter((refusal) => typeof refusal === 'string');
	const [reason = ''] = [...refusals, ...words];
	return {
		reason,
		isCut: words.some((word) => /^(length|max_tokens)$/i.test(word)),
		isBare: reason !== '' && !isAnythingLeft(value, NOTHING_HELD, WITHOUT_TEXT),
	};
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

/** Names whose whole values belong to a form. */
function allForm<Name extends string>(...names: Name[]): Record<Name, true> {
	return Object.fromEntries(names.map((name) => [name, true])) as Record<Name, true>;
}

const RESPONSE = allForm(
	...['id', 'object', 'created', 'model', 'type', 'role', 'system_fingerprint', 'service_tier'],
	...['stop_reason', 'usage', 'usageMetadata', 'modelVersion', 'responseId'],
);
const CHOICE = allForm('index', 'finish_reason');
const CANDIDATE = allForm('index', 'finishReason');
const PARTS = allForm('type', 'thoughtSignature');

/** What the providers put around a text: about the response, not what it says. */
export const ENVELOPE: Form = {
	...RESPONSE,
	choices: { ...CHOICE, message: { role: true, content: PARTS } },
	content: PARTS,
	candidates: { ...CANDIDATE, content: { role: true, parts: PARTS } },
};

/** The envelope of a response without a text, which has reasons or thoughts instead. */
const WITHOUT_TEXT: Form = {
	...ENVELOPE,
	promptFeedback: true,
	choices: {
		...CHOICE,
		message: { ...allForm('role', 'refusal', 'reasoning', 'reasoning_content'), content: PARTS },
	},
	candidates: {
		...CANDIDATE,
		...allForm('finishMessage', 'safetyRatings'),
		content: { role: true, parts: PARTS },
	},
};
