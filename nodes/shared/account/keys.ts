import type { IDataObject } from 'n8n-workflow';

import { badInput } from '../base/failure';
import { rawBody } from '../output/finished';
import { isObject } from '../service/schemas';
import type { AccountSession } from './accountSession';

const KEY_TEXT = /SG_[0-9A-Za-z]{8,}/g;
/** Members that hold a key whatever its form; the fields of a key entry are not published. */
const KEY_MEMBERS = new Set(['api_key', 'apiKey', 'key', 'api-key', 'secret', 'value', 'token']);
const MASKED = /…|\.\.\.|\*|•|\[hidden\]/;

/** First three and last four characters: enough to recognise a key by. */
export function maskKey(key: string): string {
	if (MASKED.test(key)) return key;
	return key.length < 12 ? '…' : `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** The same value with every API key in it masked. */
function maskKeysIn(value: unknown, member = ''): unknown {
	if (typeof value === 'string')
		return KEY_MEMBERS.has(member) ? maskKey(value) : value.replace(KEY_TEXT, maskKey);
	if (Array.isArray(value)) return value.map((entry) => maskKeysIn(entry, member));
	if (!isObject(value)) return value;
	return Object.fromEntries(
		Object.entries(value).map(([name, inner]) => [name, maskKeysIn(inner, name)]),
	);
}

/** One entry of a key list as an item; a bare text is a key. */
export function keyItem(entry: unknown, showFull: boolean): IDataObject {
	const members = isObject(entry) ? rawBody(entry) : ({ api_key: entry } as IDataObject);
	return showFull ? members : (maskKeysIn(members) as IDataObject);
}

/** What a changing call answered, keys masked; {} when it was no object. */
export function maskedBody(body: unknown): IDataObject {
	return isObject(body) ? (maskKeysIn(rawBody(body)) as IDataObject) : {};
}

/**
 * The parameter `apiKey`, whole.
 * @throws SegmindFailure for an empty or a masked one, before any call; the text holds none of it
 */
export function readKey(session: AccountSession, itemIndex: number): string {
	const key = String(session.context.getNodeParameter('apiKey', itemIndex) ?? '').trim();
	if (key === '')
		throw badInput(
			'API Key is empty',
			'Give the whole key; API Key: Get Many lists them with Show Full Keys on.',
		);
	if (MASKED.test(key))
		throw badInput(
			'API Key is masked, so it is not clear which key is meant',
			'Turn on Show Full Keys in the operation Get Many that lists the keys, and pass the whole key on.',
		);
	session.hide(key);
	return key;
}
