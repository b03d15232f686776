import type { IDataObject } from 'n8n-workflow';

import type { MediaFile } from '../media/download';
import { resultMembers } from '../service/responses';
import { isObject } from '../service/schemas';
import type { FinishedRequest } from './finishedRequest';
import { languageModelText, tokenUsage } from './languageModelText';
import { mediaIn, mediaInNamedOutputs, parseOutput, type UrlEvidence } from './media';
import { readNamedOutputs, type NamedOutputs } from './namedOutputs';

/** The parts of a result. */
export interface Result {
	/** Files with a URL. */
	media: MediaFile[];
	/** The text of a language model, and its token counts. */
	text?: string;
	usage?: Record<string, unknown>;
	/** The named outputs of a workflow. */
	outputs?: IDataObject;
	/** The unchanged output, unless the members above contain all of it. */
	output?: unknown;
	/** All other members of the result. */
	extra?: IDataObject;
}

/**
 * Sorts a result into its parts. Nothing is lost: each value of the result is in one of the parts or in an inline file, unless it describes the
 * request (`resultMembers`) or belongs to the envelope around a language model's text. Pure.
 */
export function readResult(finished: FinishedRequest): Result {
	const { body, isWorkflow, marks = new Set<string>() } = finished;
	const ownOutput = parseOutput(body.output ?? finished.output) ?? undefined;
	const others = resultMembers({ ...body, output: undefined });
	// The body of a v1 response comes from the provider, so it may itself be a language model's response.
	const envelope = ownOutput ?? (finished.isV1Response && body);
	const text = isWorkflow ? undefined : languageModelText(envelope);
	const isEnvelopeOnly = text !== undefined && ownOutput === undefined;
	const isUnrecognized =
		text === undefined &&
		ownOutput === undefined &&
		marks.size === 0 &&
		mediaIn(others, undefined).length === 0;
	const output = isUnrecognized ? others : ownOutput;
	const outputs = isWorkflow ? readNamedOutputs(output) : undefined;
	const media =
		text !== undefined
			? mediaIn(isEnvelopeOnly ? {} : others, envelope, 'languageModel')
			: outputs
				? merge(mediaIn(others, undefined), mediaOfWorkflow(finished, outputs))
				: mediaIn(others, output, evidenceOf(finished));
	const used = new Set([...media.map(({ url }) => url), ...marks]);
	const isOutputCovered =
		text !== undefined || outputs?.isWhole || dropUsed(output, used) === undefined;
	const hasExtra = !isUnrecognized && !isEnvelopeOnly;
	return {
		media,
		text,
		usage: text === undefined ? undefined : tokenUsage(envelope),
		outputs: outputs?.byName,
		output: isOutputCovered ? undefined : output,
		extra: hasExtra ? (dropUsed(others, used) as IDataObject | undefined) : undefined,
	};
}

/** Members of a file's object that only describe the file, so they aren't kept without its URL. */
const FILE_DETAILS = new Set(['content_type', 'file_name', 'file_size', 'mimeType', 'mime_type']);

/** Returns a value without the URLs and texts that other parts contain; undefined if nothing is left. */
function dropUsed(value: unknown, used: ReadonlySet<string>): unknown {
	if (value === null || value === undefined) return undefined;
	if (typeof value === 'string') return used.has(value.trim()) ? undefined : value;
	if (Array.isArray(value)) {
		const left = value.map((entry) => dropUsed(entry, used)).filter((entry) => entry !== undefined);
		return left.length > 0 ? left : undefined;
	}
	if (!isObject(value)) return value;
	const isFile = Object.values(value).some(
		(member) => typeof member === 'string' && used.has(member.trim()),
	);
	const left = Object.entries(value).flatMap(([name, member]) => {
		const kept = isFile && FILE_DETAILS.has(name) ? undefined : dropUsed(member, used);
		return kept === undefined ? [] : [[name, kept] as const];
	});
	return left.length > 0 ? Object.fromEntries(left) : undefined;
}

/** Returns why a URL in the output counts as a file. The request history lists only files; text may come from a model. */
function evidenceOf({ isTextOutput, fromHistory }: FinishedRequest): UrlEvidence {
	if (fromHistory) return 'declared';
	return isTextOutput ? 'extension' : 'members';
}

/** Returns the files of a workflow's named outputs. If the workflow is only a guess, declared types don't count, because a model may have written them. */
function mediaOfWorkflow({ isGuess }: FinishedRequest, { values }: NamedOutputs): MediaFile[] {
	return mediaInNamedOutputs(isGuess ? values.map(({ value }) => ({ value })) : values);
}

function merge(first: MediaFile[], second: MediaFile[]): MediaFile[] {
	const urls = new Set(first.map(({ url }) => url));
	return [...first, ...second.filter(({ url }) => !urls.has(url))];
}
