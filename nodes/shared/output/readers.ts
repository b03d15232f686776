/** Reads what a request made: one reader for each shape. Pure. */
import type { IDataObject } from 'n8n-workflow';

import type { MediaFile } from '../media/download';
import { isObject } from '../service/schemas';
import { readChatResponse } from './chatResponse';
import { isUrl, mediaIn, mediaInNamedOutputs, type UrlEvidence } from './mediaUrls';
import { readNamedOutputs, type NamedOutputs } from './namedOutputs';
import type { Maker } from './presentation';
import { withoutCallDetails } from '../service/otherValues';

/** A result as its readers see it: JSON text is parsed, and marks stand for files that came as bytes. */
export interface ReadableResult {
	/** What was made: the member `output`, or all members if there is none. A v1 response is the provider's own, for example. */
	main: unknown;
	/** The members beside `output`, or all of them. */
	members: Record<string, unknown>;
	/** Whether files may have any name in `main`. If the members are `main`, and some are files by their names, the others aren't. */
	isSearched: boolean;
	/** Why a URL in `main` counts as a file. */
	evidence: UrlEvidence;
	maker: Maker;
	isTranscript: boolean;
}

/** What a reader took. */
export interface Taken {
	/** Files at URLs. */
	media: MediaFile[];
	/** Fields of the item. */
	fields: { text?: string; outputs?: IDataObject; usage?: Record<string, unknown> };
	/** The texts that `fields` contain. */
	texts: string[];
	/** The part of `main` that the item must have; undefined if all of it was taken. */
	rest: unknown;
}

type Reader = (result: ReadableResult) => Taken | undefined;

const READERS: readonly Reader[] = [takeNamedOutputs, takeChat, takeTranscript];

/** Returns what the first reader takes whose shape the result has. A result of any other shape has only files. */
export function takeFrom(result: ReadableResult): Taken {
	for (const take of READERS) {
		const taken = take(result);
		if (taken) return taken;
	}
	return takeFiles(result);
}

/** Takes the named outputs of a workflow. */
function takeNamedOutputs(result: ReadableResult): Taken | undefined {
	const named = namedOutputsIn(result);
	if (!named) return undefined;
	// If the workflow is only a guess, a model may have written the declared types.
	const areTypesTrusted = result.maker === 'workflow';
	return {
		media: result.evidence === 'none' ? [] : mediaInNamedOutputs(named.values, areTypesTrusted),
		fields: { outputs: named.byName },
		texts: [],
		rest: named.isWhole ? undefined : result.main,
	};
}

/** Without knowing what made the result, only a list that is nothing but named outputs shows a workflow. */
function namedOutputsIn({ main, isSearched, maker }: ReadableResult): NamedOutputs | undefined {
	if (!isSearched || maker === 'model') return undefined;
	if (maker === 'workflow') return readNamedOutputs(main);
	if (!Array.isArray(main) || main.length === 0) return undefined;
	const named = readNamedOutputs(main);
	return named?.isWhole ? named : undefined;
}

/** Takes the text of a language model. It takes no files: anybody who influenced the text may have chosen the URLs in the response. */
function takeChat({ main, maker }: ReadableResult): Taken | undefined {
	if (maker === 'workflow') return undefined;
	const chat = readChatResponse(main);
	if (!chat) return undefined;
	const { texts, usage } = chat;
	return {
		media: [],
		fields: { text: texts.join(''), usage },
		texts,
		rest: withoutCallDetails(main),
	};
}

/** Takes the transcript of a recording (docs/service.md S145), and the files. */
function takeTranscript(result: ReadableResult): Taken | undefined {
	if (!result.isTranscript) return undefined;
	const text = transcriptIn(result.main) ?? transcriptIn(result.members);
	if (text === undefined) return undefined;
	return { ...takeFiles(result), fields: { text }, texts: [text] };
}

function transcriptIn(value: unknown): string | undefined {
	if (typeof value === 'string') return isUrl(value) ? undefined : value;
	if (!isObject(value)) return undefined;
	return [value.text, value.transcript].find((member) => typeof member === 'string');
}

/** Takes the files. A text without a known shape is left: it's the item's `output`. */
function takeFiles({ main, isSearched, evidence }: ReadableResult): Taken {
	const media = isSearched ? mediaIn(main, evidence) : [];
	return { media, fields: {}, texts: [], rest: main };
}
