/** When a request may be sent again: the money rules 1 and 4 (CONTRIBUTING.md). Pure. */
import type { FailureFacts } from '../base/failure';
import type { RequestEnd } from './poll/requestEnd';
import { isOwnUrl, SERVICE_URLS } from '../service/addresses';
import type { SearchResult, Submission } from './submission';

/**
 * Whether a request is free by the published rule if a gateway responded in place of the service (docs/service.md S40). A call to version 1 may still be
 * running. So may any call to another Base URL than Segmind's: a company's own gateway may give up while Segmind continues.
 */
export function isFreeAfterGateway(responds: Submission['responds'], baseUrl: string): boolean {
	return responds === 'reference' && isOwnUrl(baseUrl, SERVICE_URLS);
}

/** What decides, beside the search, whether a request that may have been accepted may be resent. */
export interface ResendTerms {
	/** Whether it's free if the history doesn't show it. */
	isFreeIfAbsent: boolean;
	sendAgainIfUnsure: boolean;
}

/** Whether a request of an earlier attempt that may have been accepted may be resent (the table in docs/architecture.md). */
export function mayResend(
	found: SearchResult,
	{ isFreeIfAbsent, sendAgainIfUnsure }: ResendTerms,
): boolean {
	if (found.kind === 'underWay') return false;
	const isAbsent = found.kind === 'none' || found.kind === 'noHistory';
	return sendAgainIfUnsure || (isFreeIfAbsent && isAbsent);
}

/** Returns what another retry does about a request that isn't resent now, for its error. */
export function retryAfterSearch(
	kind: SearchResult['kind'],
	{ isFreeIfAbsent, sendAgainIfUnsure }: ResendTerms,
): FailureFacts['retry'] {
	if (kind === 'underWay') return undefined;
	if (kind === 'candidates') return sendAgainIfUnsure ? 'resends' : undefined;
	return isFreeIfAbsent || sendAgainIfUnsure ? 'searches' : undefined;
}

/**
 * Returns why a new request may replace an earlier attempt's accepted one; undefined if it may not. FAILED is final and free (docs/service.md S94). Expiry
 * counts only if Segmind itself reports it.
 */
export function replacementReason(
	end: RequestEnd,
	{ sendAgainIfUnsure, hasCompleted }: { sendAgainIfUnsure: boolean; hasCompleted: boolean },
): 'failed' | 'expired' | undefined {
	if (hasCompleted) return undefined;
	if (end.kind === 'failed') return 'failed';
	if (end.kind !== 'missing' || end.isLive || !end.isReported) return undefined;
	if (!sendAgainIfUnsure) return undefined;
	return end.history === 'none' || end.history === 'unfinished' ? 'expired' : undefined;
}
