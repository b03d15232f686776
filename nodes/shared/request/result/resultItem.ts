import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { RequestRef } from '../../journal/entry';
import { dropUndefined, finishedItem, type Presentation } from '../../output/finished';
import type { Session } from '../../run/session';
import { isEmptyResult, resultMembers } from '../../service/answers';
import type { Finished } from '../wait/outcome';

/** The output item of a completed request. */
export async function itemOf(
	session: Session,
	from: {
		itemIndex: number;
		ref: RequestRef;
		label: IDataObject;
		isWorkflow: boolean;
		finished: Finished;
	},
	presentation: Presentation,
): Promise<INodeExecutionData> {
	const { itemIndex, ref, label, isWorkflow, finished } = from;
	const { body, fromHistory, inOneCall } = finished;
	if (!inOneCall && isEmptyResult(body))
		session.hints.add(
			`Item ${itemIndex}: request ${ref.request_id} completed and was charged, but its output is empty.`,
		);
	return await finishedItem(
		session,
		{
			itemIndex,
			requestId: ref.request_id,
			label,
			isWorkflow,
			body,
			output: unknownShapeOutput(body),
			fromHistory,
			...inOneCall,
		},
		presentation,
	);
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
	{ itemIndex, label }: { itemIndex: number; label: IDataObject },
	ref: RequestRef,
	status: string,
	{ input }: Pick<Presentation, 'input'>,
): INodeExecutionData {
	session.requestIds.set(itemIndex, ref.request_id);
	session.unfinished.add(itemIndex);
	const { request_id, submitted_at, poll_url, status_url, response_url } = ref;
	const addresses = { poll_url, status_url, response_url };
	const json = { request_id, status, submitted_at, ...label, ...addresses, input };
	return { json: dropUndefined(json) };
}
