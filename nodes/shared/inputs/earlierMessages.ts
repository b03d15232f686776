/** Reads the option Conversation: a message in each row, or a list of messages from another node. */
import { isBlank } from '../base/text';
import { wrongInput, wrongState } from '../errors/failures';
import type { ParameterRow } from '../parameters/itemParameters';
import { readJson } from '../parameters/json';
import { readChoice, readPlainText } from '../parameters/values';
import type { Item } from '../run/item';
import { isObject } from '../service/schemas';

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
