import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { findModel } from '../catalogue';
import type { Row as ErrorRow } from '../errors/errorTable';
import { badInput } from '../errors/failures';
import { INPUTS } from '../errors/inputTable';
import { contentDigest } from '../media/contentDigest';
import { mimeOf, uploadFiles } from '../media/upload';
import { readSendFilesAs, type SendFilesAs } from '../run/options';
import type { Session } from '../run/session';
import { isDeeper, isObject } from '../service/schemas';
import { fileOfItem, isBinary, readForm, type ItemFile } from './formValues';
import { assertExpressions, rawIn } from './expressions';
import { tooDeepFailure, type JsonBody } from './json';
import { assertFileCount, type FindBinary, type MediaPart } from './mediaParts';
import { promptInputs, type PromptField } from './prompts';
import { readNumber, readBoolean } from './values';

/** A row of `inputs.values` as n8n gives it. */
type Row = IDataObject;

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
export interface ForModel {
	/** Its slug: for its form, its name of the prompt parameter and its list parameters. */
	slug: string;
	/** The kind of the item's own file to send if the user gives no file, even if the model requires none. */
	file?: ItemFile;
}

/**
 * Checks prompt, form and input rows of an item, and converts each value to its type. `model` is undefined for a workflow, which has only rows.
 * @throws SegmindFailure that names the input, before any call
 */
export function checkFields(session: Session, itemIndex: number, model?: ForModel): CheckedFields {
	const { context } = session;
	const slug = model?.slug;
	const fields: CheckedFields = {
		values: [],
		files: [],
		sendFilesAs: readSendFilesAs(context, itemIndex),
	};
	/** Where each input was given, by name. */
	const given = new Map<string, Place>();
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
			recordPlace(given, sentAs, from);
			if (value !== undefined) fields.values.push([sentAs, value]);
		}
		for (const input of readForm(session, itemIndex, slug, finderOf(session, itemIndex))) {
			recordPlace(given, input.name, 'form');
			if ('parts' in input) fields.files.push(input);
			else fields.values.push([input.name, input.value]);
		}
	}
	const rowsIn = slug === undefined ? 'inputs' : 'options.additionalParameters';
	const rows = context.getNodeParameter(`${rowsIn}.values`, itemIndex, []) as Row[];
	const rawRows = rawIn(context.getNode().parameters, `${rowsIn}.values`);
	for (const [at, row] of rows.entries()) {
		const name = nameOf(row, at);
		recordPlace(given, name, 'row');
		const raw = rawIn(rawRows, `${at}.${row.type === 'json' ? 'jsonValue' : 'stringValue'}`);
		assertExpressions(session, itemIndex, raw, `Input '${name}'`);
		// An agent must fill every parameter it sees, so an empty text means that it leaves this one out.
		if (session.isTool && (row.type ?? 'string') === 'string' && row.stringValue === '') continue;
		if (row.type === 'file') fields.files.push(fileInput(session, itemIndex, name, row, slug));
		else fields.values.push([name, valueOf(name, row)]);
	}
	const file =
		model &&
		fileOfItem(session, itemIndex, model, {
			given: new Set(given.keys()),
			used: new Set(fields.files.flatMap(({ parts }) => parts)),
		});
	if (file) fields.files.push(file);
	return fields;
}

type Place = PromptField | 'form' | 'row';

/** Records where an input is given. @throws SegmindFailure if it is given already */
function recordPlace(given: Map<string, Place>, name: string, place: Place): void {
	const before = given.get(name);
	if (before === undefined) return void given.set(name, place);
	const second = place === 'form' ? 'clear the field in the form' : 'remove the row';
	throw badInput(INPUTS.givenTwice, {
		name,
		todo:
			before === 'Prompt' || before === 'System Prompt'
				? `${before} is already sent as this input. Clear ${before}, or ${second}.`
				: before === 'form'
					? 'It is set both in the form and in a row. Clear the field or remove the row.'
					: 'Remove one of the rows.',
	});
}

