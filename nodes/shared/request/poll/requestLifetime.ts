import type { Clock } from '../../base/clock';
import { callRegister } from '../../journal/callRegister';
import type { RequestRef } from '../../service/requestRef';
import { timeOf } from '../../service/serviceTime';

/** How long after submission the service keeps a record of a request (docs/service.md S126). */
export const REQUEST_KEPT_MS = 3_600_000;

/** Returns when the request was accepted, in ms since the epoch, according to its `submitted_at` or the register of calls; undefined if it's unknown. */
export function acceptanceTimeOf({ request_id, submitted_at }: RequestRef): number | undefined {
	return timeOf(submitted_at) ?? callRegister.acceptedAt(request_id);
}

/** Whether the service must still have its record of a request, because the request was accepted less than an hour ago. */
export function isStillKept(ref: RequestRef, clock: Clock): boolean {
	const at = acceptanceTimeOf(ref);
	return at !== undefined && clock.now() - at < REQUEST_KEPT_MS;
}
