/** Whether a call that failed may have been carried out, and so how its response was lost. Pure. */
import type { CallOutcome } from './http';
import { wasNotAccepted } from './repeat';
import { isRedirect, isServicesOwnError } from './responses';

/** Statuses of a gateway that gave up: it may have passed the call on. */
const GATEWAY_GAVE_UP: ReadonlySet<number> = new Set([
	408, 499, 502, 504, 520, 521, 522, 523, 524, 525, 526, 527, 530,
]);

/**
 * Whether the status of a failed call leaves open whether the service carried it out. A redirect may follow what was done. A 503 counts as not carried
 * out: by the published rule it's free.
 */
export function mayHaveBeenCarriedOut(status: number): boolean {
	return isRedirect(status) || (status >= 500 && status !== 503) || GATEWAY_GAVE_UP.has(status);
}

/**
 * Returns how the response of a submission that failed was lost. `none`: the service rejected the call, or it was never sent, so it's free. By the
 * published rule, no 4xx or 5xx is charged (docs/service.md S40). The rule doesn't cover redirects.
 */
export function lossOf(outcome: CallOutcome): 'connection' | 'gateway' | 'none' {
	// However large the response is.
	if (wasNotAccepted(outcome)) return 'none';
	if (outcome.kind !== 'response') return outcome.kind === 'lost' ? 'connection' : 'none';
	const { status, exceededLimitBytes } = outcome;
	// An error response that exceeded its size limit says nothing either.
	if (exceededLimitBytes !== undefined || isRedirect(status)) return 'connection';
	if (!mayHaveBeenCarriedOut(status)) return 'none';
	// An error in the service's own form says that it didn't accept the request. Only gateways send 502, 504 and the like.
	const mayBeServices = status < 500 || !GATEWAY_GAVE_UP.has(status);
	return mayBeServices && isServicesOwnError(outcome) ? 'none' : 'gateway';
}
