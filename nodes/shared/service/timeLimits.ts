import { systemClock, type Clock } from '../base/clock';

/** How often running calls are checked. */
const CHECK_INTERVAL_MS = 250;

/** A running call. Its end may still move while its body is being sent. */
interface WatchedCall {
	/** ms since the epoch. */
	endsAt: () => number;
	end: () => void;
}

/** Ends calls that time out, even if the response arrives byte by byte, which never triggers an idle timeout. One loop serves all calls. */
export class TimeLimits {
	private readonly watched = new Set<WatchedCall>();

	private isRunning = false;

	constructor(private readonly clock: Clock) {}

	/** Calls `end` once `endsAt` has passed, unless the returned function was called before. */
	watch(endsAt: () => number, end: () => void): () => void {
		const watchedCall = { endsAt, end };
		this.watched.add(watchedCall);
		void this.run();
		return () => void this.watched.delete(watchedCall);
	}

	private async run(): Promise<void> {
		if (this.isRunning) return;
		this.isRunning = true;
		while (this.watched.size > 0) {
			await this.clock.sleep(CHECK_INTERVAL_MS);
			const now = this.clock.now();
			for (const watchedCall of this.watched) {
				if (now < watchedCall.endsAt()) continue;
				this.watched.delete(watchedCall);
				watchedCall.end();
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

/** A body that is being sent times out after this long without progress. */
const MAX_STALL_MS = 60_000;
/** The slowest connection to expect (half a megabit a second), for bodies whose progress we don't see. */
const MIN_BYTES_PER_MS = 62;

/** Returns when a call times out: `timeoutMs` after its last byte was sent, as far as known. `bytes`: the size of a body that isn't a stream. */
export function endOfCall(
	startedAt: number,
	timeoutMs: number,
	sending: SendProgress | undefined,
	bytes: number,
): number {
	if (sending)
		return (
			sending.lastChunkAt + (sending.isComplete ? timeoutMs : Math.min(timeoutMs, MAX_STALL_MS))
		);
	return startedAt + timeoutMs + bytes / MIN_BYTES_PER_MS;
}
