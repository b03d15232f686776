import { timeOf } from './timeText';

/** Resolution of the Date header, ms. */
const DATE_RESOLUTION_MS = 1_000;
/** A reading older than this is replaced by any other, ms: clocks drift. */
const KEPT_MS = 600_000;

/**
 * How far the service's clock is ahead of ours, by the `date` of its answers. The quickest answer says it best: between sending a call and
 * receiving its answer nobody knows when the service read its clock. All values in ms.
 */
export class ServerClock {
	/** Service time minus local time, at least. */
	offsetMs = 0;

	/** It may be this much more. */
	errorMs = 0;

	private readAt = -Infinity;

	/** Takes the `date` header of an answer; anything but a date says nothing. */
	note(date: string | undefined, sentAt: number, receivedAt: number): void {
		const serverTime = timeOf(date);
		if (serverTime === undefined) return;
		const offsetMs = serverTime - receivedAt;
		const errorMs = receivedAt - sentAt;
		const isBetter = errorMs <= this.errorMs || receivedAt - this.readAt > KEPT_MS;
		if (!isBetter && !this.contradicts(offsetMs, errorMs)) return;
		Object.assign(this, { offsetMs, errorMs, readAt: receivedAt });
	}

	/** True when no offset fits both: one of the clocks was set. */
	private contradicts(offsetMs: number, errorMs: number): boolean {
		return (
			offsetMs > this.offsetMs + this.errorMs + DATE_RESOLUTION_MS ||
			offsetMs + errorMs + DATE_RESOLUTION_MS < this.offsetMs
		);
	}
}