/** The body to send; uploads or inlines the files. */
export async function bodyOf(session: Session, fields: CheckedFields): Promise<JsonBody> {
	const binaries = fields.files.flatMap(({ parts }) => parts.filter(isBinary));
	// One upload request for all files of the item.
	const sent =
		fields.sendFilesAs === 'url'
			? await uploadFiles(session, binaries)
			: await Promise.all(
					binaries.map(async (file) => await inlineContent(session, file, fields.sendFilesAs)),
				);
	let used = 0;
	const files = fields.files.map(({ name, parts, asList }): [string, unknown] => {
		const list = parts.map((part) => (isBinary(part) ? sent[used++] : part));
		return [name, asList ? list : list[0]];
	});
	const value = Object.fromEntries([...fields.values, ...files]);
	return { text: JSON.stringify(value), value };
}

/** Equal for equal values and equal file contents. */
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

/** Longest name of a parameter, characters: every error of its row contains the name. */
const MAX_NAME_CHARS = 200;

function nameOf(row: Row, at: number): string {
	const text = typeof row.name === 'string' ? row.name.trim() : '';
	if (text === '') throw badInput(INPUTS.noName, { number: at + 1 });
	if (text.length > MAX_NAME_CHARS)
		throw badInput(INPUTS.longName, { number: at + 1, length: text.length });
	return text;
}

function valueOf(name: string, row: Row): unknown {
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

function textOf(value: unknown, what: string, whenNull: ErrorRow = INPUTS.nullNotText): string {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (value === undefined || value === null)
		throw badInput(whenNull, { label: what, value: String(value) });
	throw badInput(INPUTS.objectNotText, {
		label: what,
		value: Array.isArray(value) ? 'a list' : 'an object',
	});
}

function jsonOf(name: string, given: unknown): unknown {
	let value = given;
	try {
		if (typeof given === 'string') value = JSON.parse(given) as unknown;
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
	row: Row,
	slug?: string,
): FileInput {
	const what = `Input '${name}'`;
	const fields = textOf(row.binaryFields ?? '', what);
	const parts = binariesOf(session, itemIndex, fields, what);
	const known = findModel(slug ?? '')?.parameters.find((parameter) => parameter.name === name);
	return {
		name,
		parts,
		asList: parts.length > 1 || known?.list === true,
	};
}

/**
 * The binaries behind one or more field names, separated by commas. `what` names the parameter.
 * @throws SegmindFailure if no field is named, or one that doesn't exist
 */
export function binariesOf(
	session: Session,
	itemIndex: number,
	fields: string,
	what: string,
): IBinaryData[] {
	const names = fields
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
	if (names.length === 0) throw badInput(INPUTS.noFieldName, { label: what });
	assertFileCount(names.length, what);
	return names.map((name) => binaryOf(session, itemIndex, name, what));
}

/** A binary field of an item. @throws SegmindFailure that lists the existing fields, if there is no such field */
export function binaryOf(
	session: Session,
	itemIndex: number,
	field: string,
	what: string,
): IBinaryData {
	const file = finderOf(session, itemIndex)(field);
	if (file) return file;
	const there = Object.keys(session.items[itemIndex]?.binary ?? {});
	throw badInput(INPUTS.noBinaryField, {
		label: what,
		value: safeTextOf(field),
		todo:
			there.length > 0
				? `The item's binary fields: ${there.join(', ')}.`
				: 'The item has no binary fields. Before this node, add a node that outputs the file.',
	});
}

/** Most binary fields looked up for one item: each failed look-up costs an exception. */
const MAX_LOOKUPS = 100;

/** Returns the function that looks up a binary field of an item. n8n's own look-up also covers binary data inside the JSON (docs/n8n.md N172). */
function finderOf({ context, items }: Session, itemIndex: number): FindBinary {
	const own = items[itemIndex]?.binary ?? {};
	const settings: IDataObject = { ...context.getWorkflowSettings?.() };
	let lookups = settings.binaryMode === 'combined' ? MAX_LOOKUPS : 0;
	return (field) => {
		if (Object.hasOwn(own, field)) return own[field];
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
