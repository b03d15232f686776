import type { IBinaryData } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { isFieldName } from '../base/clean';
import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { fieldLabel } from '../catalogue/labels';
import { hasFormValue, readStoredForm, type WireType } from '../catalogue/form';
import { parseDecimal } from '../catalogue/listedParameters';
import { knownParameters } from '../catalogue/modelList';
import { findModel, type CatalogueParameter } from '../catalogue';
import { INPUTS } from '../errors/inputTable';
import { mimeOf } from '../media/upload';
import type { Session } from '../run/session';
import { isDeeper, isObject, parseJson } from '../service/schemas';
import { assertExpressions } from './expressions';
import { tooDeepFailure } from './json';
import { mediaParts, type BinaryFields, type MediaPart } from './mediaParts';

/** A value of the form: what is sent, or files to upload first. */
type FormValue = { name: string; value: unknown } | FormFiles;

interface FormFiles {
	name: string;
	parts: MediaPart[];
	asList: boolean;
}

/**
 * Reads the values of the form `parameters` of an item, converted to the model's types. A value that can't be converted is sent unchanged. Empty and null
 * values are left out, so an untouched form sends nothing.
 *
 * Values are read one by one: if n8n reads `parameters.value` as a whole, it validates it against the stored schema, which may be outdated.
 * @throws SegmindFailure that names the parameter, before any call, for an invalid file
 */
export function readForm(
	session: Session,
	itemIndex: number,
	slug: string,
	binaries: BinaryFields,
): FormValue[] {
	const parameters: unknown = session.context.getNode().parameters.parameters;
	const raw = isObject(parameters) && isObject(parameters.value) ? parameters.value : {};
	const names = Object.keys(raw).filter((name) => hasFormValue(raw[name]));
	if (names.length === 0) return [];
	const stored = readStoredForm(parameters);
	const known = knownParameters(slug, session.client.urls.endpointAdminUrl);
	return names.flatMap((name): FormValue[] => {
		if (!isFieldName(name)) throw notInFormFailure(name);
		assertExpressions(session, itemIndex, raw[name], `Parameter '${name}'`);
		const value: unknown = session.context.getNodeParameter(
			`parameters.value["${name}"]`,
			itemIndex,
			'',
		);
		const storedType = stored.slug === slug ? stored.wireTypes.get(name) : undefined;
		const wireType = storedType ?? wireTypeIn(known, name);
		if (!hasFormValue(value)) {
			if (wireType?.type === 'file')
				session.hints.add(
					fill(HINTS.emptyFile, { item: itemIndex, name: fileLabel(name, wireType) }),
				);
			return [];
		}
		if (isDeeper(value)) throw tooDeepFailure(`Parameter '${name}'`);
		if (wireType?.type !== 'file') {
			const converted = convert(value, wireType);
			return hasFormValue(converted) ? [{ name, value: converted }] : [];
		}
		const parts = mediaParts(name, value, wireType.list, binaries);
		if (parts.length === 0) return [];
		return [{ name, parts, asList: wireType.list || Array.isArray(value) || parts.length > 1 }];
	});
}

function fileLabel(name: string, { list }: Pick<WireType, 'list'>): string {
	return fieldLabel({ name, type: 'file', list: list || undefined });
}

/** The first part of a file's media type. */
export type FileKind = 'image/' | 'audio/' | 'video/';

/** Which of an item's own files a task sends without a setting by the user. */
export interface ItemFile {
	kind: FileKind;
	/** The task that would send the file. If present, the file is sent only for a required parameter; otherwise a hint names this task. */
	onlyUnder?: string;
}

/**
 * Returns the item's own file, for a file parameter that the user left empty: the one that the model requires or, if it requires none, the first one
 * of the kind in `taskFile`. Undefined unless the item has exactly one file of that kind and doesn't send it as another parameter. Adds a hint about the
 * file.
 */
