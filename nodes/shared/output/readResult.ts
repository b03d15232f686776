import type { Kind } from '../catalogue/types';
import type { MediaFile } from '../media/download';
import { membersBesideOutput } from '../service/responses';
import { NO_ENDING, readEnding, type Ending } from './chatResponse';
import { extractInlineFiles, type InlineFile } from './inlineFiles';
import {
	distinctFiles,
	isUrl,
	lastFrameIn,
	mediaInMembers,
	onlyUrlsIn,
	parseOutput,
	type UrlEvidence,
} from './mediaUrls';
import type { Maker, OutputSpec } from './presentation';
import { takeFrom, type ReadableResult, type Taken } from './readers';
import { hasOtherValues, withoutCallDetails, type KnownValues } from '../service/otherValues';
import type { Result } from './result';

/** What a result contains. */
export interface Contents {
	/** Files that came as bytes. */
	files: InlineFile[];
	/** Files at URLs. */
	media: MediaFile[];
	/** Fields of the item. `output`: the whole result, unless its files and the other fields contain all of it. `data`: the JSON in the text, if it was asked for. */
	fields: Taken['fields'] & { last_frame_url?: string; output?: unknown; data?: object };
	/** How a language model ended its response. */
	ending: Ending;
	/** The result without the bytes of files. If it has none, it's as it arrived: JSON text stays text. */
	shown: Result;
}

/**
 * Reads a result. Nothing is lost: each value of the result is in a field or a file, unless it describes the request (`membersBesideOutput`) or the call
 * (`withoutCallDetails`). Pure.
 */
export function readResult(
	result: Result,
	{ maker, makes, isTranscript = false }: Pick<OutputSpec, 'maker' | 'makes' | 'isTranscript'>,
): Contents {
	const { body } = result;
	const makesFiles = makes !== undefined && !writesWords(makes);
	const json = parseOutput(body.output);
	const urls = makesFiles ? onlyUrlsIn(json) : undefined;
	const output = urls ?? json;
	const parsed = output === body.output ? body : { ...body, output };
	const { value, files, marks } = extractInlineFiles(parsed, makesFiles);
	const hasOutput = value.output !== undefined && value.output !== null;
	const members = membersBesideOutput(value);
	const evidence = urls ? 'declared' : evidenceOf(result, maker, makes);
	// The service writes the members of its responses, but not those of a text.
	const declared = result.isText && evidence === 'none' ? [] : mediaInMembers(members);
	const readable: ReadableResult = {
		main: hasOutput ? value.output : members,
		members,
		isSearched: hasOutput || declared.length + marks.size === 0,
		evidence,
		maker,
		isTranscript,
	};
	const taken = takeFrom(readable);
	const media = distinctFiles([...declared, ...taken.media]);
	const known: KnownValues = {
		files: new Set([...media.map(({ url }) => url), ...marks]),
		texts: new Set(taken.texts),
	};
	return {
		files: [...result.files, ...files],
		media,
		fields: {
			...taken.fields,
			last_frame_url: lastFrameIn(value, media),
			output: otherOutput(readable, taken, known),
		},
		ending: maker === 'workflow' ? NO_ENDING : readEnding(readable.main),
		shown: files.length > 0 ? { ...result, body: value } : result,
	};
}

/** Whether the result of a model of this kind is a text, without files. */
export function writesWords(makes: Kind | undefined): boolean {
	return makes === 'text' || makes === 'transcript';
}

/**
 * Decides which URLs in what a request made are files. n8n's server downloads files, and a URL in a model's words may come from anybody who influenced
 * the prompt. `makes` is undefined for a workflow, and for a model that isn't known: it may be a language model.
 */
function evidenceOf(
	{ from, body, isText = false }: Result,
	maker: Maker,
	makes: Kind | undefined,
): UrlEvidence {
	// The request history lists only files.
	if (from === 'history') return 'declared';
	if (writesWords(makes)) return 'none';
	const isUnknown = maker !== 'workflow' && makes === undefined;
	if (typeof body.output !== 'string') return isUnknown && isText ? 'none' : 'members';
	return isUnknown && !isUrl(body.output) ? 'none' : 'extension';
}

/** Returns the whole result if the item doesn't have all of it yet; otherwise undefined. Members beside `output` may describe the call. */
function otherOutput(
	{ main, members, isTranscript }: ReadableResult,
	{ rest }: Taken,
	known: KnownValues,
): unknown {
	const hasMessage = known.texts.size > 0 && !isTranscript;
	const areNumbersKept = known.files.size === 0 && !hasMessage;
	const beside = main === members ? undefined : withoutCallDetails(members, areNumbersKept);
	if (hasOtherValues(beside, known)) return { output: main, ...members };
	return hasOtherValues(rest, known) ? main : undefined;
}
