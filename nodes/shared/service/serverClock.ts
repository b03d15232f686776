import { timeOf } from './timeText';

/** Resolution of the Date header. */
const DATE_RESOLUTION_MS = 1_000;
/** After this long, any new reading replaces the old one, because clocks drift. */
const MAX_AGE_MS = 600_000;

/**
 * How far the service's clock is ahead of ours, according to the Date headers of its responses. The fastest response is the most exact, because the service may
 * have read its clock at any time between sending and receiving. All values in ms.
 */
export class ServerClock {
	/** The smallest possible value of service time minus local time. */
	offsetMs = 0;

	/** How much larger that difference may be. */
	errorMs = 0;

	private readAt = -Infinity;

	/** Reads the Date header of a response. Anything but a date is ignored. */
	note(date: string | undefined, sentAt: number, receivedAt: number): void {
		const serverTime = timeOf(date);
		if (serverTime === undefined) return;
		const offsetMs = serverTime - receivedAt;
		const errorMs = receivedAt - sentAt;
		const isBetter = errorMs <= this.errorMs || receivedAt - this.readAt > MAX_AGE_MS;
		if (!isBetter && !this.contradicts(offsetMs, errorMs)) return;
		Object.assign(this, { offsetMs, errorMs, readAt: receivedAt });
	}

	/** Whether no offset fits both readings, because one of the clocks was changed. */
	private contradicts(offsetMs: number, errorMs: number): boolean {
		return (
			offsetMs > this.offsetMs + this.errorMs + DATE_RESOLUTION_MS ||
			offsetMs + errorMs + DATE_RESOLUTION_MS < this.offsetMs
		);
	}
}
