import type { IDataObject } from 'n8n-workflow';

import type { Kind } from '../catalogue/types';

/** How to present a result. */
export interface Presentation extends PresentationParameters {
	/** What the model makes; undefined if that is unknown, and for workflows. */
	makes: Kind | undefined;
	/** Whether the request transcribes a recording, so that a text in its result is the transcript. */
	isTranscript: boolean;
}

/** What the parameters of an item say about it. */
export interface PresentationParameters {
	simplify: boolean;
	/** Whether a language model was asked for JSON, so that its answer is also read as JSON. */
	isJson: boolean;
	/** Its first words are in the names of files; '' if there is none. */
	prompt: string;
	/** Whether files at URLs become binary data. Files that came as bytes always do. */
	downloadsFiles: boolean;
	/** The binary field of the first file. */
	outputField: string;
	/** Time for the downloads of one item, in ms. */
	timeoutMs: number;
}

/** What made a result. An ID alone doesn't show whether it belongs to a workflow. */
export type Maker = 'model' | 'workflow' | 'unknown';

/** Which output to make: whose result it is, and how to present it. */
export interface OutputSpec {
	itemIndex: number;
	/** Undefined if the response named no ID (v1). */
	requestId: string | undefined;
	maker: Maker;
	/** Part of the item: `{model: slug}`, `{workflow: slug}`, or `{}` if unknown. */
	madeBy: IDataObject;
	presentation: Presentation;
}
