import type { INodeExecutionData } from 'n8n-workflow';

import { wait } from '../../base/clock';
import { stoppedFailure } from '../../errors/failures';
import type { RequestRef } from '../../service/requestRef';
import { renameError } from '../../output/outputFields';
import type { Item } from '../../run/item';
import type { Client } from '../../service/client';
import type { ResponseMeaning } from '../../service/responses';
import type { StatusResponse } from '../../service/schemas';
import { checkStatus, readFailedRequest } from '../poll/check';
import { RESULT_PATIENCE_MS } from '../poll/fetchResult';
import { readEndInHistory } from '../poll/requestEnd';
import { missingFailure, unreadStatusFailure } from '../poll/endErrors';
import { readRequestParameter } from './readRequestParameter';

/** The pause after a response that isn't Segmind's. */
const FOREIGN_PAUSE_MS = 5_000;

/** Operation `getStatus`: returns the status response unchanged; a failed request isn't an error here. */
export async function getStatus(item: Item): Promise<INodeExecutionData> {
	const { run } = item;
	const { client } = run;
	const request = readRequestParameter(item);
	const { ref } = request;
	const deadline = client.clock.now() + RESULT_PATIENCE_MS;
	run.events.follow(item.index, request);
	client.fatal.assertNone(ref.request_id);
	const check = await checkUntilReported(client, ref, deadline);
	switch (check.kind) {
		case 'running':
		case 'completed':
			return statusItem(ref, check.body);
		case 'failed': {
			const { reason } = await readFailedRequest(client, ref, check, deadline);
			return statusItem(ref, { ...check.body, error: check.body.error ?? (reason || undefined) });
		}
		case 'missing': {
			const end = await readEndInHistory(client, request, check.isReported);
			if (end.kind === 'missing' && end.history === 'completedWithoutFile')
				return statusItem(ref, { status: 'COMPLETED' });
			if (end.kind === 'missing') throw missingFailure(ref, end);
			if (end.kind === 'completed') return statusItem(ref, end.body);
			return statusItem(ref, { status: 'FAILED', error: end.reason || undefined });
		}
		default:
			throw unreadStatusFailure(client, ref, check);
	}
}

/** Checks the status, and repeats that until the deadline while somebody else than Segmind responds. @throws SegmindFailure as `checkStatus` */
async function checkUntilReported(
	client: Client,
	ref: RequestRef,
	deadline: number,
): Promise<ResponseMeaning> {
	const { clock, signal } = client;
	for (;;) {
		const check = await checkStatus(client, ref, { deadline, repeats: true });
		const isForeign =
			check.kind === 'unreadable' || (check.kind === 'missing' && !check.isReported);
		if (!isForeign || clock.now() + FOREIGN_PAUSE_MS >= deadline) return check;
		await wait(clock, FOREIGN_PAUSE_MS, { signal });
		if (signal?.aborted) throw stoppedFailure(ref.request_id);
	}
}

function statusItem({ request_id }: RequestRef, body: StatusResponse): INodeExecutionData {
	return { json: { request_id, ...renameError(body) } };
}
