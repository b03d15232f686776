import { readOption, REQUEST_OPTIONS } from '../descriptions/options';
import { wrongState } from '../errors/failures';
import { quoted } from '../errors/say';
import { withFoundType } from '../media/fileContent';
import type { JsonBody } from '../parameters/json';
import type { Item } from '../run/item';
import { bodyParameters, type TargetModel } from './bodyParameters';
import type { InputsByName, NamedInput } from './files';
import { readForm } from './formValues';
import { readInputRows } from './inputRows';
import { withOwnFile } from './ownFile';
import { assertPrompt, promptInputs } from './prompts';

/** The inputs of an item. Files are not read yet. */
export interface InputFields {
	kind: 'fields';
	byName: InputsByName;
	/** The text of the field Prompt, for the names of files; '' if there is none. */
	prompt: string;
	sendFilesAs: 'url' | 'dataUrl' | 'base64';
}

/** The checked inputs of an item: the option Request Body, which replaces all fields, or fields that become a body. */
export type Inputs = { kind: 'body'; body: JsonBody } | InputFields;

/** Checks the inputs of an item. `model` is undefined for a workflow. @throws SegmindFailure that names the input, before any call */
export async function readInputs(item: Item, model?: TargetModel): Promise<Inputs> {
	const { parameters } = item;
	const body = readOption(parameters, REQUEST_OPTIONS.requestBody);
	if (body) return { kind: 'body', body };
	const sendFilesAs = readOption(parameters, REQUEST_OPTIONS.sendFilesAs);
	if (model) return { kind: 'fields', ...(await readModelInputs(item, model)), sendFilesAs };
	const byName = inputsByName([], await readInputRows(item, 'inputs'), []);
	return { kind: 'fields', byName, prompt: '', sendFilesAs };
}

/** Returns an item whose own files have the types that they really have. */
async function withFoundTypes(item: Item): Promise<Item> {
	const fields = Object.entries(item.binaries).map(
		async ([name, file]) => [name, await withFoundType(item.run, file)] as const,
	);
	return { ...item, binaries: Object.fromEntries(await Promise.all(fields)) };
}

/** Reads the inputs of a model: prompt, form, rows and, if the user entered no file, the item's own. */
async function readModelInputs(
	plainItem: Item,
	model: TargetModel,
): Promise<Pick<InputFields, 'byName' | 'prompt'>> {
	const { task } = model;
	const known = bodyParameters(plainItem, model);
	const mayTakeFile = known.files.length > 0 || task?.uses || task?.question;
	const item = mayTakeFile ? await withFoundTypes(plainItem) : plainItem;
	const { prompt, inputs: fromPrompt } = await promptInputs(item, task, known);
	const fromForm = await readForm(item, known);
	const path = 'options.additionalParameters';
	const fromRows = await readInputRows(item, path, known);
	const promptNames = [known.promptName, 'messages'];
	const inputs = inputsByName(fromPrompt, [...fromForm, ...fromRows], promptNames);
	assertPrompt(item, known, inputs);
	return { byName: withOwnFile(item, task, known, inputs), prompt };
}

/** Returns inputs by name. A prompt has one of `promptNames`, and excludes the others. @throws SegmindFailure for an input that is given twice */
function inputsByName(
	fromPrompt: NamedInput[],
	others: NamedInput[],
	promptNames: string[],
): InputsByName {
	const inputs = new Map(fromPrompt);
	const hasPrompt = promptNames.some((name) => inputs.has(name));
	const taken = new Set([...inputs.keys(), ...(hasPrompt ? promptNames : [])]);
	for (const [name, input] of others) {
		if (taken.has(name)) {
			const once = "given once: by the task's own fields, such as Prompt, by the form or by a row";
			throw wrongState(`Input ${quoted(name)}`, 'given twice', once);
		}
		taken.add(name);
		inputs.set(name, input);
	}
	return inputs;
}
