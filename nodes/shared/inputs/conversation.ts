/** What a language model reads before and with the prompt: reads the option Conversation, and makes the value of `messages`. */
import { isBlank } from '../base/text';
import { wrongInput, wrongState } from '../errors/failures';
import type { Picture } from '../media/pictures';
import type { ParameterRow } from '../parameters/itemParameters';
import { readJson } from '../parameters/json';
import { readChoice, readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import { isObject } from '../service/schemas';

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

/** What was said before the prompt. */
interface EarlierMessage {
	role: 'user' | 'assistant' | 'system';
	text: string;
}

type RoleName = keyof typeof ROLE_OF | typeof TOOL;

/** What language models and n8n's memory call the roles. */
const ROLE_OF = {
	user: 'user',
	human: 'user',
	assistant: 'assistant',
	ai: 'assistant',
	system: 'system',
} as const;
/** What a tool returned is left out: it belongs to a call that the model can't know. */
const TOOL = 'tool';
const ROLE_NAMES = [...Object.keys(ROLE_OF), TOOL] as RoleName[];

const PATH = 'options.conversation.values';
const LABEL = 'Conversation';
const MAX_LIST_LENGTH = 1_000;

const A_MESSAGE =
	'{"role": "user", "content": "Hi"}, or {"human": "Hi", "ai": "Hello"} as n8n\'s Chat Memory Manager returns it with Simplify Output on';

/**
 * Reads the messages, without blank ones.
 * @throws SegmindFailure that names the message, for a wrong one or a list that is too long
 */
export function readEarlierMessages(item: Item): EarlierMessage[] {
	return readMessages(item).filter(({ text }) => !isBlank(text));
}

function readMessages({ parameters }: Item): EarlierMessage[] {
	const defineAs = parameters.value(`${PATH}.defineAs`) ?? 'rows';
	if (readChoice(defineAs, `Define As of ${LABEL}`, ['rows', 'list']) === 'list')
		return readList(parameters.definedValue(`${PATH}.list`), LABEL);
	const rows = parameters.rows(`${PATH}.rows.values`, (_values, at) => `Row ${at + 1} of ${LABEL}`);
	return rows.map(readRow);
}

function readRow({ label, values }: ParameterRow): EarlierMessage {
	const text = readPlainText(values.message ?? '', label);
	const role = readChoice(values.role ?? 'user', `Role of ${label}`, ['user', 'assistant']);
	return { role, text };
}

function readList(value: unknown, label: string): EarlierMessage[] {
	const read = readJson(value, label);
	// The whole item of a Chat Memory Manager that groups its messages.
	const list = isObject(read) ? read.messages : read;
	if (!Array.isArray(list)) throw wrongInput(label, read, 'a list of messages');
	const count = list.length;
	if (count > MAX_LIST_LENGTH)
		throw wrongState(label, `${count} long`, `a list of at most ${MAX_LIST_LENGTH} messages`);
	return list.flatMap((entry, at) => readEntry(entry, `Message ${at + 1} in ${label}`));
}

/** Reads an entry of a list: one message, or one of each role in their order. */
function readEntry(entry: unknown, label: string): EarlierMessage[] {
	if (!isObject(entry)) throw wrongInput(label, entry, A_MESSAGE);
	if (entry.role !== undefined) {
		const name = readChoice(entry.role, `Role of ${label}`, ROLE_NAMES);
		// Its text has another name, and would be lost.
		if (entry.content === undefined) throw wrongInput(label, entry, A_MESSAGE);
		return readMessage(name, entry.content, label);
	}
	const names = Object.keys(entry).filter(isRoleName);
	if (names.length === 0) throw wrongInput(label, entry, A_MESSAGE);
	return names.flatMap((name) => readMessage(name, entry[name], label));
}

function readMessage(name: RoleName, content: unknown, label: string): EarlierMessage[] {
	if (name === TOOL) return [];
	return [{ role: ROLE_OF[name], text: readPlainText(content ?? '', `The text of ${label}`) }];
}

function isRoleName(name: string): name is RoleName {
	return ROLE_NAMES.some((known) => known === name);
}
