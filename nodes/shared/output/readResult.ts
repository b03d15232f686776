import type { MediaFile } from '../media/download';
import { membersBesideOutput } from '../service/responses';
import { NO_ENDING, readEnding, type Ending } from './chatResponse';
import { extractInlineFiles, type InlineFile } from './inlineFiles';
import { distinctFiles, mediaInMembers, parseOutput, type UrlEvidence } from './mediaUrls';
import type { Maker } from './presentation';
import { takeFrom, type ReadableResult, type Taken } from './readers';
import { isAnythingLeft, type Held } from './remainder';
import type { Result } from './result';

/** What a result contains. */
export interface Contents {
	/** Files that came as bytes. */
	files: InlineFile[];
	/** Files at URLs. */
	media: MediaFile[];
	/** Fields of the item. `output`: the whole result, unless its files and the other fields contain all of it. */
	fields: Taken['fields'] & { output?: unknown };
	/** How a language model ended its response. */
	ending: Ending;
	/** The result without the bytes of files. If it has none, it's as it arrived: JSON text stays text. */
	shown: Result;
}

/**
 * Reads a result. Nothing is lost: each value of the result is in a field or a file, unless it describes the request (`membersBesideOutput`) or is only the
 * form around what a reader took. Pure.
 */
export function readResult(
	result: Result,
	{ maker, isTranscript }: { maker: Maker; isTranscript: boolean },
): Contents {
	const { body } = result;
	const output = parseOutput(body.output);
	const parsed = output === body.output ? body : { ...body, output };
	const { value, files, marks } = extractInlineFiles(parsed);
	const hasOutput = value.output !== undefined && value.output !== null;
	const members = membersBesideOutput(value);
	const declared = mediaInMembers(members);
	const readable: ReadableResult = {
		main: hasOutput ? value.output : members,
		members,
		isSearched: hasOutput || declared.length + marks.size === 0,
		evidence: evidenceOf(result),
		maker,
		isTranscript,
	};
	const taken = takeFrom(readable);
	const media = distinctFiles([...declared, ...taken.media]);
	const held: Held = {
		files: new Set([...media.map(({ url }) => url), ...marks]),
		texts: new Set(taken.texts),
	};
	return {
		files: [...result.files, ...files],
		media,
		fields: { ...taken.fields, output: restOf(readable, taken, held) },
		ending: maker === 'workflow' ? NO_ENDING : readEnding(readable.main),
		shown: files.length > 0 ? { ...result, body: value } : result,
	};
}

/** The request history lists only files. A model may have written every part of a text, also of JSON in a text. */
function evidenceOf({ from, body }: Result): UrlEvidence {
	if (from === 'history') return 'declared';
	return typeof body.output === 'string' ? 'extension' : 'members';
}

/** Returns the whole result if something of it is left; otherwise undefined. */
function restOf({ main, members }: ReadableResult, { form }: Taken, held: Held): unknown {
	if (main !== members && isAnythingLeft(members, held)) return { output: main, ...members };
	return isAnythingLeft(main, held, form) ? main : undefined;
}
