/**
 * Deliveries of this process that wait to be confirmed. Anybody on the internet can send some, so their number and size are bounded, and there
 * is one for a job and event, however often it comes.
 */

const MOST = 20;
const MOST_BYTES = 1_000_000;

export interface WaitingDelivery {
	/** What the delivery brought, as compact JSON. */
	text: string;
	/** When confirming ends, ms since the epoch; a repeated delivery extends it. */
	until: number;
}

const waiting = new Map<string, WaitingDelivery>();

/**
 * Adds a delivery; `key` stands for node, job and event.
 * @returns `joined` when one of this key waits already, which then waits as long as this one would have; `full` when there is no room
 */
export function addWaiting(key: string, delivery: WaitingDelivery): 'taken' | 'joined' | 'full' {
	const same = waiting.get(key);
	if (same) {
		same.until = Math.max(same.until, delivery.until);
		return 'joined';
	}
	const held = [...waiting.values()].reduce((sum, { text }) => sum + text.length, 0);
	if (waiting.size >= MOST || held + delivery.text.length > MOST_BYTES) return 'full';
	waiting.set(key, delivery);
	return 'taken';
}

export function removeWaiting(key: string): void {
	waiting.delete(key);
}
