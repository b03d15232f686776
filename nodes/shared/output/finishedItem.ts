import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import { download, type MediaFile } from '../media/download';
import { fileStem } from '../media/mediaTypes';
import {
	binaryName,
	stemTextOf,
	type FileOptions,
	type FinishedRequest,
	type Presentation,
} from './finishedRequest';
import { jsonAnswer } from './jsonAnswer';
import { readResult } from './result';
import { withTranscript } from './transcript';

/** Makes the output item of a finished request (CONTRACT.md): its fields, and its files as binary data. */
export async function finishedItem(
	session: OutputSession,
	finished: FinishedRequest,
	presentation: Omit<Presentation, 'options'> & { options: FileOptions },
): Promise<INodeExecutionData> {
	const { simplify, isTranscript, options, input } = presentation;
	const { body, madeBy, requestId } = finished;
	const result = isTranscript ? withTranscript(readResult(finished)) : readResult(finished);
	const urls = [...result.media.map(({ url }) => url), ...(finished.fileUrls ?? [])];
	const headerFields =
		finished.headerFields && dropUndefined({ request_id: requestId, ...finished.headerFields });
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	const cost = costOf(finished);
	const data = presentation.isJson ? jsonAnswer(result.text ?? '') : undefined;
	if (presentation.isJson && data === undefined)
		session.hints.add(fill(HINTS.notJson, { item: finished.itemIndex }));

	const binary: IBinaryKeyData = { ...finished.files };
	if (options.downloadOutput ?? !session.isTool)
		await addDownloads(
			session,
			finished,
			result.media,
			stemTextOf(finished, presentation),
			options,
			binary,
		);

	// The output comes first, because n8n's table shows members in this order.
	const simple = dropUndefined({
		url: urls[0],
		urls: urls.length > 1 ? urls : undefined,
		data,
		text: session.isTool && data ? undefined : result.text,
		outputs: result.outputs,
		output: result.output,
		extra: result.extra,
		request_id: requestId,
		status: 'COMPLETED',
		...madeBy,
		cost,
		remaining_credits: numberIn(
			finished.headerFields?.remaining_credits ?? metrics?.remaining_credits,
		),
		seed: finished.headerFields?.seed ?? body.seed ?? undefined,
		usage: result.usage,
	});
	const fields = !simplify
		? { ...renameError(body), ...headerFields }
		: session.isTool
			? forAgent(simple)
			: simple;
	const json = input === undefined ? fields : { ...fields, input };
	return Object.keys(binary).length > 0 ? { json, binary } : { json };
}

/** Returns the reported cost of a finished request in USD. */
export function costOf({
	body,
	headerFields,
}: Pick<FinishedRequest, 'body' | 'headerFields'>): number | undefined {
	const metrics = isObject(body.metrics) ? body.metrics : undefined;
	return numberIn(headerFields?.cost ?? metrics?.cost ?? body.cost);
}

/** How long the files of a request that has just ended may take to become available. */
const NEW_FILE_MS = 10_000;

/** Downloads the files in order. A failed download leaves a hint; it never fails the item. */
async function addDownloads(
	session: OutputSession,
	finished: FinishedRequest,
	media: MediaFile[],
	stemText: string,
	{ outputField: field, maxFileBytes, timeoutMs }: FileOptions,
	binary: IBinaryKeyData,
): Promise<void> {
	// The files of one item share one timeout, and become available at the same time.
	const now = session.client.clock.now();
	const limits = {
		maxBytes: maxFileBytes,
		endsAt: now + timeoutMs,
		newFileUntil: now + NEW_FILE_MS,
	};
	const firstIndex = Object.keys(binary).length;
	for (const [at, file] of media.entries()) {
		// Failed files count too, so that data_2 is always the third file.
		const name = binaryName(field, firstIndex + at);
		const outcome = await download(
			session,
			file,
			finished.requestId,
			fileStem(stemText, finished.requestId, firstIndex + at),
			limits,
		);
		if ('file' in outcome) binary[name] = outcome.file;
		else {
			const values = { item: finished.itemIndex, why: outcome.reason };
			session.hints.add(fill(HINTS.notDownloaded, values));
		}
	}
}

/** Returns the body with `error` as `error_message`, because n8n would take an item with a top-level `error` for a failed one (docs/n8n.md N130). */
export function renameError(body: Record<string, unknown>): IDataObject {
	const { error, ...rest } = body;
	return (
		error === undefined || error === null
			? rest
			: { ...rest, error_message: rest.error_message ?? error }
	) as IDataObject;
}

/** Returns only the fields that an agent needs next, because its model is charged by the token. */
function forAgent(simple: IDataObject): IDataObject {
	const { url, urls, data, text, outputs, output, extra, request_id, status, cost } = simple;
	return dropUndefined({ url, urls, data, text, outputs, output, extra, request_id, status, cost });
}

export function dropUndefined(members: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(members).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
