import type { IBinaryData } from 'n8n-workflow';

import { safeTextOf } from '../base/redact';
import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import { mimeOf } from '../media/upload';
import type { Session } from '../run/session';
import { isObject } from '../service/schemas';
import type { Files, InputsByName } from './files';
import { labelOf, type BodyParameter, type BodyParameters } from './bodyParameters';

/** The first part of a file's media type. */
export type FileKind = 'image/' | 'audio/' | 'video/';

/** Which of an item's own files a task sends without a setting by the user. */
export interface OwnFile {
	kind: FileKind;
	/** Whether the task makes no sense without such a file. */
	isNeeded?: boolean;
	/** The task that would send the file. If present, the file is sent only for a required parameter; otherwise a hint names this task. */
	onlyUnder?: string;
}

/** Where the pictures for a language model are: in a field, for a task that needs one, or in an option. */
export type ImagesIn = 'images' | 'options.images';

/** The model that inputs are for. */
export interface TargetModel {
	/** Its slug, which shows its form, the name of its prompt parameter, and which parameters are lists. */
	slug: string;
	/** The item's own file to send if the user provides no file, even if the model requires none. */
	ownFile?: OwnFile;
	/** For a task for language models: the path of the parameter with the pictures. */
	imagesIn?: ImagesIn;
}

/** Returns the parameter for the file that a task needs; undefined if it needs none, or the model has no known one. */
export function neededFileOf({ files }: BodyParameters, own?: OwnFile): string | undefined {
	if (own?.isNeeded !== true) return undefined;
	const isOfKind = ({ name }: BodyParameter) => fileKind(name, own.kind) === own.kind;
	return (files.find(({ required }) => required) ?? files.find(isOfKind))?.name;
}

/**
 * Returns the item's own file, for a file parameter that the user left empty: the one that the model requires or, if it requires none, the first one
 * of the task's kind. Undefined unless the item has exactly one file of that kind and doesn't send it as another parameter. Adds a hint about the
 * file. If the task uses a file and no file is sent at all, adds a hint about the item's own files.
 * @throws SegmindFailure if the task needs a file and none is sent, unless the model has no known parameter for one and the item has no file
 */
export function ownFileOf(
	session: Session,
	itemIndex: number,
	{ slug, ownFile: own }: TargetModel,
	known: BodyParameters,
	inputs: InputsByName,
): [name: string, files: Files] | undefined {
	const sent = [...inputs.values()].flatMap((input) =>
		input && 'parts' in input ? input.parts : [],
	);
	const required = known.files.filter((parameter) => parameter.required);
	const missing = required.filter(({ name }) => !inputs.has(name));
	const kindOf = ({ name }: BodyParameter) => fileKind(name, own?.kind);
	const isFree = sent.length === 0 && !known.files.some(({ name }) => inputs.has(name));
	const optional =
		required.length === 0 && isFree
			? known.files.find((parameter) => kindOf(parameter) === own?.kind)
			: undefined;
	const target = missing.length === 1 ? missing[0] : optional;
	const candidates = target ? filesOfKind(session, itemIndex, kindOf(target)) : [];
	if (target && candidates.length === 1 && !sent.includes(candidates[0][1])) {
		const [[field, file]] = candidates;
		const names = { label: labelOf(known, target.name), field: safeTextOf(field) };
		if (target !== optional || own?.onlyUnder === undefined) {
			session.hints.add(fill(HINTS.fileOfItem, names));
			return [target.name, { parts: [file], asList: target.list === true }];
		}
		session.hints.add(fill(HINTS.fileOfOtherTask, { ...names, task: own.onlyUnder }));
	}
	if (own && own.onlyUnder === undefined && !hasFile(known, inputs))
		checkUnsentFiles(session, itemIndex, own, { slug, known });
	return undefined;
}

/** Whether the user gave a file: as an input for files or, if the model has no known parameter of that name, as a URL or base64 under a name like a file's. */
function hasFile({ byName }: BodyParameters, inputs: InputsByName): boolean {
	return [...inputs].some(([name, input]) => {
		if (input === undefined || 'parts' in input) return input !== undefined;
		const parameter = byName.get(name);
		const takesFile = parameter ? parameter.type === 'file' : FILE_NAME.test(name);
		return takesFile && 'value' in input && isFileValue(input.value);
	});
}

/** The name of an input that takes a file. */
const FILE_NAME = /image|picture|photo|mask|frame|video|audio|voice|speech|sound|file|media/i;

/** A URL or data URL, or base64. */
const FILE_TEXT = /^\s*(?:[a-z][\w+.-]{0,20}:|[\w+/=\r\n-]{200})/i;

function isFileValue(value: unknown): boolean {
	if (typeof value === 'string') return FILE_TEXT.test(value);
	return (Array.isArray(value) || isObject(value)) && Object.values(value).some(isFileValue);
}

function checkUnsentFiles(
	session: Session,
	itemIndex: number,
	{ kind, isNeeded = false }: OwnFile,
	{ slug, known }: { slug: string; known: BodyParameters },
): void {
	const files = filesOfKind(session, itemIndex, kind).map(([name]) => safeTextOf(name));
	const fields = known.files.map(({ name }) => labelOf(known, name));
	const values = {
		item: itemIndex,
		word: FILE_WORDS[kind],
		files: files.join(', '),
		first: files[0],
		why:
			files.length > 1
				? 'none of them was chosen'
				: `the node can't tell which parameter of model '${safeTextOf(slug)}' takes it`,
		fields: fields.length > 0 ? ` (this model has ${fields.join(', ')})` : '',
	};
	if (files.length > 0 && isNeeded) throw badInput(INPUTS.ownFileNotSent, values);
	if (isNeeded && known.files.length > 0) {
		const name = neededFileOf(known, { kind, isNeeded }) ?? known.files[0].name;
		const todo =
			'Enter a URL or the name of a binary field. To send only the prompt, use Any Model: Run.';
		throw badInput(INPUTS.empty, { label: labelOf(known, name), todo });
	}
	if (files.length > 0) session.hints.add(fill(HINTS.ownFileNotSent, values));
	else if (isNeeded) session.hints.add(fill(HINTS.noFile, values));
}

export const FILE_WORDS: Record<FileKind, string> = {
	'image/': 'image',
	'audio/': 'audio file',
	'video/': 'video',
};

export function filesOfKind(session: Session, itemIndex: number, kind: FileKind) {
	return Object.entries(session.items[itemIndex]?.binary ?? {}).filter(
		([, binary]: [string, IBinaryData]) => mimeOf(binary).startsWith(kind),
	);
}

/** Returns the kind of file that a parameter with this name takes; `fallback` if the name doesn't show it. */
function fileKind(name: string, fallback: FileKind = 'image/'): FileKind {
	if (/video/i.test(name)) return 'video/';
	if (/image|mask|frame/i.test(name)) return 'image/';
	return /audio|voice|speech|sound/i.test(name) ? 'audio/' : fallback;
}
