/** How long the node bears with odd responses about one request: a single 404 or unreadable response may come from a proxy or a lagging storage. */
import type { Clock } from '../../base/clock';
import type { AcceptedRequest } from './acceptedRequest';

/** The pauses after each 404 in a row, for a request that is known to have been accepted: the service's storage may lag behind. */
const MISSING_PAUSES_MS = [2_000, 5_000, 10_000, 20_000, 40_000];
/** The pauses after each 404 in a row, for any other request, such as an ID that the user entered. */
const UNCONFIRMED_MISSING_PAUSES_MS = [2_000, 4_000];
/** The node gives up only after this many unreadable responses in a row. */
const MIN_UNREADABLE_RESPONSES = 4;
/** The node gives up only if the unreadable responses arrived over at least this time. */
const MIN_UNREADABLE_MS = 60_000;

/** What to do after an odd response: read again, after `pauseMs` if there is one, or give up. */
type Verdict = { kind: 'again'; pauseMs?: number } | { kind: 'giveUp' };

/** Two counts of odd responses. Only a clear response ends them; a transient fault doesn't. */
export interface OddResponses {
	/** A response was clear. */
	noteClear(): void;
	/** A response was a 404. */
	noteMissing(): Verdict;
	/** A response couldn't be understood. */
	noteUnreadable(): Verdict;
}

/** Begins the counts for one request. */
export function countOddResponses(request: AcceptedRequest, clock: Clock): OddResponses {
	const missingPauses = request.isStillKept(clock)
		? MISSING_PAUSES_MS
		: UNCONFIRMED_MISSING_PAUSES_MS;
	let missingCount = 0;
	let unreadableCount = 0;
	let unreadableSince = 0;
	return {
		noteClear() {
			missingCount = 0;
			unreadableCount = 0;
		},
		noteMissing() {
			const pauseMs = missingPauses.at(missingCount);
			missingCount++;
			return pauseMs === undefined ? { kind: 'giveUp' } : { kind: 'again', pauseMs };
		},
		noteUnreadable() {
			if (unreadableCount === 0) unreadableSince = clock.now();
			unreadableCount++;
			const isLasting = clock.now() - unreadableSince >= MIN_UNREADABLE_MS;
			const hasSeenEnough = unreadableCount >= MIN_UNREADABLE_RESPONSES && isLasting;
			return hasSeenEnough ? { kind: 'giveUp' } : { kind: 'again' };
		},
	};
}
