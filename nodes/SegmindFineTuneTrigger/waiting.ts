/**
 * Deliveries of this process that wait to be confirmed. Anybody on the internet can send some: so there are few, of bounded size, and one
 * for a job and event, however often it comes.
 */

const MOST = 20;
const MOST_BYTES = 1_000_000;

export interface Waiting {
	/** What the delivery brought, as compact JSON. */
	text: string;
	/** It is asked about until then, ms since the epoch; one that joins gives it more time. */
	until: number;
}

const waiting = new Map<string, Waiting>();

/**
 * Takes a place for a delivery; `key` tells node, job and event. `joined` when one of this key waits already: it then waits as long as
 * this one would have. `full` when there is no room.
 */
export function takePlace(key: string, delivery: Waiting): 'taken' | 'joined' | 'full' {
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

export function leavePlace(key: string): void {
	waiting.delete(key);
}
