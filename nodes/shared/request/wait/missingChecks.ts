/** A 404 is asked again after these, ms, for a request that is known to have been accepted; a store may lag behind. */
const MISSING_MS = [2_000, 5_000, 10_000, 20_000, 40_000];
/** The same for an id that a person gave. */
const MISSING_GIVEN_MS = [2_000, 4_000];

/** Plans when a request that the service does not know is asked for again. */
export class MissingChecks {
	private nextAt?: number;

	private checks = 0;

	private readonly pauses: readonly number[];

	constructor(isOwn: boolean) {
		this.pauses = isOwn ? MISSING_MS : MISSING_GIVEN_MS;
	}

	/** False when it was asked for often enough. */
	checkAgain(now: number): boolean {
		const pause = this.pauses[this.checks++];
		this.nextAt = pause === undefined ? undefined : now + pause;
		return pause !== undefined;
	}

	/** When it is asked for again, ms since the epoch; once: what is answered then decides what comes next. */
	takeNext(): number | undefined {
		const at = this.nextAt;
		this.nextAt = undefined;
		return at;
	}

	reset(): void {
		this.checks = 0;
		this.nextAt = undefined;
	}
}
