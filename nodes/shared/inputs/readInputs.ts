import type { IBinaryData, IDataObject } from 'n8n-workflow';

import { wrongInput, wrongState } from '../errors/failures';
import { contentDigest, mimeOf, uploadFiles } from '../media/upload';
import { contentOf, readPictures, type Picture } from '../media/pictures';
import { readSendFilesAs, type SendFilesAs } from '../run/options';
import type { Session } from '../run/session';
import { isDeeper } from '../service/schemas';
import { assertExpressions, rawParameter } from './expressions';
import { readAdditions, type Additions } from './additions';
import { isBinary, readFileField, type Files, type Input, type InputsByName } from './files';
import { readForm } from './formValues';
import { parseJsonBody, readJson, tooDeepFailure, type JsonBody } from './json';
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
export function readInputs(session: Session, itemIndex: number, model?: TargetModel): Inputs {
	const options = session.context.getNodeParameter('options', itemIndex, {}) as IDataObject;
	if (!Object.hasOwn(options, 'requestBody')) return readFields(session, itemIndex, model);
	const label = "Option 'Request Body'";
	assertExpressions(session, itemIndex, label, rawParameter(session, 'options.requestBody'));
	return { body: parseJsonBody(options.requestBody, label) };
}

/** Checks prompt, form and input rows of an item, and converts each value to its type. */
function readFields(session: Session, itemIndex: number, model?: TargetModel): Fields {
	const inputs = new Map<string, Input | undefined>();
	/** Where the user gave each input. */
	const places = new Map<string, string>();
	const add = (name: string, place: string, input?: Input) => {
		const earlier = places.get(name);
		if (earlier !== undefined)
			throw wrongState(`Input '${name}'`, `given twice (${earlier}, ${place})`, 'given once');
		if (isDeeper(input)) throw tooDeepFailure(`Input '${name}'`);
		places.set(name, place);
		inputs.set(name, input);
	};
	const known = model && bodyParameters(session, model.slug);
	if (known) {
		assertExpressions(session, itemIndex, 'Prompt', rawParameter(session, 'prompt'));
		assertExpressions(session, itemIndex, 'System Prompt', rawParameter(session, 'systemPrompt'));
		const additions: Partial<Additions> = model.imagesIn
			? readAdditions(session, itemIndex, model.imagesIn)
			: {};
		const prompts = promptInputs(session, itemIndex, model.slug, known, additions);
		for (const { sentAs, from, input } of prompts) add(sentAs, from, input);
		if (additions.format) add('response_format', 'Output Format', { value: additions.format });
		const neededFile = neededFileOf(known, model.ownFile);
		for (const [name, input] of readForm(session, itemIndex, known, neededFile))
			add(name, 'the form', input);
	}
	const rowsIn = model ? 'options.additionalParameters.values' : 'inputs.values';
	for (const [name, row] of readRows(session, itemIndex, rowsIn)) {
		// An agent must fill every parameter it sees, so an empty string means that it leaves this one out.
		const isLeftOut =
			session.isTool && (row.type ?? 'string') === 'string' && row.stringValue === '';
		add(name, 'a row', isLeftOut ? undefined : inputOf(session, itemIndex, name, row, known));
	}
	if (known) {
		assertPrompt(model.slug, known, inputs);
		const own = ownFileOf(session, itemIndex, model, known, inputs);
		if (own) inputs.set(...own);
	}
	return { inputs, sendFilesAs: readSendFilesAs(session.context, itemIndex) };
}

