import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { badInput } from '../base/failure';
import { shown as quoted } from '../base/redact';
import { numberIn } from '../base/text';
import { findModel, promptParameter } from '../catalogue';
import { contentDigest } from '../media/contentDigest';
import { mimeOf, uploadFiles } from '../media/upload';
import type { Session } from '../run/session';
import { isDeeper, isObject } from '../service/schemas';
import { isBinary, readForm } from './formValues';
import { tooDeep, type JsonBody } from './json';
import type { MediaPart } from './mediaParts';

/** A row of `inputs.values` as n8n gives it. */
type Row = IDataObject;

type SendAs = 'url' | 'dataUrl' | 'base64';

interface FileInput {
	name: string;
	parts: MediaPart[];
	sendAs: SendAs;
	asList: boolean;
}

/** What an item's fields say, checked; files not yet read. */
interface CheckedFields {
	values: Record<string, unknown>;
	files: FileInput[];
}

/**
 * Checks prompt, form and rows of an item and converts each value to its type. `slug` is the model, for its form, its own name of the
 * prompt and its list parameters; undefined for a workflow, which has rows only.
 * @throws SegmindFailure naming the input, before any call
 */
export function checkFields(session: Session, itemIndex: number, slug?: string): CheckedFields {
	const fields: CheckedFields = { values: {}, files: [] };
	/** Where an input was given, by name. */
	const given = new Map<string, Place>();
	if (slug !== undefined) {
		const prompt = textOf(session.context.getNodeParameter('prompt', itemIndex, ''), 'Prompt');
		if (prompt !== '') {
			claim(given, promptParameter(slug), 'prompt');
			fields.values[promptParameter(slug)] = prompt;
		}
		const find = (field: string) => findBinary(session, itemIndex, field);
		for (const input of readForm(session, itemIndex, slug, find)) {
			claim(given, input.name, 'form');
			if ('parts' in input) fields.files.push({ ...input, sendAs: 'url' });
			else setOwn(fields.values, input.name, input.value);
		}
	}
	const rows = session.context.getNodeParameter('inputs.values', itemIndex, []) as Row[];
	for (const [at, row] of rows.entries()) {
		const name = nameOf(row, at);
		claim(given, name, 'row');
		// A model has to fill every parameter it is shown; an empty text is how it leaves one out.
		if (session.isTool && (row.type ?? 'string') === 'string' && row.stringValue === '') continue;
		if (row.type === 'file') fields.files.push(fileInput(session, itemIndex, name, row, slug));
		else setOwn(fields.values, name, valueOf(name, row));
	}
	return fields;
}

type Place = 'prompt' | 'form' | 'row';

/** Notes that an input is given. @throws SegmindFailure when it is already */
function claim(given: Map<string, Place>, name: string, place: Place): void {
	const before = given.get(name);
	if (before === undefined) return void given.set(name, place);
	const second = place === 'form' ? 'the field of the form' : 'the row';
	throw badInput(
		`Input '${name}' is given twice`,
		before === 'prompt'
			? `Prompt is sent under this name; clear Prompt or remove ${second}.`
			: before === 'form'
				? 'It is set in the form and in a row; clear the field or remove the row.'
				: 'Remove one of the rows.',
	);
}

/** The body to send; uploads or inlines the files. */
export async function bodyOf(session: Session, fields: CheckedFields): Promise<JsonBody> {
	const value = { ...fields.values };
	// One upload request for all files of the item.
	const urls = await uploadFiles(
		session,
		fields.files
			.filter((input) => input.sendAs === 'url')
			.flatMap((input) => input.parts.filter(isBinary)),
	);
	for (const input of fields.files) {
		const sent =
			input.sendAs === 'url'
				? input.parts.map((part) => (isBinary(part) ? urls.shift() : part))
				: await inlined(session, input);
		setOwn(value, input.name, input.asList ? sent : sent[0]);
	}
	return { text: JSON.stringify(value), value };
}

/** The same for equal values and equal contents of files. */
export async function identityOf(session: Session, fields: CheckedFields): Promise<unknown> {
	const files = await Promise.all(
		fields.files.map(async ({ parts, ...input }) => ({
			...input,
			parts: await Promise.all(
				parts.map(async (part) => (isBinary(part) ? await contentDigest(session, part) : part)),
			),
		})),
	);
	return [fields.values, files];
}

/** Longest name of a parameter, characters: it stands in every error of its row. */
const LONGEST_NAME = 200;

function nameOf(row: Row, at: number): string {
	const name = isObject(row.name) ? row.name.value : row.name;
	const text = typeof name === 'string' ? name.trim() : '';
	if (text === '')
		throw badInput(`Input ${at + 1} has no name`, 'Choose or type the name of the parameter.');
	if (text.length > LONGEST_NAME)
		throw badInput(
			`Input ${at + 1} has a name of ${text.length} characters`,
			'Use the name of the parameter as the page of the model writes it.',
		);
	return text;
}

