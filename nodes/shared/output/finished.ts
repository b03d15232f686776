import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { numberIn } from '../base/text';
import type { Options } from '../run/options';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import { download, type MediaFile } from '../media/download';
import { languageText, languageUsage } from './languageText';
import { mediaIn, mediaInOutputs, parsedOutput, type UrlEvidence } from './media';
import { namedOutputs, type NamedOutputs } from './namedOutputs';

/** A finished request, ready to become an item. */
export interface Finished {
	itemIndex: number;
	requestId: string;
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
	options: Options;
}

/** The output item of a finished request (CONTRACT.md): its fields, and its media as binary. */
export async function finishedItem(
	session: OutputSession,
	finished: Finished,
	{ simplify, options }: Presentation,
): Promise<INodeExecutionData> {
	const { body, label, requestId, isWorkflow } = finished;
	const output = parsedOutput('output' in body ? body.output : finished.output);
	const outputs = isWorkflow ? namedOutputs(output) : undefined;
	const text = isWorkflow ? undefined : languageText(output);
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
		finished.fromHeaders &&
		dropUndefined({ request_id: requestId || undefined, ...finished.fromHeaders });
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	const cost = costOf(finished);
	if (cost !== undefined) session.spent += cost;

	const binary: IBinaryKeyData = { ...finished.files };
	if (options.downloadOutput ?? !session.isTool)
		await addDownloads(session, finished, media, options, binary);

	const isLanguage = text !== undefined;
	// What was made comes first: n8n's table shows the first members first.
	const simple = dropUndefined({
		text,
		usage: isLanguage ? languageUsage(output) : undefined,
		outputs: outputs?.byName,
		urls: isLanguage && urls.length === 0 ? undefined : urls,
		output: isLanguage ? undefined : output,
		request_id: requestId || undefined,
		status: 'COMPLETED',
		...label,
		metrics,
		timings: body.timings,
		cost,
		remaining_credits: numberIn(
			finished.fromHeaders?.remaining_credits ?? metrics?.remaining_credits,
		),
		seed: finished.fromHeaders?.seed ?? body.seed ?? undefined,
		generation_time: finished.fromHeaders?.generation_time,
		from_history: finished.fromHistory,
	});
	const json =
		session.isTool && simplify
			? forAgent(simple)
			: simplify
				? simple
				: { ...rawBody(body), ...fromHeaders };
	return Object.keys(binary).length > 0 ? { json, binary } : { json };
}

/** What the service says a finished request cost, USD. */
export function costOf({
	body,
	fromHeaders,
}: Pick<Finished, 'body' | 'fromHeaders'>): number | undefined {
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	return numberIn(fromHeaders?.cost ?? metrics?.cost ?? body.cost);
}

/** Fetches each file in order; one that fails leaves a hint, never a failed item. */
async function addDownloads(
	session: OutputSession,
	finished: Finished,
	media: MediaFile[],
	{ outputField: field, maxFileBytes, timeoutMs }: Options,
	binary: IBinaryKeyData,
): Promise<void> {
	// The files of one item have the time of one time-out together, ms since the epoch.
	const limits = { maxBytes: maxFileBytes, endsAt: session.clock.now() + timeoutMs };
	for (const file of media) {
		const name = binaryName(field, Object.keys(binary).length);
		const outcome = await download(
			session,
			file,
			finished.requestId,
			`segmind-${finished.requestId || 'output'}-${name}`,
			limits,
		);
		if ('file' in outcome) binary[name] = outcome.file;
		else
			session.hints.add(
				`Item ${finished.itemIndex}: a file of request ${finished.requestId} could not be downloaded (${outcome.reason}). The request is complete and its URL is in the output; files stay available for 7 days.`,
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
	const { request_id, status, text, outputs, cost, output } = simple;
	const urls = simple.urls as string[] | undefined;
	const some = urls !== undefined && urls.length > 0 ? urls : undefined;
	const hasAnswer = [text, outputs, some].some((answer) => answer !== undefined);
	return dropUndefined({
		text,
		outputs,
		urls: some,
		output: hasAnswer ? undefined : output,
		request_id,
		status,
		cost,
	});
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
