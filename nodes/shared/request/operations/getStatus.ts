import type { INodeExecutionData } from 'n8n-workflow';

import { resultUrl, statusUrl, type RequestRef } from '../../journal/entry';
import { renameError } from '../../output/finishedItem';
import type { Session } from '../../run/session';
import { noResponseFailure, rejectionFailure, unusableFailure } from '../../service/responseErrors';
import { readResponse } from '../../service/responses';
import type { HttpResponse } from '../../service/http';
import type { StatusResponse } from '../../service/schemas';
import { missing } from '../poll/endErrors';
import { fromHistory } from '../poll/ended';
import { failedWith, readStatus } from '../poll/statusCheck';
import { RESULT_PATIENCE_MS } from '../poll/fetchResult';
import { isKnownToLive, readRequest } from './givenRequest';
import { about, getCall, withAddresses } from '../poll/requestRef';

/** Operation `getStatus`: returns the status response unchanged; a failed request is a good item here. */
export async function reportStatus(
	session: Session,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const { client } = session;
	const ref = withAddresses(readRequest(session, itemIndex), client.urls.baseUrl);
	const url = statusUrl(ref) ?? resultUrl(ref);
	const isOwn = isKnownToLive(ref);
	if (url === undefined) throw missing(ref, { isExpired: false, history: 'none' }, isOwn);
	const sent = await client.read(getCall(client, url, ref), {
		priority: 'statusCheck',
		deadline: client.clock.now() + RESULT_PATIENCE_MS,
		requestId: ref.request_id,
		isUsable: (response) => saysState(response, ref.request_id),
	});
	if (sent.kind !== 'response') throw noResponseFailure(client, sent, about(ref, 'status'));
	const checked = await readStatus(client, ref, sent.response);
	switch (checked.kind) {
		case 'transient':
		case 'late':
			throw rejectionFailure(client, sent.response, about(ref, 'status'));
		case 'unreadable':
			throw unusableFailure(client, sent.response, about(ref, 'status'), {
				charge: 'acceptedIfCompletes',
			});
		case 'missing': {
			const ended = await fromHistory(client, ref, false);
			if (ended.kind === 'missing' && ended.history === 'withoutFile')
				return statusItem(ref, { status: 'COMPLETED' });
			if (ended.kind === 'missing') throw missing(ref, ended, isOwn);
			if (ended.kind === 'finished') return statusItem(ref, ended.body);
			return statusItem(ref, { status: 'FAILED', error: ended.reason || undefined });
		}
		case 'failed': {
			const { reason } = await failedWith(client, ref, checked);
			return statusItem(ref, {
				...checked.body,
				error: checked.body.error ?? (reason || undefined),
			});
		}
		default:
			return statusItem(ref, checked.body);
	}
}

/** A 5xx response may say FAILED. */
function saysState(response: HttpResponse, requestId: string): boolean {
	return readResponse(response, requestId).kind !== 'transient';
}

function statusItem({ request_id }: RequestRef, body: StatusResponse): INodeExecutionData {
	return { json: { request_id, ...renameError(body) } };
}
