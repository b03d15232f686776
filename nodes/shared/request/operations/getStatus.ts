import type { INodeExecutionData } from 'n8n-workflow';

import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { renameError } from '../../output/finishedItem';
import type { Session } from '../../run/session';
import { noResponseFailure, rejectionFailure, unusableFailure } from '../../service/responseErrors';
import { readResponse } from '../../service/responses';
import type { HttpResponse } from '../../service/http';
import type { StatusResponse } from '../../service/schemas';
import { missingFailure } from '../poll/outcomeErrors';
import { readHistoryOutcome } from '../poll/pollOutcome';
import { readFailedRequest, readStatus } from '../poll/statusCheck';
import { RESULT_PATIENCE_MS } from '../poll/fetchResult';
import { hasLiveRecord, readRequestParameter } from './readRequestParameter';
import { callSubjectOf, makeGetCall, withUrls } from '../poll/requestRef';

/** Operation `getStatus`: returns the status response unchanged; a failed request isn't an error here. */
export async function getStatus(session: Session, itemIndex: number): Promise<INodeExecutionData> {
	const { client } = session;
	const ref = withUrls(readRequestParameter(session, itemIndex), client.urls.baseUrl);
	const url = statusUrl(ref) ?? resultUrl(ref);
	const isKnownAccepted = hasLiveRecord(ref);
	if (url === undefined)
		throw missingFailure(ref, { isExpired: false, history: 'none' }, isKnownAccepted);
	const sent = await client.read(makeGetCall(client, url, ref), {
		priority: 'statusCheck',
		deadline: client.clock.now() + RESULT_PATIENCE_MS,
		requestId: ref.request_id,
		isUsable: (response) => isNotTransient(response, ref.request_id),
	});
	if (sent.kind !== 'response') throw noResponseFailure(client, sent, callSubjectOf(ref, 'status'));
	const check = await readStatus(client, ref, sent.response);
	switch (check.kind) {
		case 'transient':
		case 'rateLimited':
			throw rejectionFailure(client, sent.response, callSubjectOf(ref, 'status'));
		case 'unreadable':
			throw unusableFailure(client, sent.response, callSubjectOf(ref, 'status'), {
				charge: 'chargedIfCompletes',
			});
		case 'missing': {
			const outcome = await readHistoryOutcome(client, ref, false);
			if (outcome.kind === 'missing' && outcome.history === 'completedWithoutFile')
				return statusItem(ref, { status: 'COMPLETED' });
			if (outcome.kind === 'missing') throw missingFailure(ref, outcome, isKnownAccepted);
			if (outcome.kind === 'finished') return statusItem(ref, outcome.body);
			return statusItem(ref, { status: 'FAILED', error: outcome.reason || undefined });
		}
		case 'failed': {
			const { reason } = await readFailedRequest(client, ref, check);
			return statusItem(ref, {
				...check.body,
				error: check.body.error ?? (reason || undefined),
			});
		}
		default:
			return statusItem(ref, check.body);
	}
}

/** Whether repeating the call is pointless: even a 5xx response may report FAILED. */
function isNotTransient(response: HttpResponse, requestId: string): boolean {
	return readResponse(response, requestId).kind !== 'transient';
}

function statusItem({ request_id }: RequestRef, body: StatusResponse): INodeExecutionData {
	return { json: { request_id, ...renameError(body) } };
}
