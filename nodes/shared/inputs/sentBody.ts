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

/** What a body is made for: `show` has the names of files in place of their hosted URLs and contents, so that nothing is uploaded. */
type Purpose = 'send' | 'show';

/** Makes the body to send. Called at the last moment, because it may upload files or put their content into the body. */
export async function makeBody(run: Run, inputs: Inputs, purpose: Purpose): Promise<JsonBody> {
	if (inputs.kind === 'body') return inputs.body;
	const texts = await textsOfFiles(run, inputs, purpose);
	const members: Array<[string, unknown]> = [];
	for (const [name, input] of inputs.byName)
		members.push([name, await valueOf(run, input, texts, purpose)]);
	return jsonBodyOf(Object.fromEntries(members));
}

/** The text for each binary file: its hosted URL, its content or its name. */
type TextsOfFiles = ReadonlyMap<IBinaryData, string>;

async function textsOfFiles(
	run: Run,
	{ byName, sendFilesAs }: InputFields,
	purpose: Purpose,
): Promise<TextsOfFiles> {
	const files = [...byName.values()].flatMap((input) =>
		input.kind === 'files' ? input.parts.filter(isBinary) : [],
	);
	// All files of an item are uploaded in one call.
	const form = purpose === 'show' ? 'name' : sendFilesAs;
	const texts =
		form === 'url' ? await uploadFiles(run, files) : await encodeFiles(run, files, form);
	return new Map(files.map((file, at) => [file, texts[at]]));
}

/** Returns the content of files in base64 or as data URLs, or only their names. */
async function encodeFiles(
	run: Run,
	files: IBinaryData[],
	form: 'base64' | 'dataUrl' | 'name',
): Promise<string[]> {
	await assertAreFiles(run, files);
	if (form === 'name') return files.map(nameOf);
	return await Promise.all(
		files.map(async (file) => {
			const base64 = (await contentOf(run, file)).toString('base64');
			return form === 'base64' ? base64 : `data:${mimeOf(file)};base64,${base64}`;
		}),
	);
}

/** Returns the name of a file, or its type if it has none; a URL unchanged. */
function nameOf(part: string | IBinaryData): string {
	return isBinary(part) ? part.fileName || mimeOf(part) : part;
}

async function valueOf(
	run: Run,
	input: Input,
	texts: TextsOfFiles,
	purpose: Purpose,
): Promise<unknown> {
	switch (input.kind) {
		case 'value':
			return input.value;
		case 'files': {
			const list = input.parts.map((part) => (isBinary(part) ? texts.get(part) : part));
			return input.asList ? list : list[0];
		}
		case 'conversation': {
			const pictures = await readPictures(run, input.parts);
			const named = pictures.map((picture, at) => ({ ...picture, data: nameOf(input.parts[at]) }));
			return messagesOf(input.family, input.conversation, purpose === 'show' ? named : pictures);
		}
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
