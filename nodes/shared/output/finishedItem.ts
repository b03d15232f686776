import type { IBinaryKeyData, IDataObject, INodeExecutionData } from 'n8n-workflow';

import { numberIn } from '../base/text';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import type { OutputSession } from '../run/session';
import { isObject } from '../service/schemas';
import { download, type MediaFile } from '../media/download';
import {
	binaryName,
	fileStemOf,
	type FinishedRequest,
	type ItemPresentation,
} from './finishedRequest';
import { jsonAnswer } from './chatResponse';
import { readResult } from './result';

/** Makes the output item of a finished request (CONTRACT.md): its fields, and its files as binary data. */
export async function finishedItem(
	session: OutputSession,
	finished: FinishedRequest,
	presentation: ItemPresentation,
): Promise<INodeExecutionData> {
	const { body, madeBy, requestId, headerFields } = finished;
	const { isTool } = session;
	const result = readResult(finished, presentation.isTranscript);
	const urls = [...result.media.map(({ url }) => url), ...(finished.fileUrls ?? [])];
	const facts = factsOf(finished);
	if (result.isCut) session.hints.add(fill(HINTS.cutText, { item: finished.itemIndex }));
	const data = presentation.isJson ? jsonAnswer(result.text ?? '') : undefined;
	if (presentation.isJson && data === undefined)
		session.hints.add(fill(HINTS.notJson, { item: finished.itemIndex }));

	const binary: IBinaryKeyData = { ...finished.files };
	if (presentation.options.downloadOutput ?? !isTool)
		await addDownloads(session, finished, presentation, result.media, binary);

	// The output comes first, because n8n's table shows members in this order. An agent's model is charged by the token, so it gets only what it needs next.
	const fields = presentation.simplify
		? dropUndefined({
				url: urls[0],
				urls: urls.length > 1 ? urls : undefined,
				data,
				text: isTool && data ? undefined : result.text,
				outputs: result.outputs,
				output: result.output,
				request_id: requestId,
				status: 'COMPLETED',
				...(!isTool && madeBy),
				cost: numberIn(facts.cost),
				...(!isTool && {
					remaining_credits: numberIn(facts.remaining_credits),
					seed: facts.seed ?? undefined,
					usage: result.usage,
				}),
			})
		: {
				...renameError(body),
				...(headerFields && dropUndefined({ request_id: requestId, ...headerFields })),
			};
	return Object.keys(binary).length > 0 ? { json: fields, binary } : { json: fields };
}

/** Returns the reported cost of a finished request in USD. */
export function reportedCost(finished: FactSources): number | undefined {
	return numberIn(factsOf(finished).cost);
}

type FactSources = Pick<FinishedRequest, 'body' | 'headerFields'>;

/** Returns what a result says about its request: its members, its metrics, and the headers of a v1 response. */
function factsOf({ body, headerFields }: FactSources): Record<string, unknown> {
	return { ...body, ...(isObject(body.metrics) && body.metrics), ...headerFields };
}

/** Downloads the files in order. Failed downloads never fail the item; one hint names the first of them. */
async function addDownloads(
	session: OutputSession,
	finished: FinishedRequest,
	presentation: ItemPresentation,
	media: MediaFile[],
	binary: IBinaryKeyData,
): Promise<void> {
	const { outputField, timeoutMs } = presentation.options;
	const { requestId, itemIndex } = finished;
	// The files of one item share one timeout, and become available at the same time.
	const startedAt = session.client.clock.now();
	const limits = { endsAt: startedAt + timeoutMs, newFileUntil: startedAt + NEW_FILE_MS };
	const firstIndex = Object.keys(binary).length;
	const reasons: string[] = [];
	for (const [at, file] of media.entries()) {
		// Failed files count too, so that data_2 is always the third file.
		const index = firstIndex + at;
		const stem = fileStemOf(finished, presentation, index);
		const outcome = await download(session, file, requestId, stem, limits);
		if ('file' in outcome) binary[binaryName(outputField, index)] = outcome.file;
		else reasons.push(outcome.reason);
	}
	if (reasons.length === 0) return;
	const counts = { failed: reasons.length, files: media.length };
	session.hints.add(fill(HINTS.notDownloaded, { item: itemIndex, ...counts, why: reasons[0] }));
}

/** How long the files of a request that has just ended may take to become available. */
const NEW_FILE_MS = 10_000;

/** Returns the body with `error` as `error_message`, because n8n would take an item with a top-level `error` for a failed one (docs/n8n.md N130). */
export function renameError(body: Record<string, unknown>): IDataObject {
	const { error, ...rest } = body;
	if (error === undefined || error === null) return rest as IDataObject;
	return { ...rest, error_message: rest.error_message ?? error } as IDataObject;
}

export function dropUndefined(members: Record<string, unknown>): IDataObject {
	return Object.fromEntries(
		Object.entries(members).filter(([, value]) => value !== undefined),
	) as IDataObject;
}
