import type { IBinaryData } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { badInput, fill, wrongInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { PARTS } from '../errors/parts';
import type { Picture } from '../media/pictures';
import type { Session } from '../run/session';
import { isObject, parseJson } from '../service/schemas';

/** The files of one input: URLs and data URLs as they were written, and binaries of the item. */
export interface Files {
	parts: Array<string | IBinaryData>;
	asList: boolean;
}

/** Pictures that become part of a value. */
export interface Pictures {
	pictures: Files['parts'];
	valueWith: (pictures: Picture[]) => unknown;
}

/** What is sent under a name: a value, files to upload or to encode first, or a value with pictures. */
export type Input = { value: unknown } | Files | Pictures;

/** The inputs of an item by name; undefined if the name is only reserved. A map, because a name may be `__proto__`. */
export type InputsByName = ReadonlyMap<string, Input | undefined>;

/** The binary fields of an item. */
export interface BinaryFields {
	/** Looks up a field; undefined if there is no such field. */
	find(field: string): IBinaryData | undefined;
	/** Says which fields the item has, for the error about a missing field. */
	readonly existing: string;
}

/** The maximum number of files for one parameter; no model takes more. */
const MAX_FILES = 100;

/**
 * Reads a field for files: URLs, data URLs and names of binary fields, separated by commas or lines, or as a list or JSON. There are none if it's
 * empty.
 * @throws SegmindFailure that names the field, for anything else
 */
export function readFileField(
	label: string,
	value: unknown,
	isList: boolean,
	{ find, existing }: BinaryFields,
): Files {
	const parsed = isList && typeof value === 'string' ? parseJson(value) : undefined;
	const given: unknown[] = [Array.isArray(parsed) ? parsed : value].flat();
	const isSingle = !isList || Array.isArray(parsed) || Array.isArray(value);
	const entries = given.flatMap((entry) => {
		if (typeof entry !== 'string')
			throw wrongInput(label, entry, 'a URL, a data URL or the name of a binary field');
		// In the entry of a list, a comma belongs to the URL.
		return isSingle && isUrl(entry.trim()) ? [entry.trim()] : splitList(entry);
	});
	if (entries.length > MAX_FILES)
		throw wrongInput(label, `${entries.length} files`, `${MAX_FILES} files at most`);
	const parts = entries.map((entry) => {
		const part = isUrl(entry) ? entry : find(entry);
		if (part === undefined)
			throw badInput(INPUTS.notAFile, { label, value: safeTextOf(entry), existing });
		return part;
	});
	return { parts, asList: isList || Array.isArray(value) || parts.length > 1 };
}

/** Splits a text at commas and lines, but not at the comma before the content of a data URL. */
function splitList(text: string): string[] {
	const entries = text.split(/(?<!;base64),|\n/).map((entry) => entry.trim());
	return entries.filter((entry) => entry !== '');
}

/** Whether a string is an http(s) URL or a data URL. */
function isUrl(text: string): boolean {
	return /^https?:\/\/[^\s/]\S*$/i.test(text) || /^data:[^,\s]*,/i.test(text);
}

/** Whether a part is a binary of the item, which is uploaded first. */
export function isBinary(part: string | IBinaryData): part is IBinaryData {
	return typeof part !== 'string';
}

/**
 * Returns the binaries of one or more binary fields, whose names are separated by commas in `fields`.
 * @throws SegmindFailure if `fields` names no field, or one that doesn't exist, or contains a URL
 */
export function binariesOf(
	session: Session,
	itemIndex: number,
	fields: string,
	label: string,
): IBinaryData[] {
	const { parts } = readFileField(label, fields, false, binaryFieldsOf(session, itemIndex));
	const url = parts.find((part) => !isBinary(part));
	if (url !== undefined || parts.length === 0)
		throw wrongInput(label, url ?? '', 'the name of a binary field, usually data');
	return parts.filter(isBinary);
}

/** At most this many look-ups of binary fields are made for one item: each failed look-up costs an exception. */
const MAX_LOOKUPS = 100;

/** Returns the binary fields of an item. n8n's own look-up also covers binary data inside the JSON (docs/n8n.md N172). */
export function binaryFieldsOf({ context, items }: Session, itemIndex: number): BinaryFields {
	const own = items[itemIndex]?.binary ?? {};
	const isCombined = { ...context.getWorkflowSettings?.() }.binaryMode === 'combined';
	let lookups = isCombined ? MAX_LOOKUPS : 0;
	const names = safeTextOf(Object.keys(own).join(', '));
	return {
		existing: names ? fill(PARTS.binaryFields, { fields: names }) : PARTS.noBinaryFields,
		find: (field) => {
			if (Object.hasOwn(own, field)) return own[field];
			if (lookups-- <= 0) return undefined;
			try {
				const file: unknown = context.helpers.assertBinaryData(itemIndex, field);
				return isObject(file) && file.mimeType ? (file as unknown as IBinaryData) : undefined;
			} catch {
				return undefined;
			}
		},
	};
}
