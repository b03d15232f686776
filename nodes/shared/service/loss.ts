/** Whether a call that failed may have been carried out, and so how its response was lost. Pure. */
import type { CallOutcome } from './http';
import { isRedirect, isServicesOwnError } from './responses';

/**
 * Whether the status of a failed call leaves open whether the service carried it out. A redirect may follow what was done. A gateway that gave up (408, 499
 * and most 5xx) may have passed the call on. A 503 counts as not carried out: by the published rule it's free.
 */
export function mayHaveBeenCarriedOut(status: number): boolean {
	const mayBeGateways = [408, 499].includes(status) || status >= 500;
	return isRedirect(status) || (mayBeGateways && status !== 503);
}

/**
 * Returns how the response of a submission that failed was lost. `none`: the service rejected the call, or it was never sent, so it's free. By the
 * published rule, no 4xx or 5xx is charged (docs/service.md S40). The rule doesn't cover redirects.
 */
export function lossOf(outcome: CallOutcome): 'connection' | 'gateway' | 'none' {
	if (outcome.kind !== 'response') return outcome.kind === 'lost' ? 'connection' : 'none';
	const { status } = outcome;
	if (isRedirect(status)) return 'connection';
	if (!mayHaveBeenCarriedOut(status)) return 'none';
	// An error in the service's own form says that it didn't accept the request. Only gateways send 502, 504 and the like.
	return status < 502 && isServicesOwnError(outcome) ? 'none' : 'gateway';
}
