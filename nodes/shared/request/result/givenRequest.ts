import { systemClock } from '../../base/clock';
import { SegmindFailure } from '../../base/failure';
import { calls } from '../../journal/calls';
import type { RequestRef } from '../../journal/entry';
import type { Session } from '../../run/session';
import { isObject } from '../../service/schemas';
import { timeOf } from '../../service/timeText';
import { RECORD_LIFETIME_MS } from '../wait/wait';
import { parseRequest } from './requestRef';

/**
 * The parameter `request` of an item. An item that failed before hands its own error on.
 * @throws SegmindFailure before any call when it is no request
 */
export function readRequest(session: Session, itemIndex: number): RequestRef {
	const value: unknown = session.context.getNodeParameter('request', itemIndex);
	if (isObject(value) && value.request_id === undefined) assertNoEarlierError(value);
	return parseRequest(value, session.client.urls.baseUrl);
}

/** A node before may have left an error in the item: an object of ours, or the text that most nodes of n8n leave. */
function assertNoEarlierError({ error }: Record<string, unknown>): void {
	const { message, description, httpCode, ...known } = isObject(error) ? error : { message: error };
	if (typeof message !== 'string' || message === '') return;
	throw new SegmindFailure('badInput', {
		message,
		description: textOf(description) ?? 'An earlier node failed.',
		requestId: textOf(known.request_id),
		status: textOf(known.status),
		httpCode: typeof httpCode === 'number' ? httpCode : undefined,
	});
}

function textOf(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

/** When it was accepted, as it says itself or as this process knows, ms since the epoch. */
export function acceptedAt({ request_id, submitted_at }: RequestRef): number | undefined {
	return timeOf(submitted_at) ?? calls.claimedAt(request_id);
}

/** It is known to have been accepted, and its hour has not passed: the service must know it. */
export function isKnownToLive(ref: RequestRef): boolean {
	const at = acceptedAt(ref);
	return at !== undefined && systemClock.now() - at < RECORD_LIFETIME_MS;
}
