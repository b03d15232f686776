import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { numberIn } from '../base/text';
import type { Options } from '../run/options';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import { download, type MediaFile } from '../media/download';
import { languageText, languageUsage } from './languageText';
import { fileStem } from '../media/mediaTypes';
import { mediaIn, mediaInOutputs, parsedOutput, type UrlEvidence } from './media';
import { namedOutputs, type NamedOutputs } from './namedOutputs';
import { transcriptIn } from './transcript';

/** A finished request, ready to become an item. */
export interface Finished {
	itemIndex: number;
	/** Undefined when the service named none (v1). */
	requestId?: string;
	/** `{model: slug}`, `{workflow: slug}` or nothing. */
	label: IDataObject;
	/** The result as the service gave it. */
	body: Record<string, unknown>;
	/** The output of an answer that has no member of that name (v1). */
	output?: unknown;
	/** Named outputs are read for workflows only. */
	isWorkflow: boolean;
	/** Only the shape of the output makes it a workflow's: a model may have written it so. */
	isGuess?: boolean;
	fromHistory?: true;
	/** Values of the response headers of a v1 call, under their output names. */
	fromHeaders?: IDataObject;
	/** Files that came as bytes (v1): they always become binary. */
	files?: IBinaryKeyData;
	/** URLs of those files, when they were uploaded for an agent. */
	fileUrls?: string[];
}

export interface Presentation {
	simplify: boolean;
	/** The text of a recording was asked for, so a text in the result is it. */
	isTranscript?: boolean;
	options: Options;
	/** The JSON of the input item, where it travels along: it goes out under `input`. */
	input?: IDataObject;
	/** The prompt, where there is one: files are named after it. */
	prompt?: string;
}

/** The options that decide on files. */
type FileOptions = Pick<Options, 'downloadOutput' | 'outputField' | 'maxFileBytes' | 'timeoutMs'>;

/** What files are named after. */
export function nameOf(
	{ label }: Pick<Finished, 'label'>,
	{ prompt }: Pick<Presentation, 'prompt'>,
): string {
	return prompt || String(label.model ?? label.workflow ?? '');
}

/** The output item of a finished request (CONTRACT.md): its fields, and its media as binary. */
export async function finishedItem(
	session: OutputSession,
	finished: Finished,
	presentation: Omit<Presentation, 'options'> & { options: FileOptions },
): Promise<INodeExecutionData> {
	const { simplify, isTranscript, options, input } = presentation;
	const { body, label, requestId, isWorkflow } = finished;
	const output = parsedOutput('output' in body ? body.output : finished.output);
	const outputs = isWorkflow ? namedOutputs(output) : undefined;
	const transcript = isTranscript ? transcriptIn(output, body) : undefined;
	const text = isWorkflow ? undefined : (transcript?.text ?? languageText(output));
	const media =
		text !== undefined
			? []
			: outputs
				? merged(
						mediaIn({ ...body, output: undefined }, undefined),
						mediaInOutputs(finished.isGuess ? untyped(outputs.values) : outputs.values),
					)
				: mediaIn(body, output === body ? undefined : output, groundOf(finished));
	const urls = [...media.map(({ url }) => url), ...(finished.fileUrls ?? [])];
	const fromHeaders =
		finished.fromHeaders && dropUndefined({ request_id: requestId, ...finished.fromHeaders });
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	const cost = costOf(finished);
	if (cost !== undefined) session.spent += cost;

	const binary: IBinaryKeyData = { ...finished.files };
	if (options.downloadOutput ?? !session.isTool)
		await addDownloads(session, finished, media, nameOf(finished, presentation), options, binary);

	// What was made comes first: n8n's table shows the first members first.
	const simple = dropUndefined({
		url: urls[0],
		urls: urls.length > 1 ? urls : undefined,
		text,
		outputs: outputs?.byName,
		output: transcript
			? transcript.rest
			: text === undefined && !outputs && !isToldBy(new Set(urls), output)
				? output
				: undefined,
		request_id: requestId,
		status: 'COMPLETED',
		...label,
		cost,
		remaining_credits: numberIn(
			finished.fromHeaders?.remaining_credits ?? metrics?.remaining_credits,
		),
		seed: finished.fromHeaders?.seed ?? body.seed ?? undefined,
		usage: text === undefined ? undefined : languageUsage(output),
	});
	const shown = !simplify
		? { ...rawBody(body), ...fromHeaders }
		: session.isTool
			? forAgent(simple)
			: simple;
	const json = input === undefined ? shown : { ...shown, input };
	return Object.keys(binary).length > 0 ? { json, binary } : { json };
}

