import { badInput, wrongState } from '../errors/failures';
import { say } from '../errors/say';
import { withFoundType } from '../media/fileContent';
import type { JsonBody } from '../parameters/json';
import { readSendFilesAs, type SendFilesAs } from '../run/readOptions';
import type { Item } from '../run/item';
import type { InputsByName, NamedInput } from './files';
import { readForm } from './formValues';
import { bodyParameters, type BodyParameters } from './bodyParameters';
import {
	addOwnFileHint,
	chooseOwnFile,
	missingFileFailure,
	neededFileOf,
	type TargetModel,
} from './ownFile';
import { assertPrompt, promptInputs } from './prompts';
import { readInputRows } from './inputRows';

/** The inputs of an item. Files are not read yet. */
export interface InputFields {
	kind: 'fields';
	byName: InputsByName;
	sendFilesAs: SendFilesAs;
}

/** The checked inputs of an item: a whole body, or fields that become one. */
export type Inputs = { kind: 'body'; body: JsonBody } | InputFields;

/** Whether the option Request Body replaces all fields. */
export function replacesFields({ parameters }: Item): boolean {
	return parameters.has('options.requestBody');
}

/**
 * Checks the inputs of an item. `model` is undefined for a workflow.
 * @throws SegmindFailure that names the input, before any call
 */
export async function readInputs(item: Item, model?: TargetModel): Promise<Inputs> {
	if (replacesFields(item))
		return { kind: 'body', body: item.parameters.jsonBody('options.requestBody') };
	const sendFilesAs = readSendFilesAs(item);
	const byName = model
		? await readModelInputs(item, model)
		: inputsByName([], await readInputRows(item, 'inputs'), []);
	return { kind: 'fields', byName, sendFilesAs };
}

/** Returns an item whose own files have the types that they really have. */
async function withFoundTypes(item: Item): Promise<Item> {
	const fields = Object.entries(item.binaries).map(
		async ([name, file]) => [name, await withFoundType(item.run, file)] as const,
	);
	return { ...item, binaries: Object.fromEntries(await Promise.all(fields)) };
}

/** Reads the inputs of a model: prompt, form, rows and, if the user entered no file, the item's own. */
async function readModelInputs(plainItem: Item, model: TargetModel): Promise<InputsByName> {
	const known = bodyParameters(plainItem, model.slug);
	const mayTakeFile = known.files.length > 0 || model.ownFile || model.imagesIn === 'images';
	const item = mayTakeFile ? await withFoundTypes(plainItem) : plainItem;
	const fromPrompt = await promptInputs(item, model, known);
	const neededFile = neededFileOf(known, model.ownFile);
	const fromForm = await readForm(item, known, neededFile);
	assertOwnForm(item, model, known, fromForm);
	const path = 'options.additionalParameters';
	const fromRows = await readInputRows(item, path, known, neededFile);
	const promptNames = [known.promptName, 'messages'];
	const inputs = inputsByName(fromPrompt, [...fromForm, ...fromRows], promptNames);
	assertPrompt(item, model.slug, known, inputs);
	const choice = chooseOwnFile(item.binaries, model.ownFile, known, inputs);
	if (choice.kind === 'missing') throw missingFileFailure(item, model.slug, known, choice.fileKind);
	addOwnFileHint(item, known, choice);
	if (choice.kind !== 'sent') return inputs;
	const { name, list = false } = choice.parameter;
	return new Map([...inputs, [name, { kind: 'files', parts: [choice.file], asList: list }]]);
}

/** @throws SegmindFailure if the form belongs to another model and has something to send */
function assertOwnForm(
	{ parameters }: Item,
	{ slug }: TargetModel,
	{ otherModel }: BodyParameters,
	fromForm: NamedInput[],
): void {
	if (otherModel === undefined || fromForm.length === 0) return;
	throw badInput({
		what: say`The fields under ${parameters.label('parameters')} belong to the model '${otherModel}', not to '${slug}'`,
		todo: say`In the node, choose Refresh Parameter List in the menu beside Parameters, and fill in the fields of the chosen model.`,
	});
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
			throw wrongState(`Input '${name}'`, 'given twice', once);
		}
		taken.add(name);
		inputs.set(name, input);
	}
	return inputs;
}
