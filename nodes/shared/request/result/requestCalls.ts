import type { RequestRef } from '../../journal/entry';
import type { CallSubject } from '../../service/answerErrors';
import { READ_LIMIT_MS, type Client } from '../../service/client';
import { LARGEST_ANSWER } from '../../service/http';
import { assertTrusted } from '../../service/origins';

/** A reading call about a request. @throws SegmindFailure before the call when the address is not the credential's */
export function getCall(client: Client, url: string, ref: RequestRef) {
	return {
		method: 'GET' as const,
		url: assertTrusted(url, client.urls.baseUrl, ref.request_id),
		limitMs: READ_LIMIT_MS,
		maxBytes: LARGEST_ANSWER.result,
	};
}

/** What the errors of such a call are about. */
export function about(ref: RequestRef, purpose: 'status' | 'result'): CallSubject {
	return { purpose, subject: `request ${ref.request_id}`, requestId: ref.request_id };
}