function valueOf(name: string, row: Row): unknown {
	switch (row.type) {
		case 'number':
			return numberOf(name, row.numberValue);
		case 'boolean':
			return booleanOf(name, row.booleanValue);
		case 'json':
			return jsonOf(name, row.jsonValue);
		default:
			return textOf(row.stringValue ?? '', `Input '${name}'`);
	}
}

function textOf(value: unknown, what: string): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (value === undefined || value === null)
		throw badInput(
			`${what} is ${String(value)}, not text`,
			'The expression found nothing; check it, or give the value as type JSON to send null.',
		);
	throw badInput(
		`${what} is ${Array.isArray(value) ? 'a list' : 'an object'}, not text`,
		'Give it as type JSON, or turn it into text in the expression.',
	);
}

function numberOf(name: string, value: unknown): number {
	const number = numberIn(value);
	if (number !== undefined) return number;
	throw badInput(
		`Input '${name}' is ${shown(value)}, not a number`,
		'Give a number, or choose another type for the row.',
	);
}

function booleanOf(name: string, value: unknown): boolean {
	if (typeof value === 'boolean') return value;
	const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
	if (word === 'true') return true;
	if (word === 'false') return false;
	throw badInput(
		`Input '${name}' is ${shown(value)}, not true or false`,
		'Give true or false, or choose another type for the row.',
	);
}

function jsonOf(name: string, given: unknown): unknown {
	const value = typeof given === 'string' ? parsed(name, given) : given;
	if (value === undefined)
		throw badInput(
			`Input '${name}' is undefined, not JSON`,
			'The expression found nothing; check it.',
		);
	if (isDeeper(value)) throw tooDeep(`Input '${name}'`);
	return value;
}

function parsed(name: string, text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch (error) {
		throw badInput(
			`Input '${name}' is not valid JSON: ${(error as Error).message}`,
			'A text needs quotes: "text".',
		);
	}
}

function shown(value: unknown): string {
	return typeof value === 'string'
		? `'${quoted(value, 60)}'`
		: Array.isArray(value)
			? 'a list'
			: isObject(value)
				? 'an object'
				: String(value);
}

function fileInput(
	session: Session,
	itemIndex: number,
	name: string,
	row: Row,
	slug?: string,
): FileInput {
	const what = `Input '${name}'`;
	const fields = textOf(row.binaryFields ?? '', what);
	const parts = binariesOf(session, itemIndex, fields, what, `${what} names no binary field`);
	const known = findModel(slug ?? '')?.parameters.find((parameter) => parameter.name === name);
	return {
		name,
		parts,
		sendAs: (row.sendAs as SendAs) ?? 'url',
		asList: row.asList === true || parts.length > 1 || known?.list === true,
	};
}

/**
 * The binaries behind one or more field names, separated by commas. `what` names the parameter.
 * @throws SegmindFailure saying `whenNone` when no field is named, or naming the field that is not there
 */
export function binariesOf(
	session: Session,
	itemIndex: number,
	fields: string,
	what: string,
	whenNone: string,
): IBinaryData[] {
	const names = fields
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	if (names.length === 0)
		throw badInput(whenNone, 'Write the name of the field that holds the file, usually data.');
	return names.map((name) => binaryOf(session, itemIndex, name, what));
}

/** A binary field of an item, or a failure that names the fields there are. */
export function binaryOf(
	session: Session,
	itemIndex: number,
	field: string,
	what: string,
): IBinaryData {
	const file = findBinary(session, itemIndex, field);
	if (file) return file;
	const there = Object.keys(session.items[itemIndex]?.binary ?? {});
	throw badInput(
		`${what}: the item has no binary field '${quoted(field)}'`,
		there.length > 0
			? `It has: ${there.join(', ')}.`
			: 'It has no binary fields at all; add a node before this one that outputs the file.',
	);
}

/** n8n's own look-up also knows workflows that keep binaries inside the JSON. */
function findBinary(session: Session, itemIndex: number, field: string): IBinaryData | undefined {
	try {
		return session.context.helpers.assertBinaryData(itemIndex, field);
	} catch {
		return undefined;
	}
}

async function inlined(session: Session, input: FileInput): Promise<string[]> {
	return await Promise.all(
		input.parts.map(async (part) => {
			if (!isBinary(part)) return part;
			const base64 =
				part.id === undefined
					? part.data
					: (
							await session.context.helpers.binaryToBuffer(
								await session.context.helpers.getBinaryStream(part.id),
							)
						).toString('base64');
			return input.sendAs === 'base64' ? base64 : `data:${mimeOf(part)};base64,${base64}`;
		}),
	);
}

/** Sets a member even when it is called `__proto__`: the name comes from the user. */
function setOwn(target: Record<string, unknown>, name: string, value: unknown): void {
	Object.defineProperty(target, name, {
		value,
		enumerable: true,
		configurable: true,
		writable: true,
	});
}
