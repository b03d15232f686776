import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../journal/entry';
import { fill } from '../errors/failures';
import { HINTS } from '../errors/hintTable';
import { uploadFiles } from '../media/upload';
import { dropUndefined, finishedItem } from '../output/finishedItem';
import type { FinishedRequest, Presentation } from '../output/finishedRequest';
import { storeInlineFiles } from '../output/inlineFiles';
import type { Session } from '../run/session';
import { isEmptyResult } from '../service/responses';
import type { CompletedRequest } from './poll/outcome';
import { FIRST_STATUS } from './poll/poll';

/** Which item to make, and how to present it. */
export interface ItemSpec {
	itemIndex: number;
	madeBy: IDataObject;
	isWorkflow: boolean;
	presentation: Presentation;
}

/** Makes the output item of a completed request. */
export async function makeItem(
	session: Session,
	{ itemIndex, madeBy, isWorkflow, presentation }: ItemSpec,
	requestId: string | undefined,
	{ body, fromHistory, inOneCall }: CompletedRequest,
): Promise<INodeExecutionData> {
	if (!inOneCall && isEmptyResult(body))
		session.hints.add(fill(HINTS.emptyOutput, { item: itemIndex }));
	const { files: inlineFiles, ...rest } = inOneCall ?? { files: [] };
	const request = { itemIndex, requestId, madeBy, isWorkflow, body, fromHistory };
	const finished = await storeInlineFiles(
		session,
		{ ...request, ...rest },
		presentation,
		inlineFiles,
	);
	const fileUrls = session.isTool ? await uploadForAgent(session, finished) : undefined;
	return await finishedItem(session, { ...finished, fileUrls }, presentation);
}

/** Uploads the files for an agent, which can't receive files, only URLs (docs/n8n.md N211). */
async function uploadForAgent(
	session: Session,
	{ itemIndex, files = {} }: FinishedRequest,
): Promise<string[]> {
	try {
		return Object.keys(files).length === 0 ? [] : await uploadFiles(session, Object.values(files));
	} catch (error) {
		// The output was charged, so the workflow gets it even without a URL for the agent.
		const why = (error as Error).message;
		session.hints.add(fill(HINTS.notUploaded, { item: itemIndex, why }));
		return [];
	}
}

/**
 * Makes the output item of an unfinished request. It has everything that Get Result needs later, in any process. `status`: the last known one, if any. A
 * loop in the user's workflow ends on COMPLETED, so a request whose result could not be read yet doesn't show that.
 */
export function unfinishedItem(
	session: Session,
	{ itemIndex, madeBy }: ItemSpec,
	ref: RequestRef,
	status = FIRST_STATUS,
): INodeExecutionData {
	session.requestIds.set(itemIndex, ref.request_id);
	const { request_id, submitted_at, poll_url, status_url, response_url } = ref;
	const addresses = { poll_url, status_url, response_url };
	const shownStatus = status.toUpperCase() === 'COMPLETED' ? 'PROCESSING' : status;
	const json = { request_id, status: shownStatus, submitted_at, ...madeBy, ...addresses };
	return { json: dropUndefined(json) };
}

/** Whether the stored files still exist: n8n may have pruned the execution that stored them. */
export async function binariesExist(
	{ context }: Session,
	binary: INodeExecutionData['binary'],
): Promise<boolean> {
	const ids = Object.values(binary ?? {}).flatMap(({ id }) => (id === undefined ? [] : [id]));
	try {
		await Promise.all(ids.map(async (id) => await context.helpers.getBinaryMetadata(id)));
		return true;
	} catch (error) {
		context.logger.debug(
			`Segmind: a stored file of an earlier attempt no longer exists (${(error as Error).message}); fetching it again`,
		);
		return false;
	}
}
