import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { findModel } from '../catalogue';
import type { ErrorRow } from '../errors/errorTable';
import { badInput, fill } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { PARTS } from '../errors/parts';
import { contentDigest } from '../media/contentDigest';
import { mimeOf, uploadFiles } from '../media/upload';
import { readSendFilesAs, type SendFilesAs } from '../run/options';
import type { Session } from '../run/session';
import { isDeeper, isObject } from '../service/schemas';
import { fileOfItem, isBinary, readForm, type ItemFile } from './formValues';
import { assertExpressions, rawIn } from './expressions';
import { tooDeepFailure, type JsonBody } from './json';
import { assertFileCount, type BinaryFields, type MediaPart } from './mediaParts';
import { promptInputs, type PromptField } from './prompts';
import { readNumber, readBoolean } from './values';

/** A row of `inputs.values` as n8n returns it. */
type InputRow = IDataObject;

interface FileInput {
	name: string;
	parts: MediaPart[];
	asList: boolean;
}

/** The checked inputs of an item. Files are not read yet. */
export interface CheckedFields {
	/** A list instead of an object, because a name may be `__proto__`. */
	values: Array<[name: string, value: unknown]>;
	files: FileInput[];
	sendFilesAs: SendFilesAs;
}

/** The model that inputs are for. */
export interface TargetModel {
	/** Its slug, which shows its form, the name of its prompt parameter, and which parameters are lists. */
	slug: string;
	/** The kind of the item's own file to send if the user provides no file, even if the model requires none. */
	file?: ItemFile;
}

/**
 * Checks prompt, form and input rows of an item, and converts each value to its type. `model` is undefined for a workflow, which has only rows.
 * @throws SegmindFailure that names the input, before any call
 */
export function checkFields(
	session: Session,
	itemIndex: number,
	model?: TargetModel,
): CheckedFields {
	const { context } = session;
	const slug = model?.slug;
	const fields: CheckedFields = {
		values: [],
		files: [],
		sendFilesAs: readSendFilesAs(context, itemIndex),
	};
	/** Where the user gave each input, by name. */
	const places = new Map<string, InputPlace>();
	if (slug !== undefined) {
		const text = (name: string, label: string) => {
			assertExpressions(session, itemIndex, context.getNode().parameters[name], label);
			return textOf(context.getNodeParameter(name, itemIndex, ''), label, INPUTS.foundNothing);
		};
		const prompts = {
			prompt: text('prompt', 'Prompt'),
			system: text('systemPrompt', 'System Prompt'),
		};
		for (const { sentAs, value, from } of promptInputs(session, slug, prompts)) {
			recordPlace(places, sentAs, from);
			if (value !== undefined) fields.values.push([sentAs, value]);
		}
		for (const input of readForm(session, itemIndex, slug, binaryFieldsOf(session, itemIndex))) {
			recordPlace(places, input.name, 'form');
			if ('parts' in input) fields.files.push(input);
			else fields.values.push([input.name, input.value]);
		}
	}
	const rowsIn = slug === undefined ? 'inputs' : 'options.additionalParameters';
	const rows = context.getNodeParameter(`${rowsIn}.values`, itemIndex, []) as InputRow[];
	const rawRows = rawIn(context.getNode().parameters, `${rowsIn}.values`);
	for (const [at, row] of rows.entries()) {
		const name = nameOf(row, at);
		recordPlace(places, name, 'row');
		for (const member of ['name', MEMBER_BY_TYPE[String(row.type)] ?? 'stringValue'])
			assertExpressions(session, itemIndex, rawIn(rawRows, `${at}.${member}`), `Input '${name}'`);
		// An agent must fill every parameter it sees, so an empty string means that it leaves this one out.
		if (session.isTool && (row.type ?? 'string') === 'string' && row.stringValue === '') continue;
		if (row.type === 'file') fields.files.push(fileInput(session, itemIndex, name, row, slug));
		else fields.values.push([name, valueOf(name, row)]);
	}
	const file =
		model &&
		fileOfItem(session, itemIndex, model, {
			given: new Set(places.keys()),
			used: new Set(fields.files.flatMap(({ parts }) => parts)),
		});
	if (file) fields.files.push(file);
	return fields;
}

/** The member of a row that has the value, by the row's type; for any other type it's `stringValue`. */
const MEMBER_BY_TYPE: Record<string, string> = {
	number: 'numberValue',
	boolean: 'booleanValue',
	json: 'jsonValue',
	file: 'binaryFields',
};

type InputPlace = PromptField | 'form' | 'row';

/** Records where the user gave an input. @throws SegmindFailure if it was already given in another place */
function recordPlace(places: Map<string, InputPlace>, name: string, place: InputPlace): void {
	const earlier = places.get(name);
	if (earlier === undefined) return void places.set(name, place);
	const otherWay = place === 'form' ? 'clear the field in the form' : 'remove the row';
	throw badInput(INPUTS.givenTwice, {
		name,
		todo:
			earlier === 'Prompt' || earlier === 'System Prompt'
				? `${earlier} is already sent as this input. Clear ${earlier}, or ${otherWay}.`
				: earlier === 'form'
					? 'It is set both in the form and in a row. Clear the field or remove the row.'
					: 'Remove one of the rows.',
	});
}

/** Makes the body to send. Uploads the files or puts their content into the body. */
export async function bodyOf(session: Session, fields: CheckedFields): Promise<JsonBody> {
	const binaries = fields.files.flatMap(({ parts }) => parts.filter(isBinary));
	// One upload call for all files of the item.
	const sent =
		fields.sendFilesAs === 'url'
			? await uploadFiles(session, binaries)
			: await Promise.all(
					binaries.map(async (file) => await inlineContent(session, file, fields.sendFilesAs)),
				);
	let next = 0;
	const files = fields.files.map(({ name, parts, asList }): [string, unknown] => {
		const list = parts.map((part) => (isBinary(part) ? sent[next++] : part));
		return [name, asList ? list : list[0]];
	});
	const value = Object.fromEntries([...fields.values, ...files]);
	return { text: JSON.stringify(value), value };
}

