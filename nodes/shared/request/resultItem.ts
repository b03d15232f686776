import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../journal/entry';
import { dropUndefined, finishedItem, type Presentation } from '../output/finished';
import type { Session } from '../run/session';
import { isEmptyResult, resultMembers } from '../service/answers';
import type { Completed } from './poll/ended';

/** Whose item it is, and how it is made. */
export interface ItemOf {
	itemIndex: number;
	label: IDataObject;
	isWorkflow: boolean;
	presentation: Presentation;
}

/** The output item of a completed request. */
export async function itemOf(
	session: Session,
	{ itemIndex, label, isWorkflow, presentation }: ItemOf,
	requestId: string | undefined,
	{ body, fromHistory, inOneCall }: Completed,
): Promise<INodeExecutionData> {
	if (!inOneCall && isEmptyResult(body))
		session.hints.add(
			`Item ${itemIndex}: request ${requestId} completed and was charged, but its output is empty.`,
		);
	const output = unknownShapeOutput(body);
	const finished = { itemIndex, requestId, label, isWorkflow, body, output, fromHistory };
	return await finishedItem(session, { ...finished, ...inOneCall }, presentation);
}

const KNOWN_MEMBERS = ['output', 'images', 'image', 'video', 'videos', 'audio', 'audios'];

/** What a result of a shape we don't know made: it is paid for, so nothing of it is dropped. */
function unknownShapeOutput(body: Record<string, unknown>): unknown {
	const made = resultMembers(body);
	return KNOWN_MEMBERS.some((name) => name in made) ? undefined : made;
}

/** The output for a request that is not finished: all that is needed to ask for it later, in any process. */
export function unfinishedItem(
	session: Session,
	{ itemIndex, label, presentation: { input } }: ItemOf,
	ref: RequestRef,
	status: string,
): INodeExecutionData {
	session.requestIds.set(itemIndex, ref.request_id);
	session.unfinished.add(itemIndex);
	const { request_id, submitted_at, poll_url, status_url, response_url } = ref;
	const addresses = { poll_url, status_url, response_url };
	const json = { request_id, status, submitted_at, ...label, ...addresses, input };
	return { json: dropUndefined(json) };
}

/** False when a stored file is gone: the execution that stored it may have been pruned since. */
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