/** Returns the members to send. `read` returns a text for each file of the item, all in one call, because they are uploaded in one call. */
async function membersOf(
	{ inputs }: Fields,
	read: (files: IBinaryData[]) => Promise<string[]>,
	readPictureParts: (parts: Files['parts']) => Promise<Picture[]>,
): Promise<Record<string, unknown>> {
	const files = [...inputs.values()].flatMap((input) =>
		input && 'parts' in input ? input.parts : [],
	);
	const texts = await read(files.filter(isBinary));
	const members: Array<[string, unknown]> = [];
	for (const [name, input] of inputs) {
		if (input === undefined) continue;
		if ('value' in input) members.push([name, input.value]);
		else if ('pictures' in input)
			members.push([name, input.valueWith(await readPictureParts(input.pictures))]);
		else {
			const list = input.parts.map((part) => (isBinary(part) ? texts.shift() : part));
			members.push([name, input.asList ? list : list[0]]);
		}
	}
	return Object.fromEntries(members);
}

/** Makes the body to send. Called at the last moment, because it may upload files or put their content into the body. */
export async function makeBody(session: Session, inputs: Inputs): Promise<JsonBody> {
	if ('body' in inputs) return inputs.body;
	const { sendFilesAs } = inputs;
	const read = async (files: IBinaryData[]) =>
		sendFilesAs === 'url'
			? await uploadFiles(session, files)
			: await Promise.all(
					files.map(async (file) => {
						const base64 = (await contentOf(session, file)).toString('base64');
						return sendFilesAs === 'base64' ? base64 : `data:${mimeOf(file)};base64,${base64}`;
					}),
				);
	const readParts = async (parts: Files['parts']) => await readPictures(session, parts);
	const value = await membersOf(inputs, read, readParts);
	return { text: JSON.stringify(value), value };
}

/** Returns a value that is equal for equal requests. Binary files are compared by content, and URLs as they were written. */
export async function identityOfInputs(session: Session, inputs: Inputs): Promise<unknown> {
	if ('body' in inputs) return [inputs.body.value, []];
	const read = async (parts: Files['parts']) =>
		await Promise.all(
			parts.map(async (part) => (isBinary(part) ? await contentDigest(session, part) : part)),
		);
	const readParts = async (parts: Files['parts']) =>
		(await read(parts)).map((data) => ({ mimeType: '', data }));
	return [await membersOf(inputs, read, readParts), inputs.sendFilesAs];
}

/** Longest name of an input. Every error of its row contains the name. */
const MAX_NAME_CHARS = 200;

/** Reads the rows at a path, with the name of each. @throws SegmindFailure for a wrong name or expression */
function readRows(
	session: Session,
	itemIndex: number,
	path: string,
): Array<[name: string, row: IDataObject]> {
	const rows = session.context.getNodeParameter(path, itemIndex, []) as IDataObject[];
	return rows.map((row, at) => {
		const name = typeof row.name === 'string' ? row.name.trim() : '';
		const label = name === '' ? `Input ${at + 1}` : `Input '${name.slice(0, MAX_NAME_CHARS)}'`;
		assertExpressions(session, itemIndex, label, rawParameter(session, `${path}.${at}`));
		if (name === '' || name.length > MAX_NAME_CHARS)
			throw wrongInput(
				`The name of input ${at + 1}`,
				name,
				`1 to ${MAX_NAME_CHARS} characters long`,
			);
		return [name, row];
	});
}

function inputOf(
	session: Session,
	itemIndex: number,
	name: string,
	row: IDataObject,
	known: BodyParameters | undefined,
): Input {
	const label = `Input '${name}'`;
	if (row.type === 'number') return { value: readNumber(row.numberValue, label) };
	if (row.type === 'boolean') return { value: readBoolean(row.booleanValue, label) };
	if (row.type === 'json') return { value: readJson(row.jsonValue, label) };
	if (row.type !== 'file')
		return { value: readPlainText(row.stringValue ?? '', label, 'text, or have the type JSON') };
	const isList = known?.byName.get(name)?.list === true;
	const files = readFileField(session, itemIndex, label, row.binaryFields ?? '', isList);
	if (files.parts.length === 0)
		throw wrongInput(label, '', 'the name of a binary field, usually data');
	return files;
}