export function fileOfItem(
	session: Session,
	itemIndex: number,
	{ slug, file: taskFile }: { slug: string; file?: ItemFile },
	{ given, used }: { given: ReadonlySet<string>; used: ReadonlySet<unknown> },
): FormFiles | undefined {
	const files = fileParameters(session, slug);
	const missing = files.filter(({ name, required }) => required && !given.has(name));
	const kindOf = (name: string) => fileKind(name, taskFile?.kind);
	const isForOptional =
		taskFile !== undefined &&
		used.size === 0 &&
		!files.some(({ name, required }) => required || given.has(name));
	const [target] = isForOptional
		? files.filter(({ name }) => kindOf(name) === taskFile.kind)
		: missing;
	if (target === undefined || missing.length > 1) return undefined;
	const { name, list } = target;
	const matchingFiles = Object.entries(session.items[itemIndex]?.binary ?? {}).filter(
		([, binary]) => mimeOf(binary).startsWith(kindOf(name)),
	);
	if (matchingFiles.length !== 1 || used.has(matchingFiles[0][1])) return undefined;
	const [[field, file]] = matchingFiles;
	if (isForOptional && taskFile.onlyUnder !== undefined) {
		session.hints.add(
			fill(HINTS.fileOfOtherTask, { field: safeTextOf(field), task: taskFile.onlyUnder }),
		);
		return undefined;
	}
	session.hints.add(
		fill(HINTS.fileOfItem, { name: fileLabel(name, target), field: safeTextOf(field) }),
	);
	return { name, parts: [file], asList: list };
}

/** Returns the model's file parameters: from the form stored in the workflow or, if that is another model's, from the built-in list. */
function fileParameters(
	session: Session,
	slug: string,
): Array<{ name: string; list: boolean; required: boolean }> {
	const {
		slug: storedFor,
		wireTypes,
		fields,
	} = readStoredForm(session.context.getNode().parameters.parameters);
	if (storedFor !== slug)
		return (findModel(slug)?.parameters ?? [])
			.filter(({ type }) => type === 'file')
			.map(({ name, list, required }) => ({
				name,
				list: list === true,
				required: required === true,
			}));
	return fields.flatMap(({ id: name, required }) => {
		const { type, list = false } = wireTypes.get(name) ?? {};
		return type === 'file' ? [{ name, list, required }] : [];
	});
}

/** Returns the kind of file that a parameter with this name takes; `fallback` if the name doesn't show it. */
function fileKind(name: string, fallback: FileKind = 'image/'): FileKind {
	if (/video/i.test(name)) return 'video/';
	if (/image|mask|frame/i.test(name)) return 'image/';
	return /audio|voice|speech|sound/i.test(name) ? 'audio/' : fallback;
}

function notInFormFailure(name: string) {
	return badInput(INPUTS.notInForm, { name: safeTextOf(name) });
}

function wireTypeIn(known: readonly CatalogueParameter[], name: string): WireType | undefined {
	const published = known.find((parameter) => parameter.name === name);
	return published && { type: published.type, list: published.list === true };
}

/** Returns the value in the type to send; unchanged if it can't be converted without loss. */
export function convert(value: unknown, wireType: WireType | undefined): unknown {
	if (wireType === undefined) return value;
	const { type, list } = wireType;
	if (type === 'string' && !list)
		return typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
	if (typeof value !== 'string') return value;
	const text = value.trim();
	if (text === '') return undefined;
	if (list) return listOf(text) ?? value;
	if (type === 'number') return numberOf(text) ?? value;
	if (type === 'boolean') return booleanOf(text) ?? value;
	const parsed = parseJson(text);
	return parsed === undefined ? value : parsed;
}

function listOf(text: string): unknown[] | undefined {
	const parsed = parseJson(text);
	return Array.isArray(parsed) ? parsed : undefined;
}

/** Reads a number. Undefined for an integer that JSON numbers can't represent exactly, so that it stays text. */
function numberOf(text: string): number | undefined {
	const number = parseDecimal(text);
	return number === undefined ||
		(Math.abs(number) > Number.MAX_SAFE_INTEGER && /^[+-]?\d+$/.test(text))
		? undefined
		: number;
}

function booleanOf(text: string): boolean | undefined {
	const word = text.toLowerCase();
	return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** Whether a part is a binary of the item, which is uploaded first. */
export function isBinary(part: MediaPart): part is IBinaryData {
	return typeof part !== 'string';
}
