import type { IBinaryData } from 'n8n-workflow';

import type { Task } from '../catalogue/tasks';
import type { FileKind } from '../catalogue/types';
import type { SegmindFailure } from '../base/failure';
import { badInput } from '../errors/failures';
import { say, type Said } from '../errors/say';
import { isOfKind } from '../media/fileContent';
import type { Item } from '../run/item';
import { isBinary, type InputsByName } from './files';
import {
	fileKindOf,
	isFormShown,
	labelOf,
	type BodyParameter,
	type BodyParameters,
} from './bodyParameters';

/**
 * Returns inputs and, if the user entered no file, the item's own: for the only required file parameter that was left empty or, if the model requires no
 * file, for the first one of the task's kind. The item must have exactly one file of that kind that isn't sent yet.
 * @throws SegmindFailure if the task needs a file, and none was entered or found
 */
export function withOwnFile(
	item: Item,
	task: Task | undefined,
	known: BodyParameters,
	inputs: InputsByName,
): InputsByName {
	const { run, index, binaries } = item;
	const parameter = parameterForOwnFile(task?.uses, known, inputs);
	const fileKind = parameter && fileKindOf(parameter.name, task?.uses);
	const own = fileKind && onlyFileOfKind(binaries, fileKind, binariesIn(inputs));
	if (own) {
		const { name, list = false } = parameter;
		const [field, file] = own;
		const text = say`${labelOf(known, name)} was empty, so the item's own file '${field}' was used.`;
		run.events.addHint({ text });
		return new Map([...inputs, [name, { kind: 'files', parts: [file], asList: list }]]);
	}
	if (!task?.uses || hasFile(known, inputs)) return inputs;
	if (task.needsFile) throw missingFileFailure(item, known, task.uses);
	const fields = Object.keys(binaries);
	if (fields.length > 0) {
		const text = say`none of the item's own files (${fields}) is sent: no ${enteredNone(binaries, task.uses)}. To send a file, enter its name in a field marked "(file)".`;
		run.events.addHint({ item: index, text });
	}
	return inputs;
}

/** Returns the parameter for the item's own file; undefined if there is none, or several are required. */
function parameterForOwnFile(
	wantedKind: FileKind | undefined,
	known: BodyParameters,
	inputs: InputsByName,
): BodyParameter | undefined {
	const missing = known.files.filter(({ name, required }) => required && !inputs.has(name));
	if (missing.length === 1) return missing[0];
	const isTaken = known.files.some(({ name, required }) => required || inputs.has(name));
	if (isTaken || hasFile(known, inputs)) return undefined;
	return known.files.find(({ name }) => fileKindOf(name, wantedKind) === wantedKind);
}

function binariesIn(inputs: InputsByName): IBinaryData[] {
	return [...inputs.values()].flatMap((input) =>
		input.kind === 'value' ? [] : input.parts.filter(isBinary),
	);
}

/** Returns the item's only file of a kind, apart from the files that are sent already; undefined if there is none, or several. Pure. */
export function onlyFileOfKind(
	binaries: Item['binaries'],
	fileKind: FileKind,
	sent: readonly IBinaryData[] = [],
): [field: string, file: IBinaryData] | undefined {
	const unsent = filesOfKind(binaries, fileKind).filter(
		([, file]) => !sent.some((other) => isSameFile(file, other)),
	);
	return unsent.length === 1 ? unsent[0] : undefined;
}

/** Whether two binary objects are one file: n8n makes a new object for an expression such as {{ $binary.data }}. */
function isSameFile(one: IBinaryData, other: IBinaryData): boolean {
	return one.id === undefined ? one.data === other.data : one.id === other.id;
}

const ADD_FILE_ROW = say`add its parameter under Options > Additional Parameters (type File)`;

/** Returns the error for a task that needs a file of a kind, if the user entered none and the item hasn't exactly one. */
function missingFileFailure(item: Item, known: BodyParameters, fileKind: FileKind): SegmindFailure {
	const word = FILE_WORDS[fileKind];
	if (known.byName.size > 0 && known.files.length === 0)
		return badInput(
			say`Model '${known.slug}' takes no ${word}`,
			say`Choose a model from the list of this task or, if the model takes one, ${ADD_FILE_ROW}.`,
		);
	const isShown = isFormShown(item) && known.files.length > 0;
	const labels = known.files.map(({ name }) => (isShown ? labelOf(known, name) : name));
	const source = item.run.isTool
		? say`URL in ${labels}`
		: say`URL or the name of a binary field in a field marked "(file)"`;
	const next = isShown ? say`Enter a ${source}.` : say`To enter a file, ${ADD_FILE_ROW}.`;
	const required = labels.filter((_label, at) => known.files[at].required);
	const what =
		required.length > 1
			? say`Model '${known.slug}' needs these files: ${required}`
			: say`No ${enteredNone(item.binaries, fileKind)}`;
	return badInput(what, next);
}

/** Says, after "no", that the user entered no file of a kind, and what the item has. */
function enteredNone(binaries: Item['binaries'], fileKind: FileKind): Said {
	const word = FILE_WORDS[fileKind];
	const files = filesOfKind(binaries, fileKind).map(([name]) => name);
	if (files.length === 0) return say`${word} was entered, and the item has none`;
	return say`${word} was entered, and the node can't choose one of the item's own (${files})`;
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
	fileKind: FileKind,
): Array<[field: string, file: IBinaryData]> {
	return Object.entries(binaries).filter(([, file]) => isOfKind(file, fileKind));
}
