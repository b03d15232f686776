import type { IBinaryData } from 'n8n-workflow';

import type { FileKind } from '../catalogue/types';
import type { SegmindFailure } from '../base/failure';
import { badInput } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { isOfKind } from '../media/fileContent';
import type { Item } from '../run/item';
import type { InputsByName } from './files';
import { isFormShown, labelOf, type BodyParameter, type BodyParameters } from './bodyParameters';

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
	const takesKind = ({ name }: BodyParameter) => fileKind(name, own.kind) === own.kind;
	return (files.find(({ required }) => required) ?? files.find(takesKind))?.name;
}

/** Which of the item's own files is sent. */
type OwnFileChoice =
	| { is: 'sent'; parameter: BodyParameter; field: string; file: IBinaryData }
	/** Another task would send the file. */
	| { is: 'underOtherTask'; field: string; task: string }
	/** The task sends a file, but the item hasn't exactly one that fits. */
	| { is: 'notFound'; kind: FileKind; isNeeded: boolean }
	/** The user entered a file, or the task sends none. */
	| { is: 'notWanted' };

/**
 * Chooses the item's own file for the only required file parameter that the user left empty or, if the model requires no file and the user entered none,
 * for the first one of the task's kind. The item must have exactly one file of that kind that isn't sent yet. Pure.
 */
export function chooseOwnFile(
	binaries: Item['binaries'],
	own: OwnFile | undefined,
	known: BodyParameters,
	inputs: InputsByName,
): OwnFileChoice {
	const parameter = parameterForOwnFile(own, known, inputs);
	const kind = parameter && fileKind(parameter.name, own?.kind);
	const found = kind && onlyUnsentFile(binaries, kind, inputs);
	if (found) {
		const [field, file] = found;
		const isOptional = parameter.required !== true;
		if (isOptional && own?.onlyUnder !== undefined)
			return { is: 'underOtherTask', field, task: own.onlyUnder };
		return { is: 'sent', parameter, field, file };
	}
	if (!own || own.onlyUnder !== undefined || hasFile(known, inputs)) return { is: 'notWanted' };
	return { is: 'notFound', kind: own.kind, isNeeded: own.isNeeded === true };
}

/** Returns the parameter for the item's own file; undefined if there is none, or several are required. */
function parameterForOwnFile(
	own: OwnFile | undefined,
	known: BodyParameters,
	inputs: InputsByName,
): BodyParameter | undefined {
	const missing = known.files.filter(({ name, required }) => required && !inputs.has(name));
	if (missing.length === 1) return missing[0];
	const isTaken = known.files.some(({ name, required }) => required || inputs.has(name));
	if (isTaken || hasFile(known, inputs)) return undefined;
	return known.files.find(({ name }) => fileKind(name, own?.kind) === own?.kind);
}

/** Returns the item's only file of a kind that isn't among the inputs. */
function onlyUnsentFile(
	binaries: Item['binaries'],
	kind: FileKind,
	inputs: InputsByName,
): [field: string, file: IBinaryData] | undefined {
	const sent = [...inputs.values()].flatMap((input) => (input.kind === 'value' ? [] : input.parts));
	const unsent = filesOfKind(binaries, kind).filter(([, file]) => !sent.includes(file));
	return unsent.length === 1 ? unsent[0] : undefined;
}

/** Adds the hint about the item's own file. @throws SegmindFailure if the task needs a file and none is sent */
export function sayOwnFile(item: Item, known: BodyParameters, choice: OwnFileChoice): void {
	const { report } = item.run;
	switch (choice.is) {
		case 'notWanted':
			return;
		case 'sent':
			report.addHint({ text: ownFileHint(labelOf(known, choice.parameter.name), choice.field) });
			return;
		case 'underOtherTask':
			report.addHint({ text: otherTaskHint(choice.field, choice.task) });
			return;
		case 'notFound':
			sayNotFound(item, known, choice);
	}
}

/** `label`: of the parameter for which the file was sent; `field`: the file's name. */
export function ownFileHint(label: string, field: string): Said {
	return say`${label} was empty, so the item's own file '${field}' was sent.`;
}

export function otherTaskHint(field: string, task: string): Said {
	return say`The item's own file, '${field}', was not sent. To send it, enter '${field}' in a field or option for files, or choose ${task}.`;
}

function sayNotFound(
	item: Item,
	known: BodyParameters,
	{ kind, isNeeded }: { kind: FileKind; isNeeded: boolean },
): void {
	const { run, index, binaries } = item;
	const files = filesOfKind(binaries, kind).map(([name]) => name);
	const values = { word: FILE_WORDS[kind], files: files.join(', ') || 'none' };
	if (isNeeded) {
		const shown = isFormShown(item) ? known.files : [];
		const fields = shown.map(({ name }) => labelOf(known, name));
		throw noFileFailure(values, fields);
	}
	const all = Object.keys(binaries).join(', ');
	if (all === '') return;
	const { word, files: fitting } = values;
	const text = say`none of the item's own files (${all}) was sent: no ${word} was entered, and the node couldn't choose one of the item's own ${word}s (${fitting}). To send a file, enter its name in a field marked "(file)".`;
	run.report.addHint({ item: index, text });
}

/** `files`: the item's own files of the kind; `fields`: the fields for files that the form shows. */
function noFileFailure(
	{ word, files }: { word: string; files: string },
	fields: string[],
): SegmindFailure {
	const where =
		fields.length > 0
			? say`Enter a URL or the name of a binary field in a field marked "(file)": ${fields.join(', ')}.`
			: say`Add the parameter for the file under Options > Additional Parameters, with the type File.`;
	return badInput({
		what: say`No ${word} was entered, and the node couldn't choose one of the item's own ${word}s (${files})`,
		todo: say`${where} To send only the prompt, use Any Model: Run.`,
	});
}

/** Whether the user entered a file: as an input for files, or as a text that can be one, for a parameter that takes a file or, if it's unknown, is named like one. */
function hasFile({ byName }: BodyParameters, inputs: InputsByName): boolean {
	return [...inputs].some(([name, input]) => {
		if (input.kind !== 'value') return input.kind === 'files';
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

export function filesOfKind(
	binaries: Item['binaries'],
	kind: FileKind,
): Array<[field: string, file: IBinaryData]> {
	return Object.entries(binaries).filter(([, file]) => isOfKind(file, kind));
}

/** Returns the kind of file that a parameter with this name takes; `fallback` if the name doesn't show it. */
function fileKind(name: string, fallback: FileKind = 'image/'): FileKind {
	if (/video/i.test(name)) return 'video/';
	if (/image|mask|frame/i.test(name)) return 'image/';
	return /audio|voice|speech|sound/i.test(name) ? 'audio/' : fallback;
}
