import type { IDataObject } from 'n8n-workflow';

import { wrongInput, wrongState } from '../errors/failures';
import { contentDigest, mimeOf, uploadFiles } from '../media/upload';
import { contentOf, readPictures } from '../media/pictures';
import { readSendFilesAs, type SendFilesAs } from '../run/options';
import type { Item } from '../run/item';
import type { Session } from '../run/session';
import { messagesOf } from './conversation';
import { assertExpressions, rawParameter } from './expressions';
import { isBinary, readFileField, type Input, type InputsByName, type NamedInput } from './files';
import { readForm } from './formValues';
import { parseJsonBody, readJson, type JsonBody } from './json';
import { bodyParameters, type BodyParameters } from './bodyParameters';
import { neededFileOf, ownFileOf, type TargetModel } from './ownFile';
import { assertPrompt, promptInputs } from './prompts';
import { readBoolean, readNumber, readPlainText } from './values';

/** The inputs of an item. Files are not read yet. */
interface Fields {
	inputs: InputsByName;
	sendFilesAs: SendFilesAs;
}

/** The checked inputs of an item: a whole body, or fields that become one. */
export type Inputs = { body: JsonBody } | Fields;

/**
 * Checks the inputs of an item. `model` is undefined for a workflow.
 * @throws SegmindFailure that names the input, before any call
 */
export function readInputs(item: Item, model?: TargetModel): Inputs {
	const { session, index: itemIndex } = item;
	const options = session.context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	if (!Object.hasOwn(options, 'requestBody')) return readFields(item, model);
	const label = "Option 'Request Body'";
	assertExpressions(item, label, rawParameter(session, 'options.requestBody'));
	return { body: parseJsonBody(options.requestBody, label) };
}

/** Checks prompt, form and input rows of an item, and converts each value to its type. */
function readFields(item: Item, model?: TargetModel): Fields {
	const { session } = item;
	const inputs = new Map<string, Input>();
	const taken = new Set<string>();
	const add = ([name, input]: NamedInput) => {
		if (taken.has(name))
			throw wrongState(
				`Input '${name}'`,
				'given twice',
				"given once: by the task's own fields, such as Prompt, by the form or by a row",
			);
		taken.add(name);
		inputs.set(name, input);
	};
	const known = model && bodyParameters(session, model.slug);
	if (known) {
		promptInputs(item, model, known).forEach(add);
		// A prompt has one of two forms, and excludes the other.
		if (inputs.has(known.promptName) || inputs.has('messages'))
			taken.add(known.promptName).add('messages');
		readForm(item, known, neededFileOf(known, model.ownFile)).forEach(add);
	}
	const rowsIn = model ? 'options.additionalParameters.values' : 'inputs.values';
	readRows(item, rowsIn, known).forEach(add);
	if (known) {
		assertPrompt(model.slug, known, inputs);
		const own = ownFileOf(item, model.ownFile, known, inputs);
		if (own) inputs.set(...own);
	}
	return { inputs, sendFilesAs: readSendFilesAs(item) };
}

/** Makes the body to send. Called at the last moment, because it may upload files or put their content into the body. */
export async function makeBody(session: Session, inputs: Inputs): Promise<JsonBody> {
	if ('body' in inputs) return inputs.body;
	const { sendFilesAs } = inputs;
	const files = [...inputs.inputs.values()].flatMap((input) =>
		'asList' in input ? input.parts.filter(isBinary) : [],
	);
	// All files of an item are uploaded in one call.
	const texts =
		sendFilesAs === 'url'
			? await uploadFiles(session, files)
			: await Promise.all(
					files.map(async (file) => {
						const base64 = (await contentOf(session, file)).toString('base64');
						return sendFilesAs === 'base64' ? base64 : `data:${mimeOf(file)};base64,${base64}`;
					}),
				);
	const members: Array<[string, unknown]> = [];
	for (const [name, input] of inputs.inputs) {
		if ('value' in input) members.push([name, input.value]);
		else if ('asList' in input) {
			const list = input.parts.map((part) => (isBinary(part) ? texts.shift() : part));
			members.push([name, input.asList ? list : list[0]]);
		} else {
			const pictures = await readPictures(session, input.parts);
			members.push([name, messagesOf(input.family, input.conversation, pictures)]);
		}
	}
	const value = Object.fromEntries(members);
	return { text: JSON.stringify(value), value };
}

/** Returns a value that is equal for equal requests. Binary files are compared by content, and URLs as they were written. */
export async function identityOfInputs(session: Session, inputs: Inputs): Promise<unknown> {
	if ('body' in inputs) return [inputs.body.value, []];
	const members = [...inputs.inputs].map(async ([name, input]) => {
		if ('value' in input) return [name, input.value];
		const parts = await Promise.all(
			input.parts.map(async (part) => (isBinary(part) ? await contentDigest(session, part) : part)),
		);
		if ('conversation' in input) return [name, [input.conversation, parts]];
		return [name, input.asList ? parts : parts[0]];
	});
	return [Object.fromEntries(await Promise.all(members)), inputs.sendFilesAs];
}

/** Reads the input rows at a path. @throws SegmindFailure for a row without a name, or with a wrong value or expression */
function readRows(item: Item, path: string, known: BodyParameters | undefined): NamedInput[] {
	const { session, index: itemIndex } = item;
	const rows = session.context.getNodeParameter(path, itemIndex, []) as IDataObject[];
	return rows.flatMap((row, at): NamedInput[] => {
		const name = typeof row.name === 'string' ? row.name.trim() : '';
		const label = name === '' ? `Input ${at + 1}` : `Input '${name}'`;
		assertExpressions(item, label, rawParameter(session, `${path}.${at}`));
		if (name === '') throw wrongInput(`The name of input ${at + 1}`, name, "a parameter's name");
		const { type = 'string', stringValue = '' } = row;
		// An agent must fill every parameter it sees, so an empty string means that it leaves this one out.
		if (session.isTool && type === 'string' && stringValue === '') return [];
		if (type !== 'file') return [[name, { value: valueOf(row, label) }]];
		const isList = known?.byName.get(name)?.list === true;
		const files = readFileField(item, label, row.binaryFields ?? '', isList);
		if (files.parts.length === 0)
			throw wrongInput(label, '', 'the name of a binary field, usually data');
		return [[name, files]];
	});
}

function valueOf(row: IDataObject, label: string): unknown {
	if (row.type === 'number') return readNumber(row.numberValue, label);
	if (row.type === 'boolean') return readBoolean(row.booleanValue, label);
	if (row.type === 'json') return readJson(row.jsonValue, label);
	return readPlainText(row.stringValue ?? '', label, 'text, or have the type JSON');
}
