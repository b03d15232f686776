import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { Options } from '../run/options';

/** A finished request, ready to become an item. */
export interface FinishedRequest {
	itemIndex: number;
	/** Undefined if the response contains no ID (v1). */
	requestId?: string;
	/** What made the result: `{model: slug}`, `{workflow: slug}`, or `{}` if unknown. */
	madeBy: IDataObject;
	/** The service's result, without inline files. */
	body: Record<string, unknown>;
	/** Named outputs are read for workflows only. */
	isWorkflow: boolean;
	/** Whether only the shape of the output suggests a workflow. A model may have written an output of this shape. */
	isGuess?: boolean;
	fromHistory?: true;
	/** Values of the response headers of a v1 call, under their output names. */
	headerFields?: IDataObject;
	/** Whether the output is text, possibly JSON. A model may have written every part of it. */
	isTextOutput?: boolean;
	/** Files that came as bytes. They always become binary data. */
	files?: IBinaryKeyData;
	/** The strings that replace `files` in `body`. */
	marks?: ReadonlySet<string>;
	/** URLs of `files`, if they were uploaded for an agent. */
	fileUrls?: string[];
}

export interface Presentation {
	simplify: boolean;
	/** Whether the request transcribes a recording, so that a text in its result is the transcript. */
	isTranscript?: boolean;
	/** Whether a language model was asked for JSON, so that its answer is also read as JSON. */
	isJson?: boolean;
	options: Options;
	/** The prompt, if there is one: files are named after it. */
	prompt?: string;
}

/** What an item and its files depend on. */
export interface ItemPresentation extends Omit<Presentation, 'options'> {
	options: Pick<Options, 'downloadOutput' | 'outputField' | 'timeoutMs'>;
}

/** Returns the name of a file without its extension, after the prompt or, without one, after the slug. */
export function fileStemOf(
	{ madeBy, requestId }: Pick<FinishedRequest, 'madeBy' | 'requestId'>,
	{ prompt }: Pick<Presentation, 'prompt'>,
	index: number,
): string {
	return fileStem(prompt || String(madeBy.model ?? madeBy.workflow ?? ''), requestId, index);
}

/** Longest part of a generated file name that comes from the prompt. */
const MAX_STEM_CHARS = 40;

/**
 * Returns the name of a generated file without extension: the first words of the prompt and a part of the request ID, such as
 * `lighthouse-at-dusk-83ac1f`. It has only letters, digits, dots and hyphens, so it's safe anywhere.
 */
export function fileStem(text: string, requestId: string | undefined, index: number): string {
	const words =
		text
			.slice(0, 500)
			.toLowerCase()
			.match(/[\p{L}\p{N}.]+/gu) ?? [];
	let stem = '';
	for (const word of words.map((one) => one.replace(/^\.+|\.+$/g, '')).filter(Boolean)) {
		if (stem !== '' && stem.length + word.length >= MAX_STEM_CHARS) break;
		// A long word isn't cut within a character.
		stem += `${stem === '' ? '' : '-'}${Array.from(word).slice(0, MAX_STEM_CHARS).join('')}`;
	}
	const id = (requestId ?? '').replace(/[^A-Za-z0-9]/g, '').slice(0, 6);
	return [stem || 'output', id, index === 0 ? '' : String(index)].filter(Boolean).join('-');
}

/** Returns the binary field of a file: `data`, `data_1`, `data_2`, … */
export function binaryName(field: string, index: number): string {
	return index === 0 ? field : `${field}_${index}`;
}
