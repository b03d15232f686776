import { systemClock, type Clock } from '../base/clock';

/** How often running calls are checked, ms. */
const EVERY_MS = 250;

/** Something whose end time may still change. */
interface Limited {
	/** ms since the epoch. */
	endsAt: () => number;
	end: () => void;
}

/** Ends calls that time out, even if a response keeps sending single bytes: an idle timeout alone never ends those. One loop serves all calls. */
export class TimeLimits {
	private readonly watched = new Set<Limited>();

	private isRunning = false;

	constructor(private readonly clock: Clock) {}

	/** Calls `end` once `endsAt` has passed, unless the returned function was called before. */
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

/** The one instance of this process. */
export const timeLimits = new TimeLimits(systemClock);

/** The progress of a body that is sent as a stream. The creator of the stream updates it. */
export interface SendProgress {
	/** When the last chunk was read, ms since the epoch. */
	lastChunkAt: number;
	isComplete: boolean;
}

/** A body that is being sent times out after this long without progress, ms. */
const STALLED_MS = 60_000;
/** For bodies without visible progress: the slowest connection expected, bytes per ms (half a megabit a second). */
const SLOWEST_BYTES_A_MS = 62;

/** When a call times out: this many ms after its last byte was sent. */
export function endOfCall(
	startedAt: number,
	limitMs: number,
	sending: SendProgress | undefined,
	bytes: number,
): number {
	if (sending)
		return sending.lastChunkAt + (sending.isComplete ? limitMs : Math.min(limitMs, STALLED_MS));
	return startedAt + limitMs + bytes / SLOWEST_BYTES_A_MS;
}
