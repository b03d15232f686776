import type { IDataObject } from 'n8n-workflow';

import type { MediaFile } from '../media/download';
import { resultMembers } from '../service/responses';
import { isObject } from '../service/schemas';
import { isEnvelope, readChatResponse, type ChatResponse } from './chatResponse';
import type { FinishedRequest } from './finishedRequest';
import {
	distinctFiles,
	isUrl,
	mediaIn,
	mediaInMembers,
	mediaInNamedOutputs,
	parseOutput,
} from './media';
import { readNamedOutputs } from './namedOutputs';

/** The parts of a result. */
export interface Result extends Pick<ChatResponse, 'isCut' | 'usage'> {
	/** Files with a URL. */
	media: MediaFile[];
	/** The text of a language model, or a transcript. */
	text?: string;
	/** The named outputs of a workflow. */
	outputs?: IDataObject;
	/** The whole result, unless its files, `text` or `outputs` contain all of it. */
	output?: unknown;
}

/**
 * Sorts a result into its parts. Nothing is lost: each value of the result is in one of the parts or in an inline file, unless it describes the
 * request (`resultMembers`) or belongs to the envelope around a language model's text. Pure.
 */
export function readResult(finished: FinishedRequest, isTranscript = false): Result {
	const { body, isWorkflow, marks = new Set<string>() } = finished;
	const own = parseOutput(body.output) ?? undefined;
	const others = resultMembers({ ...body, output: undefined });
	// A v1 response is the provider's own. Older workflows return nothing but their outputs (docs/service.md S158).
	const main = own ?? others;
	const declared = mediaInMembers(others);
	const isMainRead = own !== undefined || declared.length + marks.size === 0;
	const outputs = isWorkflow && isMainRead ? readNamedOutputs(main) : undefined;
	const { texts, usage, isCut } = readChatResponse(isWorkflow ? undefined : main);
	const text =
		texts?.join('') ?? (isTranscript ? (transcriptIn(own) ?? transcriptIn(others)) : undefined);
	// Anybody who influenced a language model's response may have chosen its URLs, so they aren't downloaded.
	const isMainSearched = isMainRead && texts === undefined;
	const media = distinctFiles([
		...declared,
		...(outputs ? mediaInNamedOutputs(outputs.values, finished.isGuess) : []),
		...(isMainSearched && !outputs ? mediaIn(main, finished) : []),
	]);
	const files = new Set([...media.map(({ url }) => url), ...marks]);
	const leftIn = (value: unknown) => leftOf(value, files, new Set(texts ?? [text]));
	const mainLeft = outputs?.isWhole ? undefined : leftIn(main);
	const isMainCovered = mainLeft === undefined || (texts !== undefined && isEnvelope(mainLeft));
	const areOthersCovered = own === undefined || leftIn(others) === undefined;
	const whole = areOthersCovered ? main : { output: own, ...others };
	return {
		media,
		text,
		usage: texts && usage,
		isCut,
		outputs: outputs?.byName,
		output: isMainCovered && areOthersCovered ? undefined : whole,
	};
}

/** Returns the transcript in the result of a request that transcribes (docs/service.md S145). */
function transcriptIn(value: unknown): string | undefined {
	if (typeof value === 'string') return isUrl(value) ? undefined : value;
	if (!isObject(value)) return undefined;
	return [value.text, value.transcript].find((member) => typeof member === 'string');
}

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);

/** Returns a value without the URLs, marks and texts that other parts contain; undefined if nothing is left. */
function leftOf(value: unknown, files: ReadonlySet<string>, texts: ReadonlySet<unknown>): unknown {
	const isFile = (member: unknown) => typeof member === 'string' && files.has(member.trim());
	if (value === null || isFile(value) || texts.has(value)) return undefined;
	if (typeof value !== 'object') return value;
	const describesFile = Object.values(value as object).some(isFile);
	const left = Object.entries(value as object).flatMap(([name, member]) => {
		const kept = describesFile && FILE_DETAILS.has(name) ? undefined : leftOf(member, files, texts);
		return kept === undefined ? [] : [[name, kept] as const];
	});
	if (left.length === 0) return undefined;
	return Array.isArray(value) ? left.map(([, entry]) => entry) : Object.fromEntries(left);
}
