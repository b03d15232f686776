import { systemClock, type Clock } from '../base/clock';

/** How often running calls are checked, ms. */
const EVERY_MS = 250;

/** Something that ends at a time that may still move. */
interface Limited {
	/** ms since the epoch. */
	endsAt: () => number;
	end: () => void;
}

/** Ends calls whose time is up, however slowly their answers drip: an idle limit alone never ends those. One loop serves all calls. */
export class TimeLimits {
	private readonly watched = new Set<Limited>();

	private isRunning = false;

	constructor(private readonly clock: Clock) {}

	/** Calls `end` once `endsAt` is over, unless the function it returns was called before. */
	watch(endsAt: () => number, end: () => void): () => void {
		const limited = { endsAt, end };
		this.watched.add(limited);
		void this.run();
		return () => void this.watched.delete(limited);
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.watched.size > 0) {
			await this.clock.sleep(EVERY_MS);
			const now = this.clock.now();
			for (const limited of this.watched) {
				if (now < limited.endsAt()) continue;
				this.watched.delete(limited);
				limited.end();
			}
		}
		this.isRunning = false;
	}
}

/** Those of all calls that go by the system's clock. */
export const timeLimits = new TimeLimits(systemClock);

/** How far a body that is sent as a stream has got; whoever makes the stream keeps it up to date. */
export interface Sending {
	/** When a piece was last taken, ms since the epoch. */
	lastPieceAt: number;
	isComplete: boolean;
}

/** A body that is being sent is given up after this long without progress, ms. */
const STALLED_MS = 60_000;
/** For bodies whose progress nobody sees: the slowest line expected, bytes per ms (half a megabit a second). */
const SLOWEST_BYTES_A_MS = 62;

/** When a call is over: this many ms after its last byte was sent. */
export function endOfCall(
	startedAt: number,
	limitMs: number,
	sending: Sending | undefined,
	bytes: number,
): number {
	if (sending)
		return sending.lastPieceAt + (sending.isComplete ? limitMs : Math.min(limitMs, STALLED_MS));
	return startedAt + limitMs + bytes / SLOWEST_BYTES_A_MS;
}