/** Returns a value that is equal for equal inputs. Files are compared by content. */
export async function identityOf(session: Session, fields: CheckedFields): Promise<unknown> {
	const files = await Promise.all(
		fields.files.map(async ({ parts, ...input }) => ({
			...input,
			parts: await Promise.all(
				parts.map(async (part) => (isBinary(part) ? await contentDigest(session, part) : part)),
			),
		})),
	);
	return [Object.fromEntries(fields.values), files, fields.sendFilesAs];
}

/** Longest name of an input. Every error of its row contains the name. */
const MAX_NAME_CHARS = 200;

function nameOf(row: InputRow, at: number): string {
	const text = typeof row.name === 'string' ? row.name.trim() : '';
	if (text === '') throw badInput(INPUTS.noName, { number: at + 1 });
	if (text.length > MAX_NAME_CHARS)
		throw badInput(INPUTS.longName, { number: at + 1, length: text.length });
	return text;
}

function valueOf(name: string, row: InputRow): unknown {
	switch (row.type) {
		case 'number':
			return readNumber(row.numberValue, `Input '${name}'`);
		case 'boolean':
			return readBoolean(row.booleanValue, `Input '${name}'`);
		case 'json':
			return jsonOf(name, row.jsonValue);
		default:
			return textOf(row.stringValue ?? '', `Input '${name}'`);
	}
}

function textOf(value: unknown, label: string, whenNull: ErrorRow = INPUTS.nullNotText): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (value === undefined || value === null)
		throw badInput(whenNull, { label, value: String(value) });
	throw badInput(INPUTS.objectNotText, {
		label,
		value: Array.isArray(value) ? 'a list' : 'an object',
	});
}

function jsonOf(name: string, raw: unknown): unknown {
	let value = raw;
	try {
		if (typeof raw === 'string') value = JSON.parse(raw) as unknown;
	} catch (error) {
		throw badInput(INPUTS.inputNotJson, { name, why: (error as Error).message });
	}
	if (value === undefined) throw badInput(INPUTS.undefinedNotJson, { name });
	if (isDeeper(value)) throw tooDeepFailure(`Input '${name}'`);
	return value;
}

function fileInput(
	session: Session,
	itemIndex: number,
	name: string,
	row: InputRow,
	slug?: string,
): FileInput {
	const label = `Input '${name}'`;
	const given = row.binaryFields ?? '';
	if (typeof given === 'object') throw badInput(INPUTS.noFieldName, { label });
	const fields = textOf(given, label);
	const parts = binariesOf(session, itemIndex, fields, label);
	const published = findModel(slug ?? '')?.parameters.find((parameter) => parameter.name === name);
	return {
		name,
		parts,
		asList: parts.length > 1 || published?.list === true,
	};
}

/**
 * Returns the binaries of one or more binary fields, whose names are separated by commas in `fields`.
 * @throws SegmindFailure if `fields` names no field, or a field that doesn't exist
 */
export function binariesOf(
	session: Session,
	itemIndex: number,
	fields: string,
	label: string,
): IBinaryData[] {
	const names = fields
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	if (names.length === 0) throw badInput(INPUTS.noFieldName, { label });
	assertFileCount(names.length, label);
	return names.map((name) => binaryOf(session, itemIndex, name, label));
}

/** Returns the binary in a field of an item. @throws SegmindFailure that lists the existing fields, if there is no such field */
export function binaryOf(
	session: Session,
	itemIndex: number,
	field: string,
	label: string,
): IBinaryData {
	const { find, existing } = binaryFieldsOf(session, itemIndex);
	const file = find(field);
	if (file) return file;
	throw badInput(INPUTS.noBinaryField, { label, value: safeTextOf(field), existing });
}

/** At most this many look-ups of binary fields are made for one item: each failed look-up costs an exception. */
const MAX_LOOKUPS = 100;

/** Returns the binary fields of an item. n8n's own look-up also covers binary data inside the JSON (docs/n8n.md N172). */
function binaryFieldsOf({ context, items }: Session, itemIndex: number): BinaryFields {
	const itemBinaries = items[itemIndex]?.binary ?? {};
	const settings: IDataObject = { ...context.getWorkflowSettings?.() };
	let lookups = settings.binaryMode === 'combined' ? MAX_LOOKUPS : 0;
	const names = Object.keys(itemBinaries);
	const existing =
		names.length > 0
			? fill(PARTS.binaryFields, { fields: safeTextOf(names.join(', ')) })
			: PARTS.noBinaryFields;
	const find = (field: string) => {
		if (Object.hasOwn(itemBinaries, field)) return itemBinaries[field];
		if (lookups-- <= 0) return undefined;
		try {
			const file: unknown = context.helpers.assertBinaryData(itemIndex, field);
			return isObject(file) && typeof file.mimeType === 'string'
				? (file as unknown as IBinaryData)
				: undefined;
		} catch {
			return undefined;
		}
	};
	return { find, existing };
}

async function inlineContent(
	{ context }: Session,
	file: IBinaryData,
	sendFilesAs: SendFilesAs,
): Promise<string> {
	const base64 =
		file.id === undefined
			? file.data
			: (
					await context.helpers.binaryToBuffer(await context.helpers.getBinaryStream(file.id))
				).toString('base64');
	return sendFilesAs === 'base64' ? base64 : `data:${mimeOf(file)};base64,${base64}`;
}
