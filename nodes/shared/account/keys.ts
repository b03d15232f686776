import type { IDataObject } from 'n8n-workflow';

import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { readText } from '../inputs/values';
import { renameError } from '../output/finishedItem';
import { isObject } from '../service/schemas';
import type { AccountSession } from './accountSession';

/** A key inside a string. */
const KEY_TEXT = /SG_[0-9A-Za-z]{8,}/g;
/** Members that may contain a key: the members of a key entry aren't published. */
const KEY_MEMBERS = new Set(['api_key', 'apiKey', 'key', 'api-key', 'secret', 'value', 'token']);
/** A key from which a part was removed, by `maskKey`, by Segmind, or by `redact`. */
const MASKED = /…|\.\.\.|\*|•|\[hidden\]/;

/** Masks a key: keeps only its first three and last four characters, by which users recognize it. A masked key stays unchanged. */
export function maskKey(key: string): string {
	if (MASKED.test(key)) return key;
	return key.length < 12 ? '…' : `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** Converts an entry of a key list to an item. Masks every key in it unless `showFull`. An entry may also be only the key, as text. */
export function keyItem(entry: unknown, showFull: boolean): IDataObject {
	const members = isObject(entry) ? renameError(entry) : ({ api_key: entry } as IDataObject);
	if (showFull) return members;
	const masked = JSON.stringify(members, (name, value: unknown) =>
		typeof value === 'string' && KEY_MEMBERS.has(name) ? maskKey(value) : value,
	);
	// A key may also be a member's name.
	return JSON.parse(masked.replace(KEY_TEXT, maskKey)) as IDataObject;
}

/**
 * Reads the parameter `apiKey`, and hides the key in every error text from now on.
 * @throws SegmindFailure before any call if it's empty or masked; the error doesn't contain the key
 */
export function readKey(session: AccountSession, itemIndex: number): string {
	const key = readText(session.context.getNodeParameter('apiKey', itemIndex), 'API Key');
	if (MASKED.test(key)) throw badInput(INPUTS.maskedKey);
	session.hide(key);
	return key;
}
