import type { IDataObject } from 'n8n-workflow';

import type { Kind } from '../catalogue/types';
import {
	DELIVERY_OPTIONS,
	MAKING_OPTIONS,
	readOptions,
	type ValuesOf,
} from '../descriptions/options';
import type { Item } from '../run/item';

/** How an item's output leaves the node. It has two parts, because the output is kept between them for retries. */
export interface Presentation {
	readonly making: Making;
	/** Undefined for an agent, which gets each output as it's made. */
	readonly delivery?: Delivery;
}

/** Applied when the output is made of the result. */
export interface Making extends ValuesOf<typeof MAKING_OPTIONS> {
	/** Whether a language model was asked for JSON, so that its answer is also read as JSON. */
	isJson: boolean;
	/** Its first words are in the names of files; '' if there is none. */
	prompt: string;
	/** Time for the downloads of one item, in ms. */
	timeoutMs: number;
}

/** Applied whenever the output leaves the node, so it never needs a call. */
export interface Delivery extends ValuesOf<typeof DELIVERY_OPTIONS> {
	/** Whether the items have the input's files unless the user turns that off. */
	keepsFiles: boolean;
	/** What the model makes by the built-in list or else by the task, so that each process knows the same. */
	makes: Kind | undefined;
}

/** Reads the presentation of an item, before any call. @throws SegmindFailure that names the option */
export function readPresentation(
	{ run, parameters }: Item,
	ofMaking: Omit<Making, keyof typeof MAKING_OPTIONS>,
	ofDelivery: Omit<Delivery, keyof typeof DELIVERY_OPTIONS>,
): Presentation {
	const making = { ...readOptions(parameters, MAKING_OPTIONS), ...ofMaking };
	if (run.isTool) return { making };
	return { making, delivery: { ...readOptions(parameters, DELIVERY_OPTIONS), ...ofDelivery } };
}

/** What made a result. An ID alone doesn't show whether it belongs to a workflow. */
export type Maker = 'model' | 'workflow' | 'unknown';

/** Which output to make: whose result it is, and how to make it. */
export interface OutputSpec {
	itemIndex: number;
	/** Undefined if the response named no ID (v1). */
	requestId: string | undefined;
	maker: Maker;
	/** Part of the item: `{model: slug}`, `{workflow: slug}`, or `{}` if unknown. */
	madeBy: IDataObject;
	/** What the model makes; undefined if that is unknown, and for workflows. */
	makes?: Kind;
	/** Whether the request transcribes a recording, so that a text in its result is the transcript. */
	isTranscript?: boolean;
	making: Making;
}
