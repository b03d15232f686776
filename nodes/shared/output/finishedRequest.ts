import type { IBinaryKeyData, IDataObject } from 'n8n-workflow';

import type { Options } from '../run/options';

/** A finished request, ready to become an item. */
export interface Finished {
	itemIndex: number;
	/** Undefined when the service named none (v1). */
	requestId?: string;
	/** `{model: slug}`, `{workflow: slug}` or nothing. */
	label: IDataObject;
	/** The result as the service gave it, without inline files. */
	body: Record<string, unknown>;
	/** The output of a v1 response that is a text. */
	output?: unknown;
	/** Named outputs are read for workflows only. */
	isWorkflow: boolean;
	/** Only the shape of the output makes it a workflow's: a model may have written it so. */
	isGuess?: boolean;
	fromHistory?: true;
	/** The response to the only call (v1). */
	isInOneCall?: true;
	/** Values of the response headers of a v1 call, under their output names. */
	fromHeaders?: IDataObject;
	/** True for an output that is text, JSON text included: a model may have written every part of it. */
	isTextOutput?: boolean;
	/** Files that came as bytes: they always become binary. */
	files?: IBinaryKeyData;
	/** The texts that replace these files in `body` and `output`. */
	marks?: ReadonlySet<string>;
	/** URLs of these files, if they were uploaded for an agent. */
	fileUrls?: string[];
}

export interface Presentation {
	simplify: boolean;
	/** The request transcribes a recording, so a text in its result is the transcript. */
	isTranscript?: boolean;
	options: Options;
	/** The JSON of the input item, where it travels along: it goes out under `input`. */
	input?: IDataObject;
	/** The prompt, where there is one: files are named after it. */
	prompt?: string;
}

/** The options that decide on files. */
export type FileOptions = Pick<
	Options,
	'downloadOutput' | 'outputField' | 'maxFileBytes' | 'timeoutMs'
>;

/** What files are named after. */
export function nameOf(
	{ label }: Pick<Finished, 'label'>,
	{ prompt }: Pick<Presentation, 'prompt'>,
): string {
	return prompt || String(label.model ?? label.workflow ?? '');
}

/** `data`, `data_1`, `data_2`, … */
export function binaryName(field: string, index: number): string {
	return index === 0 ? field : `${field}_${index}`;
}
