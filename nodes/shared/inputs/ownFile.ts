import type { IBinaryData } from 'n8n-workflow';

import { badInput, fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { INPUTS } from '../errors/inputTable';
import { mimeOf } from '../media/upload';
import type { Session } from '../run/session';
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
 * Returns the item's own file for the only required file parameter that the user left empty or, if the model requires no file and the user entered none, for
 * the first one of the task's kind. Undefined unless the item has exactly one file of that kind that isn't sent yet. Adds a hint about the file. If a task
 * that uses a file sends none, adds a hint about the item's own files.
 * @throws SegmindFailure if the task needs a file and none is sent
 */
export function ownFileOf(
	session: Session,
	itemIndex: number,
	own: OwnFile | undefined,
	known: BodyParameters,
	inputs: InputsByName,
): [name: string, files: Files] | undefined {
	const kindOf = ({ name }: BodyParameter) => fileKind(name, own?.kind);
	const isEntered = hasFile(known, inputs);
	const sent = [...inputs.values()].flatMap((input) => ('parts' in input ? input.parts : []));
	const missing = known.files.filter(({ name, required }) => required && !inputs.has(name));
	const isOpen =
		!isEntered && !known.files.some(({ name, required }) => required || inputs.has(name));
	const optional = isOpen && known.files.find((parameter) => kindOf(parameter) === own?.kind);
	const target = missing.length === 1 ? missing[0] : optional;
	const candidates = target
		? filesOfKind(session, itemIndex, kindOf(target)).filter(([, file]) => !sent.includes(file))
		: [];
	if (target && candidates.length === 1) {
		const [[field, file]] = candidates;
		const names = { label: labelOf(known, target.name), field };
		if (target !== optional || own?.onlyUnder === undefined) {
			session.hints.add(fill(HINTS.fileOfItem, names));
			return [target.name, { parts: [file], asList: target.list === true }];
		}
		session.hints.add(fill(HINTS.fileOfOtherTask, { ...names, task: own.onlyUnder }));
	}
	if (isEntered || !own || own.onlyUnder !== undefined) return undefined;
	const files = filesOfKind(session, itemIndex, own.kind).map(([name]) => name);
	const fields = known.files.map(({ name }) => labelOf(known, name)).join(', ');
	const values = {
		item: itemIndex,
		word: FILE_WORDS[own.kind],
		files: files.join(', ') || 'none',
		fields: fields && ` (this model has ${fields})`,
	};
	if (own.isNeeded) throw badInput(INPUTS.noFile, values);
	if (files.length > 0) session.hints.add(fill(HINTS.ownFileNotSent, values));
	return undefined;
}

/** Whether the user entered a file: as an input for files, or as a text that can be one, for a parameter that takes a file or, if it's unknown, is named like one. */
function hasFile({ byName }: BodyParameters, inputs: InputsByName): boolean {
	return [...inputs].some(([name, input]) => {
		if (!('value' in input)) return 'asList' in input;
		const parameter = byName.get(name);
		const takesFile = parameter ? parameter.type === 'file' : FILE_PARAMETER.test(name);
		return takesFile && FILE_TEXT.test(JSON.stringify(input.value));
	});
}

/** The name of a parameter that takes a file. */
const FILE_PARAMETER =
	/image|img|picture|photo|mask|frame|video|audio|voice|speech|sound|file|media|input|source/i;

/** JSON with a URL, a data URL or base64 as a text. A quote that is part of a text is escaped. */
const FILE_TEXT = /(?<!\\)"(?:\s|\\[nrt])*(?:[a-z][\w+.-]{0,20}:(?!\s)|[\w+/=\\-]{200})/i;

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