/** Members of a file that say how it is, not what it is. */
const ABOUT_A_FILE = new Set(['content_type', 'file_name', 'file_size', 'status', 'infer_time']);

/** True when an output is nothing but files whose addresses stand in `urls`. */
function isToldBy(urls: ReadonlySet<string>, output: unknown): boolean {
	if (output === undefined || output === null) return true;
	if (typeof output === 'string') return urls.has(output.trim());
	if (Array.isArray(output))
		return output.length > 0 && output.every((entry) => isToldBy(urls, entry));
	if (!isObject(output)) return false;
	const members = Object.entries(output).filter(([name]) => !ABOUT_A_FILE.has(name));
	return members.length > 0 && members.every(([, value]) => isToldBy(urls, value));
}

/** What the service says a finished request cost, USD. */
export function costOf({
	body,
	fromHeaders,
}: Pick<Finished, 'body' | 'fromHeaders'>): number | undefined {
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	return numberIn(fromHeaders?.cost ?? metrics?.cost ?? body.cost);
}

/** Files of a request that has just ended appear within this time, ms. */
const FRESH_MS = 10_000;

/** Fetches each file in order; one that fails leaves a hint, never a failed item. */
async function addDownloads(
	session: OutputSession,
	finished: Finished,
	media: MediaFile[],
	named: string,
	{ outputField: field, maxFileBytes, timeoutMs }: FileOptions,
	binary: IBinaryKeyData,
): Promise<void> {
	// The files of one item have the time of one time-out together, and appear together.
	const now = session.clock.now();
	const limits = { maxBytes: maxFileBytes, endsAt: now + timeoutMs, freshUntil: now + FRESH_MS };
	const before = Object.keys(binary).length;
	for (const [at, file] of media.entries()) {
		// Each has its place: one that fails leaves it empty.
		const name = binaryName(field, before + at);
		const outcome = await download(
			session,
			file,
			finished.requestId,
			fileStem(named, finished.requestId, before + at),
			limits,
		);
		if ('file' in outcome) binary[name] = outcome.file;
		else
			session.hints.add(
				`Item ${finished.itemIndex}: a file of request ${finished.requestId ?? ''} could not be downloaded (${outcome.reason}). The request is complete and its URL is in the output; files stay available for 7 days.`,
			);
	}
}

function untyped(values: NamedOutputs['values']): NamedOutputs['values'] {
	return values.map(({ value }) => ({ value }));
}

/** What the output says of files: the history names files only; a text may be the model's own, word for word. */
function groundOf({ body, output, fromHistory }: Finished): UrlEvidence {
	if (fromHistory) return 'place';
	return typeof ('output' in body ? body.output : output) === 'string' ? 'ending' : 'members';
}

/** `data`, `data_1`, `data_2`, … */
export function binaryName(field: string, index: number): string {
	return index === 0 ? field : `${field}_${index}`;
}

/** The response as it came; n8n would read a top-level `error` as a failed item (docs/n8n.md N130). */
export function rawBody(body: Record<string, unknown>): IDataObject {
	const { error, ...rest } = body;
	return (
		error === undefined || error === null
			? rest
			: { ...rest, error_message: rest.error_message ?? error }
	) as IDataObject;
}

/** Agents pay for every word: what they need to go on, nothing else. */
function forAgent(simple: IDataObject): IDataObject {
	const { url, urls, text, outputs, output, request_id, status, cost } = simple;
	return dropUndefined({ url, urls, text, outputs, output, request_id, status, cost });
}

function merged(first: MediaFile[], second: MediaFile[]): MediaFile[] {
	const known = new Set(first.map(({ url }) => url));
	return [...first, ...second.filter(({ url }) => !known.has(url))];
}

export function dropUndefined(members: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(members).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
