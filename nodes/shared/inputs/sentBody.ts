/** What is sent of an item's inputs, once its files are read: the body, and what shows that two are equal. */
import type { IBinaryData } from 'n8n-workflow';

import { assertAreFiles, mimeOf } from '../media/fileContent';
import { contentOf, readPictures } from '../media/pictures';
import { contentDigest, uploadFiles } from '../media/uploadFiles';
import { jsonBodyOf, type JsonBody } from '../parameters/json';
import type { Run } from '../run/run';
import { messagesOf } from './conversation';
import { isBinary, type Input } from './files';
import type { InputFields, Inputs } from './readInputs';

/** Makes the body to send. Called at the last moment, because it may upload files or put their content into the body. */
export async function makeBody(run: Run, inputs: Inputs): Promise<JsonBody> {
	if (inputs.kind === 'body') return inputs.body;
	const texts = await textsOfFiles(run, inputs);
	const members: Array<[string, unknown]> = [];
	for (const [name, input] of inputs.byName)
		members.push([name, await valueToSend(run, input, texts)]);
	return jsonBodyOf(Object.fromEntries(members));
}

/** The text to send for each binary file: its hosted URL or its content. */
type TextsOfFiles = ReadonlyMap<IBinaryData, string>;

async function textsOfFiles(run: Run, { byName, sendFilesAs }: InputFields): Promise<TextsOfFiles> {
	const files = [...byName.values()].flatMap((input) =>
		input.kind === 'files' ? input.parts.filter(isBinary) : [],
	);
	// All files of an item are uploaded in one call.
	const texts =
		sendFilesAs === 'url'
			? await uploadFiles(run, files)
			: await encodeFiles(run, files, sendFilesAs);
	return new Map(files.map((file, at) => [file, texts[at]]));
}

/** Returns the content of files in base64 or as data URLs. */
async function encodeFiles(
	run: Run,
	files: IBinaryData[],
	form: 'base64' | 'dataUrl',
): Promise<string[]> {
	await assertAreFiles(run, files);
	return await Promise.all(
		files.map(async (file) => {
			const base64 = (await contentOf(run, file)).toString('base64');
			return form === 'base64' ? base64 : `data:${mimeOf(file)};base64,${base64}`;
		}),
	);
}

async function valueToSend(run: Run, input: Input, texts: TextsOfFiles): Promise<unknown> {
	switch (input.kind) {
		case 'value':
			return input.value;
		case 'files': {
			const list = input.parts.map((part) => (isBinary(part) ? texts.get(part) : part));
			return input.asList ? list : list[0];
		}
		case 'conversation':
			return messagesOf(input.family, input.conversation, await readPictures(run, input.parts));
	}
}

/** Returns a value that is equal for equal requests. Binary files are compared by content, and URLs as they were written. */
export async function identityOfInputs(run: Run, inputs: Inputs): Promise<unknown> {
	if (inputs.kind === 'body') return [inputs.body.value, []];
	const members = [...inputs.byName].map(
		async ([name, input]) => [name, await identityOfInput(run, input)] as const,
	);
	return [Object.fromEntries(await Promise.all(members)), inputs.sendFilesAs];
}

async function identityOfInput(run: Run, input: Input): Promise<unknown> {
	if (input.kind === 'value') return input.value;
	const parts = await Promise.all(
		input.parts.map(async (part) => (isBinary(part) ? await contentDigest(run, part) : part)),
	);
	if (input.kind === 'conversation') return [input.conversation, parts];
	return input.asList ? parts : parts[0];
}
